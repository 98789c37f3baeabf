"""Claim: the models bound every schedule from below, folded or not, exact in detail."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from solver.milp import gap_model, stage_forward
from solver.milp.gap_model import GapModel
from solver.milp.stage_model import StageModel
from solver.problem import Problem
from solver.staged import StagedProblem, stage
from tests.helpers.builders import Line, graph_of, problem_of
from tests.helpers.milp import solved
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems

QUICK = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
LONG = settings(QUICK, max_examples=150)
SMALL = problems(most_backward=2)


def gap_bound_j(staged: StagedProblem) -> float:
    """Optimum of the gap model in joules; infinite where it says that there is no schedule."""
    model = GapModel(staged, scale=1.0)
    if model.impossible is not None:
        return np.inf
    extra = solved(model.problem()).bound if model.columns else 0.0
    return staged.problem.costed.baseline_energy_j + extra


def stage_bound_j(staged: StagedProblem, *, begin: int, detailed: frozenset[int]) -> float:
    model = StageModel(staged, begin=begin, detailed=detailed, scale=1.0)
    if model.impossible is not None:
        return np.inf
    extra = solved(model.problem()).bound
    return staged.problem.costed.baseline_energy_j + extra


def assert_below(bound_j: float, optimum_j: float | None) -> None:
    if optimum_j is not None:
        assert bound_j <= optimum_j * (1 + 1e-9) + 2e-6  # HiGHS's own tolerance, at scale 1


def assert_relaxations(problem: Problem) -> None:
    """The gap model, the stage model over the backward part, over all stages: none in detail."""
    staged, optimum = stage(problem), least_energy(problem)
    nothing = frozenset[int]()
    assert_below(gap_bound_j(staged), optimum)
    assert_below(stage_bound_j(staged, begin=staged.first_backward, detailed=nothing), optimum)
    assert_below(stage_bound_j(staged, begin=0, detailed=nothing), optimum)


def test_that_a_tensor_without_bytes_stands_in_a_row_with_others() -> None:
    # Beside wide, 100 + 50 B, of 200 B, a's 100 B do not fit: out and in again at 1e-5 J per byte.
    lines = [
        Line("a", "f", 100, 1e6),
        Line("nothing", "f", 0, 0.0, ("a",)),
        Line("wide", "f", 100, 1e6, workspace=50),
        Line("last", "b", 0, 1e6, ("a", "nothing", "wide")),
    ]
    problem = problem_of(graph_of(lines), 200)
    baseline_j = problem.costed.baseline_energy_j
    assert gap_bound_j(stage(problem)) == pytest.approx(baseline_j + 2 * 100 * 1e-5)


@QUICK
@given(SMALL)
@pytest.mark.slow
def test_that_the_models_without_detail_are_relaxations(problem: Problem) -> None:
    assert_relaxations(problem)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@LONG
@given(problems())
def test_that_the_models_without_detail_are_relaxations_on_many(problem: Problem) -> None:
    assert_relaxations(problem)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@LONG
@given(problems())
def test_that_the_stage_model_in_detail_is_exact(problem: Problem) -> None:
    staged, optimum = stage(problem), least_energy(problem)
    everything = frozenset(range(staged.stages))

    bound = stage_bound_j(staged, begin=0, detailed=everything)

    assert bound == pytest.approx(np.inf if optimum is None else optimum, rel=1e-6)


@QUICK
@given(SMALL)
def test_that_folding_only_raises_the_bound_of_the_gap_model(problem: Problem) -> None:
    folded = gap_bound_j(stage(problem))

    with pytest.MonkeyPatch.context() as patch:
        for module in (gap_model, stage_forward):
            patch.setattr(module, "chain_costs", lambda staged, own: list(own))
        plain = gap_bound_j(stage(problem))

    assert plain <= folded * (1 + 1e-9) + 2e-6
    assert_below(plain, least_energy(problem))
