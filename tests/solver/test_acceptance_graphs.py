"""Claim: on graphs whose optimum is known exactly, `poet solve --gap 0` finds and proves it.

The optima come from a dynamic programme over sets of tensors (tests/data/graphs), not from a MILP.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.helpers.command import DEVICES, GRAPHS, Solved, solve_and_check

pytestmark = pytest.mark.usefixtures("files_read_here")


class Row(NamedTuple):
    """One budget of one graph; `energy_j` None = no schedule exists."""

    file: str
    device: str
    ram_bytes: int
    paging: bool
    energy_j: float | None

    def __str__(self) -> str:
        return f"{self.file}-{self.device}-{self.ram_bytes}{'' if self.paging else '-no-paging'}"


def _exact_rows() -> Iterator[Row]:
    expected: dict[str, Any] = json.loads((GRAPHS / "expected.json").read_text())
    for file, facts in expected.items():
        for ram, optimum in facts["recompute_only"].items():
            flop = optimum["optimal_flops"]
            yield Row(file, "dear", int(ram), paging=False, energy_j=flop and flop / 1e6)
        below = facts.get("one_byte_less_than_min")
        if below:
            yield Row(file, "dear", below["budget"], paging=False, energy_j=None)
        for device, budgets in facts.get("with_paging", {}).items():
            for ram, energy_j in budgets.items():
                yield Row(file, device, int(ram), paging=True, energy_j=energy_j)


def _random_rows() -> Iterator[Row]:
    expected: dict[str, Any] = json.loads((GRAPHS / "random" / "expected.json").read_text())
    for file, facts in expected.items():
        for row in facts["rows"]:
            path, ram = f"random/{file}", row["ram_bytes"]
            yield Row(path, "dear", ram, paging=False, energy_j=row["recompute_only_j"])
            for device in ("cheap-writes-double", "dear-writes-triple"):
                yield Row(path, device, ram, paging=True, energy_j=row[f"{device}_j"])


def _solve(folder: Path, row: Row, *options: str) -> Solved:
    device = str(DEVICES / f"{row.device}.toml")
    paging = () if row.paging else ("--no-paging",)
    ram = ("--ram", str(row.ram_bytes), "--gap", "0")
    return solve_and_check(folder, str(GRAPHS / row.file), device, *ram, *paging, *options)


def _assert_exact(solved: Solved, row: Row) -> None:
    if row.energy_j is None:
        assert solved.code == 3
        assert solved.result["status"] == "infeasible"
        _assert_reason(solved, row)
        return
    assert solved.code == 0
    assert solved.result["status"] == "optimal"
    assert solved.result["energy_j"]["total"] == pytest.approx(row.energy_j, rel=1e-6)


def _assert_reason(solved: Solved, row: Row) -> None:
    """Below the floor the op that sets it is to blame; above it, paging would have helped."""
    reason, message = solved.result["reason"], solved.result["message"]
    assert reason["limit"] == "ram"
    if row.ram_bytes < solved.graph["floor_bytes"]:
        assert reason["op"] == solved.graph["floor_op"]
        assert reason["needed"] == solved.graph["floor_bytes"]
        assert reason["missing"] == solved.graph["floor_bytes"] - row.ram_bytes
    else:
        assert "impossible without paging" in message


EXACT = list(_exact_rows())
SMALL = [row for row in EXACT if row.file.startswith("01")][::3]
RANDOM = list(_random_rows())
FEW = [row for row in RANDOM if row.file.endswith("11_00.json")][1::4]
FLOOR_ONLY = ["02_residual.json", "03_unet.json", "05_multi_output.json", "06_siamese.json"]


@pytest.mark.parametrize("row", SMALL, ids=str)
def test_that_the_chain_is_solved_exactly(row: Row, tmp_path: Path) -> None:
    _assert_exact(_solve(tmp_path, row), row)


@pytest.mark.slow
@pytest.mark.parametrize("row", EXACT, ids=str)
def test_that_every_exact_graph_is_solved_exactly(row: Row, tmp_path: Path) -> None:
    _assert_exact(_solve(tmp_path, row), row)


@pytest.mark.parametrize("row", FEW, ids=str)
def test_that_a_random_graph_is_solved_exactly(row: Row, tmp_path: Path) -> None:
    _assert_exact(_solve(tmp_path, row), row)


@pytest.mark.slow
@pytest.mark.parametrize("row", RANDOM, ids=str)
def test_that_every_random_graph_is_solved_exactly(row: Row, tmp_path: Path) -> None:
    _assert_exact(_solve(tmp_path, row), row)


@pytest.mark.slow
@pytest.mark.parametrize("file", FLOOR_ONLY)
def test_that_the_floor_is_reached_by_paging_and_undercut_by_nothing(
    file: str, tmp_path: Path
) -> None:
    facts = json.loads((GRAPHS / "expected.json").read_text())[file]
    floor = facts["min_budget_with_paging_bytes"]

    at = _solve(tmp_path, Row(file, "dear", floor, paging=True, energy_j=0.0))
    below = _solve(tmp_path, Row(file, "dear", floor - 1, paging=True, energy_j=None))

    assert at.graph["floor_bytes"] == floor
    assert at.code == 0
    assert below.result["reason"]["op"] == facts["largest_working_set_op"]
    assert below.code == 3


@pytest.mark.slow
@pytest.mark.parametrize("file", FLOOR_ONLY)
def test_that_the_plain_peak_costs_the_baseline(file: str, tmp_path: Path) -> None:
    facts = json.loads((GRAPHS / "expected.json").read_text())[file]
    row = Row(file, "dear", facts["peak_no_recompute_bytes"], True, facts["flops_once"] / 1e6)

    _assert_exact(_solve(tmp_path, row), row)
