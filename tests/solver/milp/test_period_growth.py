"""Claim: moments are added where a solution's plan holds or pays more than the model says."""

import numpy as np
import pytest

from solver.costs import FloatArray
from solver.heuristic.plan import Plan
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.milp.lineage import Lineage
from solver.milp.period_columns import Moments
from solver.milp.period_growth import crowded, crowded_reruns, first_run_memory, grow, masks_of
from solver.milp.period_model import PeriodModel
from solver.problem import Problem
from solver.staged import StagedProblem, stage
from tests.helpers.builders import Line, device_of, graph_of, problem_of
from tests.helpers.crowded import crowded_inside
from tests.helpers.milp import solved
from tests.helpers.oracle import least_energy

DEVICE = device_of(joule_per_flop=1e-6)


def crowded_twice() -> Problem:
    """f (1000 B, 2 J) is read by `mid` and `last`; while `wide` and `broad` run it does not fit.

    They take 10 + 9000 + 100 B each, RAM has 10,050 B. Nothing can be paged.
    """
    lines = [
        Line("seed", "f", 10, 1e6, recomputable=False),
        Line("f", "f", 1000, 2e6, ("seed",)),
        Line("g", "f", 10, 1e6, ("f",)),
        Line("wide", "b", 9000, 1e6, ("g",), workspace=100),
        Line("mid", "b", 10, 1e6, ("wide", "f")),
        Line("broad", "b", 9000, 1e6, ("mid",), workspace=100),
        Line("last", "b", 10, 1e6, ("broad", "f")),
    ]
    return problem_of(graph_of(lines), 10_050, device=DEVICE, paging=False)


def wanted_twice() -> Problem:
    """h1 and h2 (1 J each) are made again for u1 and u2, both from f (4 J), which nobody reads.

    None of the three fits beside `wide`. Nothing can be paged.
    """
    lines = [
        Line("seed", "f", 10, 1e6, recomputable=False),
        Line("f", "f", 1000, 4e6, ("seed",)),
        Line("h1", "f", 1000, 1e6, ("f",)),
        Line("h2", "f", 1000, 1e6, ("f",)),
        Line("g", "f", 10, 1e6, ("seed",)),
        Line("wide", "b", 9000, 1e6, ("g",)),
        Line("thin", "b", 10, 1e6, ("wide",)),
        Line("u1", "b", 10, 1e6, ("thin", "h1")),
        Line("u2", "b", 10, 1e6, ("u1", "h2")),
    ]
    return problem_of(graph_of(lines), 9_500, device=DEVICE, paging=False)


def planned(staged: StagedProblem, moments: Moments) -> tuple[PeriodModel, FloatArray, Plan]:
    """The model at these moments, its optimum, and the plan that this is."""
    model = PeriodModel(Lineage(staged), moments, 1.0)
    x = solved(model.problem()).x
    assert x is not None
    held, paged = masks_of(model.columns, x)
    return model, x, Plan(StagePlanner(staged, prices(staged)), held, paged)


def grown(problem: Problem, moments: Moments) -> tuple[float, Plan]:
    """Overhead of the model and its plan when nothing more is added."""
    staged = stage(problem)
    model = PeriodModel(Lineage(staged), moments, 1.0)
    moments.ops |= crowded(model.columns, np.zeros(0))
    while True:
        model, x, plan = planned(staged, moments)
        if not grow(moments, model.columns, x, plan):
            return float(np.dot(model.columns.cost, x)), plan


def test_that_the_first_moment_is_where_what_surely_waits_exceeds_the_room_most() -> None:
    staged = stage(crowded_twice())
    none = PeriodModel(Lineage(staged), Moments(), 1.0)

    # f waits through both: beside `wide` seed is there, too, whose last reader has run: it is not.
    assert crowded(none.columns, np.zeros(0)) <= {3, 5}
    assert len(crowded(none.columns, np.zeros(0))) == 1


def test_that_a_moment_is_added_where_the_plan_holds_more_than_fits() -> None:
    moments = Moments(ops={3})  # `wide`
    staged = stage(crowded_twice())
    model, x, plan = planned(staged, moments)

    assert float(np.dot(model.columns.cost, x)) == pytest.approx(2.0)  # f again, for both readers
    assert first_run_memory(plan)[5] == 10 + 9000 + 100 + 1000 + 10  # seed, as nothing supplies it
    assert grow(moments, model.columns, x, plan) == 1
    assert moments.ops == {3, 5}


def test_that_a_moment_is_added_between_two_supplies_that_the_model_pays_once() -> None:
    moments = Moments(ops={5})  # `wide`
    staged = stage(wanted_twice())
    model, x, plan = planned(staged, moments)

    assert float(np.dot(model.columns.cost, x)) == pytest.approx(6.0)
    assert plan.cost == pytest.approx(10.0)  # f again in the stages of u1 and u2
    assert grow(moments, model.columns, x, plan) == 1
    assert moments.ops == {5, 7}  # at u1 the model says that f waits, or that it does not


@pytest.mark.parametrize(
    ("problem", "overhead_j"),
    [(crowded_twice(), 4.0), (wanted_twice(), 6.0), (crowded_inside(15_009), 5.0)],
)
def test_that_in_the_end_the_plan_costs_what_the_model_says(
    problem: Problem, overhead_j: float
) -> None:
    found, plan = grown(problem, Moments())

    assert found == pytest.approx(overhead_j)
    assert plan.cost == pytest.approx(overhead_j)
    assert plan.fits_in_ram
    assert least_energy(problem) == pytest.approx(problem.costed.baseline_energy_j + overhead_j)


def test_that_memory_inside_a_stage_is_looked_at_once_first_runs_are_settled() -> None:
    staged = stage(crowded_inside(15_009))
    moments = Moments(ops={4})  # `wide`
    model, x, plan = planned(staged, moments)

    assert crowded_reruns(plan) == {(6, 2)}
    grow(moments, model.columns, x, plan)
    assert moments.reruns == {2}
    assert not moments.within
    grow(moments, model.columns, x, plan)  # a plan that is crowded there still
    assert moments.within == {(6, 2)}
    assert moments.ops == {4, 5, 6}
