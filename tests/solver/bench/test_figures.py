"""Claim: figures at a time are medians of what runs knew then, and the open side is told right."""

import math

import pytest

from solver.bench.figures import (
    Moment,
    excess,
    final,
    finders,
    first_answer_s,
    lasted,
    moment,
    open_side,
)
from tests.helpers.bench import result, run

LONG = run((0.2, 110.0, 100.0), (0.9, 106.0, 100.0), (3.0, 106.0, 104.0), (30.0, 105.0, 104.5))


def test_that_a_moment_is_what_was_known_until_then() -> None:
    known = moment(result(LONG), 1.0)
    assert (known.energy_j, known.bound_j) == (106.0, 100.0)
    assert moment(result(LONG), 3.0).bound_j == 104.0  # found at that very time
    assert moment(result(LONG), 60.0) == Moment(105.0, 104.5, 100.0)


def test_that_before_the_first_point_nothing_is_known_but_the_baseline() -> None:
    known = moment(result(LONG), 0.1)
    assert (known.energy_j, known.bound_j) == (math.inf, 100.0)
    assert known.gap is None
    assert known.total_gap is None


def test_that_the_middle_run_counts_for_energy_and_for_bound() -> None:
    runs = (
        run((0.1, 103.0, 101.0)),
        run((0.2, 102.0, 101.5), limit_s=5.0),
        run((0.3, None, 100.5), limit_s=5.0),
    )
    known = moment(result(*runs), 1.0)
    assert (known.energy_j, known.bound_j) == (103.0, 101.0)  # 102, 103, none; 100.5, 101, 101.5
    assert first_answer_s(result(*runs)) == 0.2  # 0.1, 0.2, never


def test_that_most_runs_without_a_schedule_mean_no_first_answer() -> None:
    runs = (run((0.1, 103.0, 101.0)), run((0.2, None, 101.0)), run())
    assert first_answer_s(result(*runs)) is None
    assert first_answer_s(result()) is None


def test_that_a_short_run_says_nothing_of_later_times_unless_it_was_proven() -> None:
    short = run((1.0, 101.0, 100.0), limit_s=5.0, wall_s=5.0)
    assert moment(result(LONG, short), 60.0).energy_j == 105.0
    assert not lasted(short, 60.0)
    assert lasted(run((1.0, 101.0, 101.0), limit_s=5.0, wall_s=1.0, status="optimal"), 60.0)
    assert moment(result(short), 60.0).energy_j == math.inf


def test_that_a_gap_is_a_part_of_the_overhead_and_of_the_total() -> None:
    end = final(result(LONG))
    assert end.gap == pytest.approx(0.5 / 5.0)
    assert end.total_gap == pytest.approx(0.5 / 105.0)
    assert Moment(100.0, 100.0, 100.0).gap == 0.0
    assert Moment(100.0, 99.0, 100.0).gap is None  # no overhead to divide by


def test_that_the_excess_is_a_part_of_the_best_known_overhead() -> None:
    assert excess(106.0, 105.0, 100.0) == pytest.approx(0.2)
    assert excess(104.0, 105.0, 100.0) == 0.0
    assert excess(100.0, 100.0, 100.0) == 0.0
    assert excess(101.0, 100.0, 100.0) is None
    assert excess(math.inf, 105.0, 100.0) is None


def test_that_the_first_step_that_reached_the_last_value_found_it() -> None:
    long = run((0.1, 110.0, 100.0), (0.2, 110.0, 104.0), (0.3, 105.0, 104.0), steps="abc")
    assert finders(result(long)) == ("c", "b")
    assert finders(result(run((0.1, 110.0, 100.0), steps="a"))) == ("a", "-")  # the baseline
    assert finders(result()) == ("-", "-")


@pytest.mark.parametrize(
    ("energy", "bound", "best", "side"),
    [
        (110.0, 109.95, 110.0, "-"),  # 0.5 % of the overhead is closed
        (110.0, 105.0, 105.5, "primal"),  # 4.5 of 5 lie above the best known schedule
        (110.0, 105.0, 109.5, "dual"),  # 0.5 of 5
        (110.0, 105.0, 107.5, "both"),  # half and half
        (None, 105.0, 107.5, "primal"),
        (110.0, 105.0, 110.0, "dual"),
    ],
)
def test_that_the_best_known_schedule_tells_which_side_is_open(
    energy: float | None, bound: float, best: float, side: str
) -> None:
    assert open_side(result(run((1.0, energy, bound))), best) == side
