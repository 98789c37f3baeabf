"""What solved budgets prove about others: schedules upwards, bounds and refusals downwards."""

import pytest

from poet_gui.solving.store import Solved, SolvedStore, covers
from solver.explain import too_little_ram
from solver.outcome import Infeasible, SolverRecord
from solver.problem import Budgets, Problem
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from tests.helpers.builders import chain, problem_of

KEY = "a fingerprint"
RECORD = SolverRecord("joint", "none", "", 0.0)


def _solved(
    *, paged: bool, ram_bytes: int, bound_j: float, runtime_s: float | None = None
) -> Solved:
    problem = problem_of(chain(5), ram_bytes, runtime_s=runtime_s)
    schedule = (page_all if paged else keep_all)(stage(problem))
    return Solved(problem.budgets, simulate(schedule, problem), bound_j)


def test_that_a_schedule_serves_every_budget_from_its_peak_on() -> None:
    store = SolvedStore()
    solved = _solved(paged=True, ram_bytes=50_000, bound_j=1.0)
    store.add(KEY, solved)
    peak = solved.trace.peak_bytes
    assert store.best(KEY, Budgets(peak)) is solved
    assert store.best(KEY, Budgets(peak - 1)) is None


def test_that_a_schedule_serves_no_runtime_limit_below_its_runtime() -> None:
    store = SolvedStore()
    solved = _solved(paged=True, ram_bytes=50_000, bound_j=1.0)
    store.add(KEY, solved)
    runtime_s = solved.trace.runtime_s
    assert store.best(KEY, Budgets(50_000, runtime_s)) is solved
    assert store.best(KEY, Budgets(50_000, runtime_s * 0.999)) is None


def test_that_the_cheapest_of_the_fitting_schedules_is_chosen() -> None:
    store = SolvedStore()
    paged = _solved(paged=True, ram_bytes=4000, bound_j=1.0)
    kept = _solved(paged=False, ram_bytes=50_000, bound_j=1.0)
    store.add(KEY, paged)
    store.add(KEY, kept)
    assert store.best(KEY, Budgets(kept.trace.peak_bytes)) is kept  # nothing is paid for paging
    assert store.best(KEY, Budgets(kept.trace.peak_bytes - 1)) is paged


@pytest.mark.parametrize(
    ("ram_bytes", "runtime_s", "low_j"),
    [
        (4000, None, 16.0),  # exactly the solved budget
        (3999, None, 16.0),  # tighter: at least as expensive
        (4001, None, 15.0),  # looser: only the baseline is known
        (4000, 99.0, 16.0),  # a limit makes it tighter
    ],
)
def test_that_a_bound_holds_for_tighter_budgets_only(
    ram_bytes: int, runtime_s: float | None, low_j: float
) -> None:
    store = SolvedStore()
    store.add(KEY, _solved(paged=True, ram_bytes=4000, bound_j=16.0))
    assert store.bracket(KEY, Budgets(ram_bytes, runtime_s), 15.0).low_j == low_j


def test_that_a_bound_under_a_runtime_limit_says_nothing_without_one() -> None:
    store = SolvedStore()
    store.add(KEY, _solved(paged=True, ram_bytes=4000, bound_j=16.0, runtime_s=1e6))
    assert store.bracket(KEY, Budgets(4000), 15.0).low_j == 15.0
    assert store.bracket(KEY, Budgets(4000, 1e5), 15.0).low_j == 16.0


def test_that_two_answers_to_one_budget_become_the_best_of_both() -> None:
    store = SolvedStore()
    store.add(KEY, _solved(paged=True, ram_bytes=50_000, bound_j=15.5))
    store.add(KEY, _solved(paged=False, ram_bytes=50_000, bound_j=15.2))
    (only,) = store.all(KEY)
    kept = _solved(paged=False, ram_bytes=50_000, bound_j=0.0)
    assert only.trace.total_energy_j == kept.trace.total_energy_j
    assert only.bound_j == 15.5


def test_that_what_is_impossible_stays_so_when_tighter() -> None:
    store = SolvedStore()
    store.add_impossible(KEY, Budgets(2999), _refusal(2999))
    assert store.is_impossible(KEY, Budgets(2999))
    assert store.is_impossible(KEY, Budgets(2998, 5.0))
    assert not store.is_impossible(KEY, Budgets(3000))
    assert store.refused(KEY, Budgets(2999)) is not None
    assert store.refused(KEY, Budgets(2998)) is None  # its figures would be those of another budget


def test_that_no_limit_covers_every_limit() -> None:
    assert covers(Budgets(10), Budgets(10, 1.0))
    assert not covers(Budgets(10, 1.0), Budgets(10))
    assert not covers(Budgets(9), Budgets(10))


def test_that_problems_do_not_share_what_is_stored() -> None:
    store = SolvedStore()
    store.add(KEY, _solved(paged=True, ram_bytes=50_000, bound_j=1.0))
    assert store.best("another", Budgets(10**9)) is None


def _refusal(ram_bytes: int) -> Infeasible:
    problem: Problem = problem_of(chain(5), ram_bytes)
    found = too_little_ram(problem, RECORD)
    assert found is not None
    return found
