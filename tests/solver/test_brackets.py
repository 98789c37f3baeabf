"""What solved budgets prove about others: schedules upwards, bounds and refusals downwards."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.brackets import Brackets, Known, StoredBound, StoredSchedule, covers
from solver.problem import Budgets, Problem
from solver.schedule import Schedule
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from tests.helpers.builders import chain, problem_of

PROBLEM: Problem = problem_of(chain(5), 50_000)
"""Baseline 15.000001 J and 15.000001 s; the floor is 3000 B (b4: its two inputs and its output)."""
BASELINE_J = PROBLEM.costed.baseline_energy_j


def kept() -> Trace:
    """6004 B, the baseline's energy."""
    return simulate(keep_all(stage(PROBLEM)), PROBLEM)


def paged() -> Trace:
    """3000 B; f1 .. f4 out and in, 8 x 0.01 J and 8 x 0.01 s more."""
    return simulate(page_all(stage(PROBLEM)), PROBLEM)


def entry(peak_bytes: int, runtime_s: float, energy_j: float) -> StoredSchedule:
    """Figures alone: what is asked here never looks at the actions."""
    return StoredSchedule(peak_bytes, runtime_s, energy_j, Schedule(()))


def test_that_nothing_stored_leaves_the_baseline_and_the_floor() -> None:
    brackets = Brackets(PROBLEM)
    assert brackets.bracket(Budgets(3000)).low_j == BASELINE_J
    assert brackets.bracket(Budgets(3000)).high_j is None
    assert brackets.bracket(Budgets(2999)).impossible
    assert brackets.bracket(Budgets(50_000, 15.0)).impossible  # every op once takes 15.000001 s
    assert brackets.least_ram_bytes(None) == 3000
    assert brackets.least_ram_bytes(15.0) is None
    assert brackets.least_runtime_s(3000) == pytest.approx(15.000001)
    assert brackets.least_runtime_s(2999) is None


def test_that_a_schedule_serves_every_budget_from_its_peak_and_runtime_on() -> None:
    brackets, trace = Brackets(PROBLEM), paged()
    assert brackets.add_schedule(trace)
    peak, runtime_s = trace.peak_bytes, trace.runtime_s
    best = brackets.best(Budgets(peak, runtime_s))
    assert best is not None
    assert best.schedule is trace.schedule
    assert best.energy_j == pytest.approx(15.080001)
    assert brackets.best(Budgets(peak - 1)) is None
    assert brackets.best(Budgets(peak, runtime_s * 0.999)) is None


def test_that_a_cheaper_schedule_of_the_same_needs_takes_the_place_of_the_dearer() -> None:
    brackets = Brackets(PROBLEM)
    for energy_j in (16.0, 15.5):
        assert brackets.add_stored(entry(3000, 20.0, energy_j))
    assert [schedule.energy_j for schedule in brackets.schedules] == [15.5]


def test_that_the_cheapest_of_the_fitting_schedules_is_chosen() -> None:
    brackets = Brackets(PROBLEM)
    brackets.add_schedule(paged())
    brackets.add_schedule(kept())
    peak = kept().peak_bytes
    above, below = brackets.bracket(Budgets(peak)), brackets.bracket(Budgets(peak - 1))
    assert above.high_j == pytest.approx(BASELINE_J)  # nothing is paid for paging
    assert below.high_j == pytest.approx(BASELINE_J + 0.08)


@pytest.mark.parametrize(
    ("ram_bytes", "runtime_s", "low_j"),
    [
        (4000, None, 16.0),  # exactly the solved budget
        (3999, None, 16.0),  # tighter: at least as expensive
        (4001, None, BASELINE_J),  # looser: only the baseline is known
        (4000, 99.0, 16.0),  # a limit makes it tighter
    ],
)
def test_that_a_bound_holds_for_tighter_budgets_only(
    ram_bytes: int, runtime_s: float | None, low_j: float
) -> None:
    brackets = Brackets(PROBLEM)
    assert brackets.add_bound(Budgets(4000), 16.0)
    assert brackets.bound_j(Budgets(ram_bytes, runtime_s)) == low_j


def test_that_a_bound_under_a_runtime_limit_says_nothing_without_one() -> None:
    brackets = Brackets(PROBLEM)
    brackets.add_bound(Budgets(4000, 1e6), 16.0)
    assert brackets.bound_j(Budgets(4000)) == BASELINE_J
    assert brackets.bound_j(Budgets(4000, 1e5)) == 16.0


def test_that_what_is_dominated_is_dropped() -> None:
    brackets = Brackets(PROBLEM)
    brackets.add_stored(entry(4000, 20.0, 16.0))
    assert not brackets.add_stored(entry(4000, 21.0, 16.0))  # slower, no cheaper
    assert brackets.add_stored(entry(3500, 20.0, 16.0))  # as cheap, smaller: replaces the first
    assert brackets.add_stored(entry(5000, 20.0, 15.5))  # larger, but cheaper
    assert [s.peak_bytes for s in brackets.schedules] == [5000, 3500]

    brackets.add_bound(Budgets(4000), 15.2)
    assert not brackets.add_bound(Budgets(3900), 15.1)  # 15.2 holds there already
    assert brackets.add_bound(Budgets(3900), 15.3)
    assert brackets.add_bound(Budgets(4100), 15.4)  # holds for both others
    assert brackets.bounds == (StoredBound(Budgets(4100), 15.4),)


def test_that_equally_dear_schedules_stand_in_one_order_whoever_came_first() -> None:
    small = entry(1000, 9.0, 20.0)
    quick = entry(2000, 5.0, 20.0)
    one, other = Brackets(PROBLEM), Brackets(PROBLEM)
    for brackets, order in ((one, (small, quick)), (other, (quick, small))):
        for schedule in order:
            assert brackets.add_stored(schedule)
    assert one.schedules == other.schedules == (small, quick)


def test_that_what_is_impossible_stays_so_when_tighter() -> None:
    brackets = Brackets(PROBLEM)
    brackets.add_bound(Budgets(3400, 15.5), math.inf)
    assert brackets.bracket(Budgets(3400, 15.5)).impossible
    assert brackets.bracket(Budgets(3399, 15.4)).impossible
    assert not brackets.bracket(Budgets(3401, 15.5)).impossible
    assert not brackets.bracket(Budgets(3400, 15.6)).impossible
    assert not brackets.bracket(Budgets(3400)).impossible
    # what a slider hatches: 3401 B is the first that may work in 15.5 s, with more time the floor
    assert brackets.least_ram_bytes(15.5) == 3401
    assert brackets.least_ram_bytes(15.6) == 3000
    assert brackets.least_runtime_s(3400) == 15.5
    assert brackets.least_runtime_s(3401) == pytest.approx(15.000001)


def test_that_ram_proven_too_small_without_a_limit_leaves_no_runtime_that_works() -> None:
    brackets = Brackets(PROBLEM)
    brackets.add_bound(Budgets(3400), math.inf)
    assert brackets.least_runtime_s(3400) is None
    assert brackets.least_ram_bytes(20.0) == 3401


def test_that_a_verified_schedule_refutes_a_bound_above_it() -> None:
    brackets = Brackets(PROBLEM)
    brackets.add_bound(Budgets(4000), 16.0)
    brackets.add_schedule(paged())  # 3000 B, 15.08 J
    assert brackets.refuted == [StoredBound(Budgets(4000), 16.0)]
    assert brackets.bounds == ()
    assert not brackets.add_bound(Budgets(4000), 16.0)
    assert not brackets.add_bound(Budgets(3000), math.inf)
    assert len(brackets.refuted) == 3
    assert brackets.bound_j(Budgets(4000)) == BASELINE_J


def test_that_rounding_is_no_refutation() -> None:
    brackets, trace = Brackets(PROBLEM), paged()
    brackets.add_schedule(trace)
    # 0.08 J of overhead: a bound 1e-8 J above is within a millionth of it
    assert brackets.add_bound(Budgets(4000), trace.total_energy_j + 1e-8)
    assert brackets.refuted == []
    bracket = brackets.bracket(Budgets(4000))
    assert bracket.low_j == bracket.high_j == trace.total_energy_j


def test_that_a_bound_that_is_no_number_is_not_taken() -> None:
    brackets = Brackets(PROBLEM)
    assert not brackets.add_bound(Budgets(4000), math.nan)
    assert brackets.bounds == ()


def test_that_a_solve_is_told_the_best_schedule_that_fits_and_the_bound() -> None:
    brackets, trace = Brackets(PROBLEM), paged()
    brackets.add_schedule(trace)
    brackets.add_schedule(kept())
    brackets.add_bound(Budgets(4000), 15.05)
    assert brackets.known(Budgets(4000)) == Known((trace.schedule,), 15.05)
    assert brackets.known(Budgets(2000)) == Known((), math.inf)


def test_that_merging_takes_the_best_of_both_and_a_copy_is_independent() -> None:
    one, other = Brackets(PROBLEM), Brackets(PROBLEM)
    one.add_schedule(paged())
    other.add_schedule(kept())
    other.add_bound(Budgets(4000), 15.05)
    copy = one.copy()
    assert one.merge(other)
    assert not one.merge(other)  # no news any more
    assert len(one.schedules) == 2
    assert one.bound_j(Budgets(4000)) == 15.05
    assert len(copy.schedules) == 1
    assert copy.bounds == ()


def test_that_no_limit_covers_every_limit() -> None:
    assert covers(Budgets(10), Budgets(10, 1.0))
    assert not covers(Budgets(10, 1.0), Budgets(10))
    assert not covers(Budgets(9), Budgets(10))


_BUDGETS = st.builds(
    Budgets, st.integers(2900, 4000), st.none() | st.floats(14.0, 20.0, allow_nan=False)
)
_SCHEDULES = st.builds(entry, st.integers(3000, 4000), st.floats(15.1, 20.0), st.floats(15.1, 17.0))
_BOUNDS = st.tuples(_BUDGETS, st.floats(15.0, 17.0) | st.just(math.inf))


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.lists(_SCHEDULES, max_size=8), st.lists(_BOUNDS, max_size=8), _BUDGETS, _BUDGETS)
def test_that_both_ends_of_the_bracket_fall_with_looser_budgets(
    schedules: list[StoredSchedule],
    bounds: list[tuple[Budgets, float]],
    one: Budgets,
    other: Budgets,
) -> None:
    brackets = Brackets(PROBLEM)
    for bound in bounds:
        brackets.add_bound(*bound)
    for schedule in schedules:
        brackets.add_stored(schedule)
    for budgets in (one, other):
        bracket = brackets.bracket(budgets)
        if bracket.high_j is not None:
            assert BASELINE_J <= bracket.low_j <= bracket.high_j
    if covers(one, other):
        loose, tight = brackets.bracket(one), brackets.bracket(other)
        assert loose.low_j <= tight.low_j
        if tight.high_j is not None:
            assert loose.high_j is not None
            assert loose.high_j <= tight.high_j


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.lists(_SCHEDULES, max_size=8), st.lists(_BOUNDS, max_size=8), _BUDGETS)
def test_that_dropping_what_is_dominated_changes_no_answer(
    schedules: list[StoredSchedule], bounds: list[tuple[Budgets, float]], asked: Budgets
) -> None:
    """Against the plain definition, over everything ever added and not refuted."""
    brackets = Brackets(PROBLEM)
    for schedule in schedules:
        brackets.add_stored(schedule)
    for bound in bounds:
        brackets.add_bound(*bound)
    fitting = [s.energy_j for s in schedules if s.fits(asked)]
    assert brackets.bracket(asked).high_j == min(fitting, default=None)
    refuted = [(bound.budgets, bound.bound_j) for bound in brackets.refuted]
    holding = [j for b, j in bounds if covers(b, asked) and (b, j) not in refuted]
    impossible = asked.ram_bytes < 3000 or not asked.allow_runtime(
        PROBLEM.costed.baseline_runtime_s
    )
    low_j = math.inf if impossible else max([BASELINE_J, *holding])
    if fitting and not impossible:
        low_j = min(low_j, *fitting)
    assert brackets.bound_j(asked) == low_j
