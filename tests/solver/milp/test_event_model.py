"""Claim: however it is refined, the event model bounds every schedule and charges for inputs."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.milp.gap_model import GapModel
from solver.milp.lineage import Lineage
from solver.milp.refinement import Refinement
from solver.problem import Problem
from solver.staged import StagedProblem, stage
from tests.helpers.builders import Line, device_of, graph_of, problem_of
from tests.helpers.event_bounds import ask_everything, bounds_j
from tests.helpers.milp import session_of, solved
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems

QUICK = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
LONG = settings(QUICK, max_examples=200)


def gap_optimum_j(staged: StagedProblem) -> float:
    model = GapModel(staged, scale=1.0)
    extra = solved(model.problem()).bound if model.columns else 0.0
    return staged.problem.costed.baseline_energy_j + extra


def remade_from_the_dead(*, middle: int = 1000) -> Problem:
    """f2 must go while `wide` runs, and is remade from f1, which nobody else needs any more.

    f1 and f2 cost 1 and 4 J; nothing can be paged. RAM holds f0 beside `wide` and its input, not f2
    nor f1 (`middle` bytes), so that the least overhead is 4 + 1 J.
    """
    lines = [
        Line("f0", "f", 1000, 1e6),
        Line("f1", "f", middle, 1e6, ("f0",)),
        Line("f2", "f", 3000, 4e6, ("f1",)),
        Line("thin", "f", 10, 1e6, ("f0",)),
        Line("wide", "b", 9000, 1e6, ("thin", "f0")),
        Line("small", "b", 10, 1e6, ("wide", "f0")),
        Line("last", "b", 10, 1e6, ("small", "f2")),
    ]
    ram = 9000 + 1000 + 10 + 500
    return problem_of(graph_of(lines), ram, device=device_of(joule_per_flop=1e-6), paging=False)


def test_that_a_rerun_is_charged_for_its_inputs_where_the_gap_model_does_not() -> None:
    problem = remade_from_the_dead()
    baseline_j = problem.costed.baseline_energy_j
    staged = stage(problem)

    found = bounds_j(staged, Refinement.none(staged), scale=1.0)

    assert gap_optimum_j(staged) == pytest.approx(baseline_j + 4)
    assert found[0] <= baseline_j + 4 + 1e-6
    assert found[-1] == pytest.approx(baseline_j + 5)
    assert least_energy(problem) == pytest.approx(baseline_j + 5)


def test_that_an_input_small_enough_to_stay_costs_nothing() -> None:
    problem = remade_from_the_dead(middle=400)  # beside f0, wide and thin, 500 B are free
    staged = stage(problem)

    found = bounds_j(staged, Refinement.none(staged), scale=1.0)

    assert found[-1] == pytest.approx(problem.costed.baseline_energy_j + 4)
    assert found[-1] == pytest.approx(least_energy(problem))


def assert_never_above(problem: Problem, *, at_once: bool) -> None:
    least = least_energy(problem)
    assume(least is not None)
    assert least is not None
    staged = stage(problem)
    start = ask_everything(Lineage(staged)) if at_once else Refinement.none(staged)

    for bound in bounds_j(staged, start, scale=1.0):
        assert bound <= least * (1 + 1e-9) + 2e-6  # HiGHS's own tolerance, at scale 1


@QUICK
@given(problems(most_backward=2), st.booleans())
def test_that_no_bound_is_above_the_exact_optimum(problem: Problem, at_once: bool) -> None:  # noqa: FBT001
    assert_never_above(problem, at_once=at_once)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@LONG
@given(problems(most_forward=5, most_backward=2), st.booleans())
def test_that_no_bound_is_above_the_exact_optimum_on_many(problem: Problem, at_once: bool) -> None:  # noqa: FBT001
    assert_never_above(problem, at_once=at_once)


@QUICK
@given(problems(most_forward=3, most_backward=2), st.sampled_from([1.001, 1.4, 3.0]))
@pytest.mark.slow
def test_that_fixing_by_a_known_schedule_loses_nothing_cheaper(
    problem: Problem, worse: float
) -> None:
    least = least_energy(problem)
    assume(least is not None)
    assert least is not None
    baseline_j = problem.costed.baseline_energy_j
    assume(least > baseline_j * (1 + 1e-6))
    staged = stage(problem)
    best_j = baseline_j + worse * (least - baseline_j)

    found = bounds_j(staged, Refinement.none(staged), scale=1.0, best_j=best_j)

    assert max(found) <= least * (1 + 1e-9) + 2e-6


@QUICK
@given(problems(most_backward=2))
def test_that_it_starts_as_the_gap_model(problem: Problem) -> None:
    staged = stage(problem)
    gap = GapModel(staged, scale=1.0)
    found = bounds_j(staged, Refinement.none(staged), scale=1.0)

    if gap.impossible is not None:
        assert found[0] == np.inf
    elif gap.columns:
        relaxed = session_of(gap.problem()).relax().objective
        first = np.inf if relaxed is None else staged.problem.costed.baseline_energy_j + relaxed
        assert found[0] == pytest.approx(first, rel=1e-6)
