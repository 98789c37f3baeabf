"""Proving with the event model: relax, add what the solution ignores, and again; then as a MIP."""

from typing import Final, Protocol

import numpy as np

from solver.costs import FloatArray
from solver.milp.backend import ROUNDING, CvxpyProblem, Ending, Session
from solver.milp.escapes import Seen
from solver.milp.event_model import EventModel
from solver.milp.lineage import Lineage
from solver.milp.need_rows import NeedRows
from solver.milp.refinement import Refinement
from solver.problem import Problem
from solver.staged import StagedProblem
from solver.strategies.limits import Limits
from solver.strategies.progress import SolveProgress

STALE_ROUNDS: Final = 6
"""Relaxations without a higher bound after which the MIP is solved, whatever could be added."""
HIGHER: Final = 1e-4
"""Of the bound's overhead: what counts as higher."""
COARSE_GAP: Final = 0.1
"""Of about 1000 that the best overhead is scaled to: while rows are added, no more is worth it."""


class Solve(Protocol):
    """What is read and told of the solve."""

    problem: Problem
    limits: Limits
    progress: SolveProgress
    staged: StagedProblem

    def stop(self) -> bool:
        """True when the gap is closed or a limit is reached."""
        ...


class Tools(Protocol):
    """What the other models of the proof share."""

    def scale(self) -> float:
        """What one joule is worth in an objective."""
        ...

    def absolute_gap(self, scale: float) -> float:
        """The gap, in the objective, at which the solve may stop."""
        ...

    def session(self, problem: CvxpyProblem, until: float) -> Session:
        """A solver session that stops with the solve, or at that amount of work."""
        ...

    def try_masks(self, held: list[int], paged: int) -> dict[int, int]:
        """Take the plan with these masks, repaired."""
        ...


class EventProof:
    """Grows one refinement over several turns.

    `finished` : nothing is left to add. `nothing_better` : no schedule is cheaper than the best
    known one, or none exists at all where none is known.
    """

    def __init__(self, solve: Solve, tools: Tools) -> None:
        self._solve, self._tools = solve, tools
        self._refinement = Refinement.none(solve.staged)
        self._seen: Seen | None = None
        self._whole, self._fine = False, False
        self._stale, self._best_relaxed = 0, 0.0
        self.finished = False
        self.nothing_better = False

    def turn(self, until: float) -> None:
        """Go on until the solve stops, nothing is left or the work reaches `until`."""
        solve = self._solve
        if self.finished or self.nothing_better:
            return
        solve.progress.enter("event model")
        lineage = Lineage(solve.staged)
        while not (self.finished or self.nothing_better or solve.stop()):
            if solve.limits.work >= until or not self._round(lineage, until):
                return

    def _round(self, lineage: Lineage, until: float) -> bool:
        """One model written, solved and looked at; False when it was interrupted."""
        scale = self._tools.scale()
        refinement = self._refinement
        model = EventModel(lineage, refinement, scale, self._solve.stop)
        if model.impossible is not None:
            self._no_better()
            return True
        if not model.cost:
            self.finished = True
            return True
        rows = NeedRows(model, refinement, self._seen)
        session = self._tools.session(model.problem(), until)
        x = self._solved(model, session) if self._whole else self._relaxed(model, session)
        if x is None or self.nothing_better:
            return self.nothing_better
        self._seen = Seen(model, x)
        added = refinement.grow(model, rows, x, whole=self._whole)
        if added == 0 and self._whole:
            self.finished = self._fine
            self._fine = True
        elif added == 0 or self._stale >= STALE_ROUNDS:
            self._whole = True
        return True

    def _relaxed(self, model: EventModel, session: Session) -> FloatArray | None:
        relaxed = session.relax()
        if relaxed.ending is Ending.INFEASIBLE:
            self._no_better()
        if relaxed.objective is None or relaxed.reduced_costs is None:
            return None
        self._prove(relaxed.objective - 1e-7 * abs(relaxed.objective), model.scale)
        overhead = self._solve.progress.energy_j - self._solve.problem.costed.baseline_energy_j
        if np.isfinite(overhead):
            best = overhead * model.scale
            self._refinement.fix(model, relaxed.objective, relaxed.reduced_costs, best)
        overhead_bound = relaxed.objective / model.scale
        higher = overhead_bound > self._best_relaxed * (1 + HIGHER)
        self._stale = 0 if higher else self._stale + 1
        self._best_relaxed = max(self._best_relaxed, overhead_bound)
        return relaxed.x

    def _solved(self, model: EventModel, session: Session) -> FloatArray | None:
        allowed = self._tools.absolute_gap(model.scale) / 2
        result = session.solve(
            absolute_gap=min(allowed, COARSE_GAP) if self._fine else COARSE_GAP,
            start=None,
            on_solution=lambda _: None,
            on_bound=lambda bound: self._prove(bound, model.scale),
        )
        if result.ending is Ending.INFEASIBLE:
            self._no_better()
            return None
        self._prove(result.bound, model.scale)
        if result.x is not None and not self._solve.stop():
            self._tools.try_masks(*model.plan_masks(result.x))
        return result.x if result.ending is Ending.SOLVED else None

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
