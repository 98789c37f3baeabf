"""Claim: keep-all is the baseline, page-all reaches the floor; neither is optimal by accident."""

import pytest
from hypothesis import HealthCheck, given, settings

from solver.outcome import Feasible, Infeasible, Limit, Optimal
from solver.problem import Budgets, Problem, Switches
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from solver.verify import verify
from tests.helpers.builders import chain, problem_of
from tests.helpers.random_problems import problems
from tests.helpers.solving import assert_legal, run

MANY = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
PROBLEMS = problems(most_forward=6, most_backward=5)


def roomy(problem: Problem) -> Problem:
    return Problem(problem.costed, Budgets(10**9), Switches())


@MANY
@given(PROBLEMS)
def test_that_keeping_all_is_the_baseline(problem: Problem) -> None:
    problem = roomy(problem)
    trace = simulate(keep_all(stage(problem)), problem)

    assert verify(trace.schedule, problem).faults == ()
    assert trace.total_energy_j == pytest.approx(problem.costed.baseline_energy_j, rel=1e-12)
    assert trace.peak_bytes == problem.costed.plain_peak_bytes


@MANY
@given(PROBLEMS)
def test_that_paging_all_is_legal_and_reaches_the_floor_where_all_may_leave(
    problem: Problem,
) -> None:
    problem = roomy(problem)
    trace = simulate(page_all(stage(problem)), problem)

    assert verify(trace.schedule, problem).faults == ()
    if all(tensor.pageable for tensor in problem.costed.graph.tensors):
        assert trace.peak_bytes == problem.costed.floor_bytes


def test_that_keep_all_is_optimal_where_it_fits() -> None:
    # chain(4) needs 5004 B: f1 .. f4, the loss of 4 B and b4
    result = run(problem_of(chain(4), 5004), strategy="keep-all")

    assert isinstance(result.outcome, Optimal)
    assert result.energy_j == pytest.approx(12.000001)
    assert_legal(result.incumbents[0])


def test_that_keep_all_says_what_it_needs() -> None:
    outcome = run(problem_of(chain(4), 5003), strategy="keep-all").outcome

    assert isinstance(outcome, Infeasible)
    assert (outcome.reason.limit, outcome.reason.needed, outcome.reason.missing) == (
        Limit.RAM, 5004, 1,
    )  # fmt: skip
    assert "this strategy needs 5,004 B" in outcome.message


def test_that_page_all_has_the_baseline_for_its_bound() -> None:
    # f1, f2, f3 out and in at 0.01 J each; f4 is read by its neighbours
    outcome = run(problem_of(chain(4), 3000), strategy="page-all").outcome

    assert isinstance(outcome, Feasible)
    assert outcome.trace.total_energy_j == pytest.approx(12.060001)
    assert outcome.bound_j == pytest.approx(12.000001)


def test_that_page_all_does_not_blame_a_limit_that_nobody_set() -> None:
    outcome = run(problem_of(chain(4), 10**6), strategy="page-all").outcome

    assert outcome.message.endswith("above the baseline; its only schedule, no search")


def test_that_page_all_says_how_long_it_takes() -> None:
    problem = problem_of(chain(4), 3000, runtime_s=12.05)

    outcome = run(problem, strategy="page-all").outcome

    assert isinstance(outcome, Infeasible)
    assert outcome.reason.limit is Limit.RUNTIME
    assert outcome.reason.needed == pytest.approx(12.060001)
    assert outcome.reason.missing == pytest.approx(0.010001)
