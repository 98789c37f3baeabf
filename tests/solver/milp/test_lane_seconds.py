"""Claim: a runtime limit is one row for blocking transfers, one per lane for overlapped ones."""

import pytest

from solver.device import IoMode
from solver.milp.assemble import LaneSeconds
from solver.staged import StagedProblem, stage
from tests.helpers.builders import chain, problem_of


def two_columns() -> LaneSeconds:
    """A rerun of 2 s and a page-in of 3 s."""
    seconds = LaneSeconds()
    seconds.add(2.0, 0.0)
    seconds.add(0.0, 3.0)
    return seconds


def limited(io: IoMode, runtime_s: float | None = 10.0) -> StagedProblem:
    """Ops of 1, 1, 1, 1e-6, 2, 2, 2 s."""
    return stage(problem_of(chain(3), 10**6, runtime_s=runtime_s, io=io))


def test_that_blocking_transfers_and_reruns_share_what_is_left() -> None:
    [(seconds, limit_s)] = two_columns().rows(limited(IoMode.BLOCKING))
    assert seconds == [2.0, 3.0]
    assert limit_s == pytest.approx(1.0, abs=1e-5)


def test_that_overlapped_lanes_keep_the_limit_each_on_its_own() -> None:
    reruns, transfers = two_columns().rows(limited(IoMode.OVERLAPPED))
    assert reruns[0] == [2.0, 0.0]
    assert reruns[1] == pytest.approx(1.0, abs=1e-5)
    assert transfers[0] == [0.0, 3.0]
    assert transfers[1] == pytest.approx(7.0, abs=1e-5)


def test_that_without_a_limit_there_is_no_row() -> None:
    assert two_columns().rows(limited(IoMode.OVERLAPPED, None)) == []
