"""Claim: the benchmark has the rows that it should, each under one name, chosen by pattern."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from solver.bench.rows import (
    REAL_MODELS,
    RELEASED,
    all_rows,
    choose,
    quick_rows,
)
from solver.errors import UsageError

_DATA = Path(__file__).parents[2] / "data" / "reference" / "bench.json"


def test_that_the_installed_reference_rows_are_those_of_the_tests() -> None:
    packaged = json.loads((files("resources") / "bench" / "reference.json").read_text())
    assert packaged == json.loads(_DATA.read_text())
    assert sum(row.part == "reference" for row in all_rows()) == 16


def test_that_every_real_network_stands_on_both_devices_at_three_shares() -> None:
    real = [row for row in all_rows() if row.part == "real"]
    shares = {(row.model, row.device, row.share) for row in real if row.share is not None}
    assert len(REAL_MODELS) == 8
    assert shares == {
        (model, device, share)
        for model in REAL_MODELS
        for device in ("nrf52840", "rpi4")
        for share in (0.7, 0.5, 0.35)
    }


def test_that_some_rows_have_a_runtime_limit_of_their_own() -> None:
    limited = [row for row in all_rows() if row.part == "limited"]
    assert len(limited) == 4
    assert all(row.share == 0.5 and (row.runtime_ratio or 0) > 1 for row in limited)
    assert {row.device for row in limited} == {"nrf52840", "rpi4"}


def test_that_names_are_unique_and_say_the_part() -> None:
    rows = all_rows()
    assert len({row.name for row in rows}) == len(rows)
    assert all(row.name.startswith(f"{row.part}/") for row in rows)


def test_that_the_quick_rows_are_twelve_and_the_released_ones_exist() -> None:
    assert len(quick_rows()) == 12
    assert set(RELEASED) <= {row.name for row in all_rows()}


def test_that_a_pattern_chooses_by_part_of_the_name_or_by_wildcards() -> None:
    rows = all_rows()
    assert choose(rows, []) == rows
    assert len(choose(rows, ["unet/rpi4"])) == 3
    assert {row.name for row in choose(rows, ["*/floor"])} == {
        row.name for row in rows if row.of_floor is not None
    }
    assert len(choose(rows, ["unet/rpi4/0.7", "unet/rpi4/0.5"])) == 2


def test_that_a_pattern_without_a_row_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no row matches 'alexnet'"):
        choose(all_rows(), ["unet", "alexnet"])
