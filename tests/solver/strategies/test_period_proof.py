"""Claim: the period model, in its turn of a solve, proves what is true and lets go when told."""

import pytest
from hypothesis import HealthCheck, given, settings

from solver.events import Bound, StepChanged
from solver.outcome import Infeasible, Optimal
from solver.problem import Problem
from solver.strategies import joint_solve, stage_proof
from tests.helpers.builders import chain, problem_of
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems
from tests.helpers.solving import run

QUICK = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
LONG = settings(QUICK, max_examples=60)


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_small() -> object:
    """Problems of any size take the way of the large ones: no exact model at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage_proof, "SMALL_STAGES", 0)
        patch.setattr(joint_solve, "QUICK_STAGES", 0)
        yield


def assert_exact(problem: Problem) -> None:
    least = least_energy(problem)
    result = run(problem, work_limit=20.0)

    if least is None:
        assert isinstance(result.outcome, Infeasible)
        return
    assert isinstance(result.outcome, Optimal)
    assert result.outcome.trace.total_energy_j == pytest.approx(least, rel=1e-6)
    assert max(result.bounds_j) <= least * (1 + 1e-6)


@QUICK
@given(problems(most_backward=2))
def test_that_small_problems_are_solved_exactly_on_the_way_of_large_ones(problem: Problem) -> None:
    assert_exact(problem)


@pytest.mark.slow
@pytest.mark.timeout(600)
@LONG
@given(problems())
def test_that_many_small_problems_are_solved_exactly_on_that_way(problem: Problem) -> None:
    assert_exact(problem)


def test_that_the_period_model_proves_a_chain_by_itself() -> None:
    result = run(problem_of(chain(8), 4004))

    steps = [event.step for event in result.events if isinstance(event, StepChanged)]
    bounds = [event for event in result.events if isinstance(event, Bound)]
    assert isinstance(result.outcome, Optimal)
    assert bounds[-1].step == "period model"
    assert "stage model" not in steps
    assert result.outcome.trace.total_energy_j == pytest.approx(bounds[-1].bound_j, rel=1e-6)


def test_that_a_work_limit_ends_it_with_the_same_answer_each_time() -> None:
    first, second = (run(problem_of(chain(12), 4004), work_limit=0.15) for _ in range(2))

    assert first.energy_j == second.energy_j
    assert first.bounds_j == second.bounds_j
