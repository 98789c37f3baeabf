"""Claim: timings become a device and a cost table, and two profiles are compared by their time."""

from pathlib import Path

import pytest

from solver.cost_files import read_cost_table
from solver.cost_table import CostRow, CostTable
from solver.device_files import read_device_file
from solver.device_writer import device_toml
from solver.errors import EngineError
from solver.profiling import (
    Board,
    OpTiming,
    agreement,
    board_device,
    by_kind,
    costs_csv,
    flop_rate,
)
from solver.storage_probe import StorageFigures, TransferFit

TIMINGS = (
    OpTiming("a", "conv", 1000.0, (1.0, 2.0, 6.0)),
    OpTiming("b", "relu", 200.0, (0.5,)),
    OpTiming("c", "copy", 0.0, (4.0, 4.0)),
)
STORAGE = StorageFigures(
    TransferFit(0.01, 1e6, 0.1), TransferFit(0.001, 2e6, 0.05), "measured: w", "measured: r"
)


def test_that_an_op_has_the_median_and_quartiles_of_its_samples() -> None:
    assert TIMINGS[0].median_s == 2.0
    assert TIMINGS[0].quartiles_s == (1.5, 4.0)
    assert TIMINGS[1].quartiles_s == (0.5, 0.5)


def test_that_the_rate_meets_the_time_of_all_ops_with_work() -> None:
    assert flop_rate(TIMINGS) == pytest.approx(1200 / 2.5)
    with pytest.raises(EngineError, match="no rate to measure"):
        flop_rate(TIMINGS[2:])


def test_that_a_device_says_what_was_measured_and_what_is_assumed(tmp_path: Path) -> None:
    device = board_device(Board("desk", 4096, None, 0.2, "here"), TIMINGS, STORAGE)
    assert device.flop_per_j == pytest.approx(480 / 5)
    assert (device.page_in.latency_s, device.page_in.bytes_per_s) == (0.001, 2e6)
    assert device.page_out.power_w == 0.2
    assert device.source["flop_per_s"].startswith("measured: total FLOP of 2 ops")
    assert device.source["flop_per_j"] == "estimate: the measured rate over 5 W, assumed"
    assert device.source["page_in.power_w"] == "estimate: 0.2 W, given by the user"
    file = tmp_path / "desk.toml"
    file.write_bytes(device_toml(device))
    assert read_device_file(file) == device


def test_that_the_table_is_read_again_as_it_was_measured(tmp_path: Path) -> None:
    file = tmp_path / "desk.costs.csv"
    file.write_bytes(costs_csv(TIMINGS, 3.0))
    rows = read_cost_table(file).rows
    assert rows[0] == CostRow(2.0, 6.0, "a", "conv")
    assert [row.op for row in rows] == ["a", "b", "c"]
    assert file.read_text().splitlines()[1] == "a,conv,2,6,3,1.5,4,0.3077"  # 2 of 6.5 s


def test_that_profiles_agree_by_the_time_of_their_ops() -> None:
    earlier = CostTable("t", (CostRow(2.5, None, "a"), CostRow(0.1, None, "b")))
    found = agreement(earlier, TIMINGS)
    assert found is not None
    # a: 2.5 is within 25 % of 2, weight 4.5; b: 0.1 and 0.5 are not, weight 0.6.
    assert found.share == pytest.approx(4.5 / 5.1)
    assert found.ops == 2
    assert not found.holds
    assert found.worst == ("a", 2.5, 2.0)
    assert (found.then_s, found.now_s) == (2.6, 2.5)


def test_that_a_quarter_more_still_agrees_and_nothing_in_common_says_nothing() -> None:
    found = agreement(CostTable("t", (CostRow(5.0, None, "c"),)), TIMINGS)
    assert found is not None
    assert found.holds
    apart = agreement(CostTable("t", (CostRow(5.01, None, "c"),)), TIMINGS)
    assert apart is not None
    assert not apart.holds
    assert agreement(CostTable("t", (CostRow(1.0, None, "", "conv"),)), TIMINGS) is None


def test_that_kinds_are_listed_by_their_time() -> None:
    assert list(by_kind(TIMINGS).items()) == [("copy", (1, 4.0)), ("conv", (1, 2.0)),
                                              ("relu", (1, 0.5))]  # fmt: skip
