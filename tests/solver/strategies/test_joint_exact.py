"""Claim: `joint` finds and proves the exact optimum, and none of its bounds is ever above it.

The optimum comes from an exhaustive search that shares no code with it (helpers.oracle).
"""

import pytest
from hypothesis import HealthCheck, event, given, settings

from solver.outcome import Infeasible, Optimal
from solver.problem import Problem
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems
from tests.helpers.solving import assert_legal, run

QUICK = settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
LONG = settings(QUICK, max_examples=150)


def assert_exact(problem: Problem) -> None:
    """Optimum, bounds and incumbents of a solve to gap 0 against the exhaustive search."""
    optimum = least_energy(problem)
    result = run(problem)
    event("possible" if optimum is not None else "impossible")
    if optimum is None:
        assert isinstance(result.outcome, Infeasible), result.outcome.message
        assert result.incumbents == []
        return
    assert isinstance(result.outcome, Optimal), result.outcome.message
    assert result.energy_j == pytest.approx(optimum, rel=1e-6)
    for bound_j in result.bounds_j:
        assert bound_j <= optimum * (1 + 1e-9)
    for incumbent in result.incumbents:
        assert_legal(incumbent)
        assert incumbent.energy_j >= optimum * (1 - 1e-9)


@QUICK
@given(problems(most_backward=2))
def test_that_random_problems_are_solved_exactly(problem: Problem) -> None:
    assert_exact(problem)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@LONG
@given(problems())
def test_that_many_random_problems_are_solved_exactly(problem: Problem) -> None:
    assert_exact(problem)
