"""Claim: what is left alone is in no schedule that is cheaper than the best known one."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.milp.backend import Ending
from solver.milp.gap_model import GapModel
from solver.milp.narrow import narrow
from solver.milp.stage_model import StageModel
from solver.problem import Problem
from solver.staged import StagedProblem, stage
from tests.helpers.builders import Line, graph_of, problem_of
from tests.helpers.milp import session_of, solved
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems

QUICK = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def narrowed(staged: StagedProblem, best_j: float) -> StagedProblem:
    """Narrowed by the gap model's relaxation and a schedule of that energy."""
    model = GapModel(staged, scale=1.0)
    assert model.impossible is None
    assert model.columns
    relaxed = session_of(model.problem()).relax()
    assert relaxed.ending is Ending.SOLVED
    assert relaxed.objective is not None
    assert relaxed.reduced_costs is not None
    best = best_j - staged.problem.costed.baseline_energy_j
    return narrow(model, relaxed.objective, relaxed.reduced_costs, best)


def optimum_j(staged: StagedProblem) -> float:
    """By the stage model in full detail; infinite where no schedule is left."""
    model = StageModel(staged, begin=0, detailed=frozenset(range(staged.stages)), scale=1.0)
    if model.impossible is not None:
        return np.inf
    return staged.problem.costed.baseline_energy_j + solved(model.problem()).bound


def assert_nothing_cheaper_lost(problem: Problem, worse: float) -> None:
    """The optimum survives when the best known schedule is worse than it by a factor."""
    least = least_energy(problem)
    assume(least is not None)
    assert least is not None
    staged = stage(problem)
    assume(GapModel(staged, scale=1.0).columns)
    overhead = least - problem.costed.baseline_energy_j
    best_j = least + (worse - 1) * overhead
    assert optimum_j(narrowed(staged, best_j)) <= least * (1 + 1e-6)


@QUICK
@given(problems(most_backward=2), st.sampled_from([1.001, 1.1, 1.5]))
def test_that_the_optimum_survives_narrowing(problem: Problem, worse: float) -> None:
    assert_nothing_cheaper_lost(problem, worse)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@settings(QUICK, max_examples=200)
@given(problems(), st.sampled_from([1.001, 1.1, 1.5]))
def test_that_the_optimum_survives_narrowing_on_many(problem: Problem, worse: float) -> None:
    assert_nothing_cheaper_lost(problem, worse)


def test_that_what_a_remake_needs_is_not_taken_away_for_being_dear() -> None:
    # w is made from v, which only w reads and which is no smaller: the gap model charges w's remake
    # 100 + 1 J, v's run included. w does not fit beside b3 (100 + 100 + 1500 of 2300 B), so both
    # run again before b1: 101 J. A schedule of 106 J is known: v's 100 J are no reason to rule it
    # out, they are in the 101 already.
    lines = [
        Line("f1", "f", 100, 1e6, recomputable=False),
        Line("v", "f", 1000, 100e6, ("f1",)),
        Line("w", "f", 1000, 1e6, ("v",)),
        Line("x", "f", 100, 1e6, ("w",), recomputable=False),
        Line("b3", "b", 1500, 1e6, ("x",)),
        Line("b2", "b", 100, 1e6, ("b3",)),
        Line("b1", "b", 100, 1e6, ("b2", "w", "f1")),
    ]
    problem = problem_of(graph_of(lines), 2300, paging=False)
    staged = stage(problem)
    least = problem.costed.baseline_energy_j + 101

    assert least_energy(problem) == pytest.approx(least)
    assert optimum_j(staged) == pytest.approx(least)
    assert optimum_j(narrowed(staged, least + 5)) == pytest.approx(least)
