"""The period model solved by itself, outside a strategy."""

import numpy as np

from solver.milp.backend import Ending
from solver.milp.lineage import Lineage
from solver.milp.period_columns import Moments
from solver.milp.period_cuts import separate_periods
from solver.milp.period_model import PeriodModel
from solver.staged import StagedProblem
from tests.helpers.milp import session_of

MOST_CUT_ROUNDS = 20


def every_moment(staged: StagedProblem, *, share: int = 1) -> Moments:
    """Memory at every `share`-th op, during every rerun, and exactly inside every such stage."""
    moments = Moments(ops=set(range(0, staged.stages, share)))
    moments.reruns = {op for op, may in enumerate(staged.may_rerun) if may}
    for stage in range(1, staged.stages, share):
        for op in sorted(moments.reruns):
            if op < stage:
                moments.add_within(stage, op)
    return moments


def bounds_j(
    staged: StagedProblem, moments: Moments, *, scale: float = 1.0, best_j: float = np.inf
) -> list[float]:
    """Bounds in joules, in order: the relaxation, with cuts, the MIP; infinite: nothing is cheaper.

    best_j : the energy of a schedule, by which columns are fixed, if finite.
    """
    baseline_j = staged.problem.costed.baseline_energy_j
    model = PeriodModel(Lineage(staged), moments, scale)
    if model.impossible:
        return [np.inf]
    if not model.columns.cost:
        return [baseline_j]
    session = session_of(model.problem())
    found: list[float] = []
    relaxed = session.relax()
    for _ in range(MOST_CUT_ROUNDS):
        if relaxed.x is None or relaxed.objective is None:
            assert relaxed.ending is Ending.INFEASIBLE
            return [*found, np.inf]
        found.append(baseline_j + relaxed.objective / scale)
        cuts = separate_periods(model.columns, relaxed.x)
        if not cuts:
            break
        session.add(cuts)
        relaxed = session.relax()
    if np.isfinite(best_j) and relaxed.objective is not None:
        assert relaxed.reduced_costs is not None
        best = (best_j - baseline_j) * scale
        session.fix(*model.fix(relaxed.objective, relaxed.reduced_costs, best))
    result = session.solve(
        absolute_gap=1e-6, start=None, on_solution=lambda _: None, on_bound=lambda _: None
    )
    return [*found, baseline_j + result.bound / scale]
