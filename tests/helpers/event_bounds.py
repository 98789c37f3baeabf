"""The event model driven to its end, outside a strategy."""

import numpy as np

from solver.milp.backend import Ending
from solver.milp.escapes import Seen
from solver.milp.event_model import EventModel
from solver.milp.lineage import Lineage
from solver.milp.need_rows import NeedRows
from solver.milp.refinement import Refinement
from solver.staged import StagedProblem
from tests.helpers.milp import session_of

MANY_ROUNDS = 60


def ask_everything(lineage: Lineage) -> Refinement:
    """Every rerun at every use asks for all its inputs from the start."""
    refinement = Refinement.none(lineage.staged)
    model = EventModel(lineage, refinement, 1.0)
    for tensor, event in list(model.ending):
        if lineage.staged.may_rerun[lineage.staged.producer[tensor]]:
            refinement.activate(model, tensor, event)
    return refinement


def bounds_j(
    staged: StagedProblem, refinement: Refinement, *, scale: float, best_j: float = np.inf
) -> list[float]:
    """Bounds in joules of every round, in order; infinite where nothing cheaper than `best_j` is.

    best_j : the energy of a schedule, by which columns are fixed, if finite.
    """
    baseline_j = staged.problem.costed.baseline_energy_j
    lineage, seen, whole = Lineage(staged), None, False
    found: list[float] = []
    for _ in range(MANY_ROUNDS):
        model = EventModel(lineage, refinement, scale)
        if model.impossible is not None:
            return [*found, np.inf]
        if not model.cost:
            return [*found, baseline_j]
        rows = NeedRows(model, refinement, seen)
        session = session_of(model.problem())
        relaxed = session.relax()
        if relaxed.ending is Ending.INFEASIBLE:
            return [*found, np.inf]
        assert relaxed.objective is not None
        assert relaxed.x is not None
        assert relaxed.reduced_costs is not None
        found.append(baseline_j + relaxed.objective / scale)
        x = relaxed.x
        if np.isfinite(best_j):
            best = (best_j - baseline_j) * scale
            refinement.fix(model, relaxed.objective, relaxed.reduced_costs, best)
        if whole:
            result = session.solve(
                absolute_gap=1e-6, start=None, on_solution=lambda _: None, on_bound=lambda _: None
            )
            if result.ending is Ending.INFEASIBLE:
                return [*found, np.inf]
            found.append(baseline_j + result.bound / scale)
            assert result.x is not None
            x = result.x
        seen = Seen(model, x)
        added = refinement.grow(model, rows, x, whole=whole)
        if not added and whole:
            return found
        whole = whole or not added
    return found
