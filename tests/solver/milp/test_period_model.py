"""Claim: whatever its moments are, the period model bounds every schedule; with all, closely."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.milp.gap_model import GapModel
from solver.milp.lineage import Lineage
from solver.milp.period_columns import RERUN, Moments
from solver.milp.period_cuts import separate_periods
from solver.milp.period_model import PeriodModel
from solver.problem import Problem
from solver.staged import StagedProblem, stage
from tests.helpers.builders import Line, device_of, graph_of, problem_of
from tests.helpers.crowded import crowded_inside
from tests.helpers.milp import session_of, solved
from tests.helpers.oracle import least_energy
from tests.helpers.period_bounds import bounds_j, every_moment
from tests.helpers.random_problems import problems

QUICK = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
LONG = settings(QUICK, max_examples=200)
SHORTER = settings(QUICK, max_examples=80)
SHARES = st.sampled_from([1, 2, 3])


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

    assert gap_optimum_j(staged) == pytest.approx(baseline_j + 4)
    # One moment is enough: f2 and f1 cannot stay while `wide`, the op at place 4, runs.
    assert bounds_j(staged, Moments(ops={4}))[-1] == pytest.approx(baseline_j + 5)
    assert least_energy(problem) == pytest.approx(baseline_j + 5)


def test_that_an_input_small_enough_to_stay_costs_nothing() -> None:
    problem = remade_from_the_dead(middle=400)  # beside f0, wide and thin, 500 B are free
    staged = stage(problem)

    found = bounds_j(staged, every_moment(staged))

    assert found[-1] == pytest.approx(problem.costed.baseline_energy_j + 4)
    assert found[-1] == pytest.approx(least_energy(problem))


def test_that_without_moments_nothing_costs_anything() -> None:
    problem = remade_from_the_dead()

    assert bounds_j(stage(problem), Moments()) == [problem.costed.baseline_energy_j]


@pytest.mark.parametrize(("ram", "overhead_j"), [(15_010, 2.0), (15_009, 5.0)])
def test_that_memory_inside_a_stage_counts_where_it_is_asked_for(
    ram: int, overhead_j: float
) -> None:
    problem = crowded_inside(ram)
    staged, baseline_j = stage(problem), problem.costed.baseline_energy_j
    between_stages = Moments(ops=set(range(staged.stages)))

    assert bounds_j(staged, between_stages)[-1] == pytest.approx(baseline_j + 2)
    assert bounds_j(staged, every_moment(staged))[-1] == pytest.approx(baseline_j + overhead_j)
    assert least_energy(problem) == pytest.approx(baseline_j + overhead_j)


def test_that_what_passes_through_a_period_counts_beside_a_rerun_in_it() -> None:
    # x waits for `last` all the time. Of `small`, made in the period, that is not known: 15,000 B.
    problem = crowded_inside(14_999)
    moments = Moments(ops={4, 6}, reruns={2})  # `wide`, `last`; f2 runs again between them

    found = bounds_j(stage(problem), moments)

    assert found[-1] == pytest.approx(problem.costed.baseline_energy_j + 5)


def test_that_cuts_do_not_let_a_write_be_paid_in_part() -> None:
    # f must be away at `wide`; its one reader comes later. Four periods may bring back a part each.
    lines = [
        Line("f", "f", 1000, 1e6, recomputable=False),
        Line("g", "f", 10, 1e6, ("f",)),
        Line("wide", "b", 9000, 1e6, ("g",)),
        *(Line(f"s{k}", "b", 9000, 1e6, (before,)) for k, before in
          enumerate(("wide", "s0", "s1"))),
        Line("last", "b", 10, 1e6, ("s2", "f")),
    ]  # fmt: skip
    staged = stage(problem_of(graph_of(lines), 18_500))
    model = PeriodModel(Lineage(staged), Moments(ops={2, 3, 4, 5}), 1.0)
    session = session_of(model.problem())
    first = session.relax()
    assert first.x is not None

    session.add(separate_periods(model.columns, first.x))
    cut = session.relax()

    assert first.objective is not None
    assert cut.objective is not None
    assert first.objective <= cut.objective + 1e-9
    assert cut.objective == pytest.approx(0.02)  # 1000 B out and in at 1e-5 J each
    assert separate_periods(model.columns, cut.x if cut.x is not None else first.x) == []


def test_that_what_is_fixed_stays_out_of_models_of_shorter_periods() -> None:
    staged = stage(remade_from_the_dead())
    moments = Moments(ops={4})
    model = PeriodModel(Lineage(staged), moments, 1.0)
    relaxed = session_of(model.problem()).relax()
    assert relaxed.objective is not None
    assert relaxed.reduced_costs is not None

    model.fix(relaxed.objective, relaxed.reduced_costs, best=0.5)  # less than any schedule costs

    assert moments.is_left_out(RERUN, 2, 4, 6)
    assert moments.is_left_out(RERUN, 2, 5, 6)
    assert not moments.is_left_out(RERUN, 2, 3, 6)
    moments.ops.add(5)
    assert bounds_j(staged, moments) == [np.inf]


def assert_never_above(problem: Problem, share: int) -> None:
    least = least_energy(problem)
    assume(least is not None)
    assert least is not None
    staged = stage(problem)

    for bound in bounds_j(staged, every_moment(staged, share=share)):
        assert bound <= least * (1 + 1e-9) + 2e-6  # HiGHS's own tolerance, at scale 1


@QUICK
@given(problems(most_backward=2), SHARES)
def test_that_no_bound_is_above_the_exact_optimum(problem: Problem, share: int) -> None:
    assert_never_above(problem, share)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@LONG
@given(problems(most_forward=5, most_backward=2), SHARES)
def test_that_no_bound_is_above_the_exact_optimum_on_many(problem: Problem, share: int) -> None:
    assert_never_above(problem, share)


@pytest.mark.slow
@SHORTER
@given(problems(most_forward=3, most_backward=2), SHARES, st.sampled_from([1.001, 1.4, 3.0]))
def test_that_fixing_by_a_known_schedule_loses_nothing_cheaper(
    problem: Problem, share: int, worse: float
) -> None:
    least = least_energy(problem)
    assume(least is not None)
    assert least is not None
    baseline_j = problem.costed.baseline_energy_j
    assume(least > baseline_j * (1 + 1e-6))
    staged, moments = stage(problem), every_moment(stage(problem), share=3)
    best_j = baseline_j + worse * (least - baseline_j)

    coarse = bounds_j(staged, moments, best_j=best_j)
    moments.ops |= every_moment(staged, share=share).ops  # what was fixed stays out
    fine = bounds_j(staged, moments, best_j=best_j)

    assert max(*coarse, *fine) <= least * (1 + 1e-9) + 2e-6


def test_that_a_budget_below_the_floor_is_impossible() -> None:
    problem = remade_from_the_dead()
    staged = stage(problem_of(problem.costed, problem.costed.floor_bytes - 1))

    assert bounds_j(staged, every_moment(staged)) == [np.inf]
