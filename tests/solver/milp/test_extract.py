"""Claim: a plan written as columns satisfies every row and cut, costs as much, is read back."""

from collections.abc import Iterator

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.costs import FloatArray
from solver.heuristic.improve import polish
from solver.heuristic.plan import Plan, keep_everything, page_everything
from solver.heuristic.price_search import energy_j
from solver.heuristic.repair import Noise, repair
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.milp.backend import CvxpyProblem, Ending, MipResult
from solver.milp.cuts import separate
from solver.milp.extract import read_plan, write_start
from solver.milp.rows import RowFamily
from solver.milp.stage_model import StageModel
from solver.problem import Problem  # noqa: TC001 - read by hypothesis
from solver.simulate import simulate
from solver.staged import StagedProblem, stage
from solver.verify import verify
from tests.helpers.builders import Line, chain, device_of, graph_of, problem_of
from tests.helpers.milp import session_of, solved
from tests.helpers.random_problems import problems

QUICK = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
PROBLEMS = problems(most_forward=6, most_backward=5)


@st.composite
def fitting_plans(draw: st.DrawFn) -> Plan:
    """A plan that fits: everything held or paged, greedily or randomly repaired, then polished."""
    problem: Problem = draw(PROBLEMS)
    staged = stage(problem)
    start = draw(st.sampled_from([page_everything, keep_everything]))
    plan = start(StagePlanner(staged, prices(staged)))
    rng, noise = draw(st.randoms(use_true_random=False)), draw(st.sampled_from([0.0, 3.0]))
    assume(repair(plan, noise=Noise(rng, noise)))
    assume(plan.fits)
    if draw(st.booleans()):
        polish(plan)
    return plan


def model_of(staged: StagedProblem, begin: int, detailed: frozenset[int]) -> StageModel:
    return StageModel(staged, begin=begin, detailed=detailed, scale=1.0)


def families(model: StageModel) -> Iterator[RowFamily]:
    yield from (model.supply, model.flow, model.order, model.memory)


def completed(problem: CvxpyProblem, start: FloatArray) -> MipResult:
    """The model with the columns that are known fixed; NaN ones are for the solver to find."""
    (x,) = problem.variables()
    known = np.flatnonzero(~np.isnan(start))
    fixed = [*problem.constraints, x[known] == start[known]]
    return solved(cp.Problem(problem.objective, fixed))


@QUICK
@given(fitting_plans(), st.sampled_from(["all", "backward"]))
def test_that_a_fitting_plan_satisfies_every_row(plan: Plan, stages: str) -> None:
    staged = plan.staged
    model = model_of(staged, 0 if stages == "all" else staged.first_backward, frozenset())

    start = write_start(model, plan)

    for family in families(model):
        if len(family):
            slack = family.matrix(len(model.columns)) @ start - family.lower_bounds()
            assert slack.min() >= -1e-9
    if stages == "all":
        assert np.array(model.columns.cost) @ start == pytest.approx(energy_j(plan), abs=1e-9)
    else:  # what the forward pass does is only bounded from below
        assert np.array(model.columns.cost) @ start <= energy_j(plan) + 1e-9


@QUICK
@given(fitting_plans(), st.data())
def test_that_a_fitting_plan_satisfies_the_rows_of_stages_in_detail(
    plan: Plan, data: st.DataObject
) -> None:
    staged = plan.staged
    begin = data.draw(st.sampled_from([0, staged.first_backward]))
    stages = st.sets(st.integers(begin, staged.stages - 1))
    model = model_of(staged, begin, frozenset(data.draw(stages)))
    start = write_start(model, plan)

    result = completed(model.problem(), start)

    assert result.ending is Ending.SOLVED
    assert result.objective is not None
    assert result.objective <= energy_j(plan) + 1e-6
    if begin == 0:
        assert result.objective == pytest.approx(energy_j(plan), abs=1e-6)


@QUICK
@given(fitting_plans())
def test_that_no_cut_cuts_a_fitting_plan_off(plan: Plan) -> None:
    model = model_of(plan.staged, 0, frozenset())
    start = write_start(model, plan)
    session = session_of(model.problem())
    for _ in range(4):
        relaxed = session.relax()
        if relaxed.x is None:
            break
        cuts = separate(model, relaxed.x)
        for cut in cuts:
            columns, values = list(cut.columns), np.array(cut.coefficients)
            assert (
                values @ relaxed.x[columns] < cut.lower - 0.01
            )  # it cuts off what it was made for
            assert values @ start[columns] >= cut.lower - 1e-9
        if not cuts:
            break
        session.add(cuts)


@QUICK
@given(fitting_plans(), st.sampled_from(["all", "backward"]))
def test_that_a_plan_is_read_back_from_its_columns(plan: Plan, stages: str) -> None:
    staged = plan.staged
    model = model_of(staged, 0 if stages == "all" else staged.first_backward, frozenset())

    back = read_plan(model, write_start(model, plan), plan.planner)

    assert back is not None
    assert back.cost <= plan.cost + 1e-9
    if stages == "all":
        assert back.cost == pytest.approx(plan.cost, abs=1e-9)
    schedule = back.schedule()
    peak = max(back.peaks) + staged.problem.costed.graph.fixed_bytes
    roomy = problem_of(
        staged.problem.costed,
        peak,
        paging=staged.problem.switches.paging,
        recompute=staged.problem.switches.recompute,
        io=staged.problem.switches.io,
    )
    assert verify(schedule, roomy).faults == ()
    assert simulate(schedule, roomy).peak_bytes == peak


def small_plan(*, paging: bool) -> Plan:
    """chain(3) where 3004 B force f1 out: it is made again (or, cheaper, paged in) for b1."""
    staged = stage(problem_of(chain(3), 3004, paging=paging))
    plan = keep_everything(StagePlanner(staged, prices(staged)))
    assert repair(plan)
    assert plan.cost == pytest.approx(0.02 if paging else 1.0)  # 2 x 1000 B x 1e-5 J; 1 MFLOP
    return plan


@pytest.mark.parametrize("error", [1e-7, 0.4])
@pytest.mark.parametrize("means", ["rerun", "page"])
def test_that_near_integers_are_rounded_to_the_nearest(error: float, means: str) -> None:
    plan = small_plan(paging=means == "page")
    model = model_of(plan.staged, 0, frozenset())
    exact = write_start(model, plan)

    back = read_plan(model, np.abs(exact - error), plan.planner)  # 1 - error, and error for 0

    assert back is not None
    assert back.cost == pytest.approx(plan.cost)
    assert back.held == plan.held
    assert back.paged == plan.paged


def test_that_a_page_in_of_what_was_never_written_is_no_plan() -> None:
    plan = small_plan(paging=True)
    model = model_of(plan.staged, 0, frozenset())
    start = write_start(model, plan)
    for column in model.columns.write.values():
        start[column] = 0.0

    assert read_plan(model, start, plan.planner) is None


def test_that_what_has_no_supply_was_held_even_where_that_does_not_fit() -> None:
    plan = small_plan(paging=False)
    model = model_of(plan.staged, 0, frozenset())
    start = write_start(model, plan)
    for column in model.columns.rerun.values():
        start[column] = 0.0

    back = read_plan(model, start, plan.planner)

    assert back is not None
    assert back.cost == 0.0
    assert not back.fits_in_ram


def test_that_the_cut_names_the_write_that_a_fraction_avoids() -> None:
    # f1 waits for b1 and is paged in; the relaxation writes a fraction of it.
    lines = [
        Line("f1", "f", 1000, 1e9, recomputable=False),
        Line("f2", "f", 1000, 1e6, ("f1",), recomputable=False),
        Line("f3", "f", 1000, 1e6, ("f2",)),
        Line("b2", "b", 1000, 1e6, ("f3",)),
        Line("b1", "b", 1000, 1e6, ("b2", "f1", "f2")),
    ]
    staged = stage(problem_of(graph_of(lines), 4000, device=device_of()))
    model = model_of(staged, 0, frozenset())
    x = np.zeros(len(model.columns))
    write = model.columns.write[0]
    x[write] = 0.4
    x[model.columns.hold[4, 0]] = 0.5

    cuts = separate(model, x)

    held = {model.columns.hold[t, 0] for t in range(1, 5)}
    mine = [cut for cut in cuts if write in cut.columns]
    assert mine
    for cut in mine:
        assert cut.lower == 1.0
        assert held & set(cut.columns)
