"""Proving with the period model: few moments first, then those at which its solutions cheat."""

from typing import Final

import numpy as np

from solver.costs import FloatArray
from solver.heuristic.plan import Plan
from solver.milp.backend import ROUNDING, Ending, LpResult, Session
from solver.milp.lineage import Lineage
from solver.milp.period_columns import Moments
from solver.milp.period_cuts import separate_periods
from solver.milp.period_growth import crowded, grow, halve, masks_of
from solver.milp.period_model import PeriodModel
from solver.strategies.limits import MIP_CALLS_PER_UNIT
from solver.strategies.proof_parts import Solve, Tools

CUT_ROUNDS: Final = 15
TYPICAL_COLUMNS: Final = 5_000
"""Of a model that asks MIP_CALLS_PER_UNIT times per unit of work."""
OF_THE_REST: Final = 0.05
"""Of what is open between bound and best schedule: the gap at which a MIP ends while moments are
still added, since the next one starts anew."""


def _mip_calls(model: PeriodModel) -> float:
    """How often HiGHS asks per unit of work: more often the smaller the model is."""
    return MIP_CALLS_PER_UNIT * max(1.0, TYPICAL_COLUMNS / len(model.columns.cost))


class PeriodProof:
    """Grows one set of moments over several turns.

    `finished` : nothing is left to add. `nothing_better` : no schedule is cheaper than the best
    known one, or none exists at all where none is known.
    """

    def __init__(self, solve: Solve, tools: Tools) -> None:
        self._solve, self._tools = solve, tools
        self._moments = Moments()
        self._whole, self._fine = False, False
        self.finished = False
        self.nothing_better = False

    def turn(self, until: float) -> None:
        """Go on until the solve stops, nothing is left or the work reaches `until`."""
        solve = self._solve
        if self.finished or self.nothing_better:
            return
        solve.progress.enter("period model")
        lineage = Lineage(solve.staged)
        while not (self.finished or self.nothing_better or solve.stop()):
            if solve.limits.work >= until or not self._round(lineage, until):
                return

    def _round(self, lineage: Lineage, until: float) -> bool:
        """One model written, solved and looked at; False when it was interrupted."""
        model = PeriodModel(lineage, self._moments, self._tools.scale(), self._solve.stop)
        if model.impossible:
            self._no_better()
            return True
        x: FloatArray | None = np.zeros(0)
        if model.columns.cost:
            session = self._tools.session(model.problem(), until, _mip_calls(model))
            x = self._relaxed(model, session)
            if x is not None and self._whole:
                x = self._solved(model, session)
        if x is None or self.nothing_better:
            return self.nothing_better
        if not self._whole:
            new = crowded(model.columns, x)
            self._moments.ops |= new
            self._whole = not new
        elif self._grow(model, x) == 0:
            self.finished = self._fine or not model.columns.cost
            self._fine = True
        return True

    def _relaxed(self, model: PeriodModel, session: Session) -> FloatArray | None:
        """The relaxation with cuts; what no better schedule contains is fixed in the session."""
        relaxed = session.relax()
        for _ in range(CUT_ROUNDS):
            if not self._take_relaxation(model, relaxed) or relaxed.x is None:
                return None
            cuts = separate_periods(model.columns, relaxed.x)
            if not cuts:
                break
            session.add(cuts)
            relaxed = session.relax()
        if not self._take_relaxation(model, relaxed) or relaxed.reduced_costs is None:
            return None
        best = self._overhead_j * model.columns.scale
        if np.isfinite(best) and relaxed.objective is not None:
            session.fix(*model.fix(relaxed.objective, relaxed.reduced_costs, best))
        return relaxed.x

    def _take_relaxation(self, model: PeriodModel, relaxed: LpResult) -> bool:
        """Prove what it says; False when there is no more to do with it."""
        if relaxed.ending is Ending.INFEASIBLE:
            self._no_better()
        if relaxed.objective is None:
            return False
        self._prove(relaxed.objective - 1e-7 * abs(relaxed.objective), model.columns.scale)
        return not self._solve.stop()

    def _solved(self, model: PeriodModel, session: Session) -> FloatArray | None:
        scale = model.columns.scale
        allowed = self._tools.absolute_gap(scale) / 2
        progress = self._solve.progress
        rest = OF_THE_REST * (progress.energy_j - progress.bound_j) * scale
        coarse = not self._fine and np.isfinite(rest)
        result = session.solve(
            absolute_gap=max(allowed, rest) if coarse else allowed,
            start=None,
            on_solution=lambda _: None,
            on_bound=lambda bound: self._prove(bound, scale),
        )
        if result.ending is Ending.INFEASIBLE:
            self._no_better()
            return None
        self._prove(result.bound, scale)
        return result.x if result.ending is Ending.SOLVED else None

    def _grow(self, model: PeriodModel, x: FloatArray) -> int:
        """Take the solution's plan, and add the moments at which it cheats."""
        solve = self._solve
        held, paged = masks_of(model.columns, x)
        if solve.stop():
            return 0
        try:
            plan = Plan(solve.planner, list(held), paged)
        except ValueError:  # without paging, inputs may be there at another time of the period
            return halve(self._moments, model.columns, x)
        found = grow(self._moments, model.columns, x, plan)
        self._tools.try_masks(held, paged)
        return found

    @property
    def _overhead_j(self) -> float:
        return self._solve.progress.energy_j - self._solve.problem.costed.baseline_energy_j

    def _prove(self, bound: float, scale: float) -> None:
        """The model leaves out what no better schedule contains: it may end above the best one."""
        if np.isfinite(bound):
            progress = self._solve.progress
            baseline = self._solve.problem.costed.baseline_energy_j
            progress.prove(min(baseline + (bound - ROUNDING) / scale, progress.energy_j))

    def _no_better(self) -> None:
        self.nothing_better = True
        if self._solve.progress.trace is not None:
            self._solve.progress.prove(self._solve.progress.energy_j)
