"""Proving with the stage model: POET's decisions per stage, in growing detail until it is exact."""

from typing import Final

from solver.costs import FloatArray
from solver.heuristic.improve import polish
from solver.heuristic.repair import repair
from solver.milp.backend import Ending, Session
from solver.milp.cuts import separate
from solver.milp.extract import read_plan, write_start
from solver.milp.stage_columns import count_columns
from solver.milp.stage_model import StageModel
from solver.strategies.proof_parts import Solve, Tools

SMALL_STAGES: Final = 30
"""Up to this many stages every stage is modelled in detail from the start: exact at once."""
MOST_COLUMNS: Final = 60_000
"""Larger stage models are not built: their relaxation alone takes longer than people wait."""
CUT_ROUNDS: Final = 30
COARSER: Final = 100
"""Where the best overhead fell by more than this factor, a model is solved again in its scale."""


class StageProof:
    """Models in growing detail, over several turns.

    `impossible` : no schedule can exist.
    """

    def __init__(self, solve: Solve, tools: Tools) -> None:
        self._solve, self._tools = solve, tools
        staged = solve.staged
        self._begin = 0 if self.exact_at_once else staged.first_backward
        if self._begin >= staged.stages:
            self._begin = 0
        everything = frozenset(range(staged.stages))
        self._detailed = everything if self.exact_at_once else frozenset[int]()
        self._finished = False
        self.impossible = False

    @property
    def exact_at_once(self) -> bool:
        """True when the problem is so small that the exact model is quicker than a search."""
        return self._solve.staged.stages <= SMALL_STAGES

    @property
    def too_large(self) -> bool:
        """True when the model would have too many columns."""
        return count_columns(self._solve.staged, self._begin, self._detailed) > MOST_COLUMNS

    def turn(self, units: float) -> None:
        """Go on until nothing is left, or one model takes that many units of work."""
        solve = self._solve
        while not self._finished and not self.impossible and not solve.stop():
            if not self._stage_model(solve.limits.work + units):
                return

    def _stage_model(self, until: float) -> bool:
        """Solve the stage model in the present detail; True when more detail is to follow at once.

        `until` : the amount of work at which it gives way to local search.
        """
        solve = self._solve
        solve.progress.enter("stage model")
        model = StageModel(
            solve.staged,
            begin=self._begin,
            detailed=self._detailed,
            scale=self._tools.scale(),
            stop=solve.stop,
        )
        if model.impossible is not None:
            self.impossible = True
            return False
        session = self._tools.session(model.problem(), until)
        if not self._cut(model, session) or solve.stop():
            return False
        broken: set[int] = set()
        result = session.solve(
            absolute_gap=self._tools.absolute_gap(model.columns.scale) / 2,
            start=write_start(model, solve.plan) if solve.plan else None,
            on_solution=lambda x: self._try_solution(model, x, broken),
            on_bound=lambda bound: self._tools.prove(bound, model.columns.scale),
        )
        if result.ending is Ending.INFEASIBLE:
            self.impossible = solve.plan is None
            self._finished = True
            return False
        self._tools.prove(result.bound, model.columns.scale)
        if result.x is not None:
            broken.clear()
            self._try_solution(model, result.x, broken)
        if result.ending is not Ending.SOLVED:
            return False
        coarse = (
            self._tools.scale() > COARSER * model.columns.scale
        )  # a far better schedule came up
        return coarse or self._refine(broken)

    def _refine(self, broken: set[int]) -> bool:
        """Model the stages in detail in which the last optimum does not fit; False when none."""
        if any(t < self._begin for t in broken):
            self._begin = 0
        more = self._detailed | {t for t in broken if t >= self._begin}
        if more == self._detailed and self._begin:
            self._begin = 0  # the forward pass is only relaxed so far
        elif more == self._detailed:
            self._finished = True
            return False
        self._detailed = more
        return True

    def _cut(self, model: StageModel, session: Session) -> bool:
        """Rounds of cuts on the relaxation; False when it was stopped or has no solution."""
        for _ in range(CUT_ROUNDS):
            relaxed = session.relax()
            if relaxed.x is None or relaxed.objective is None:
                if relaxed.ending is Ending.INFEASIBLE:
                    self.impossible = self._solve.plan is None
                return False
            self._tools.prove(
                relaxed.objective - 1e-7 * abs(relaxed.objective), model.columns.scale
            )
            if self._solve.stop():
                return False
            cuts = separate(model, relaxed.x)
            if not cuts:
                break
            session.add(cuts)
        return True

    def _try_solution(self, model: StageModel, x: FloatArray, broken: set[int]) -> None:
        """Take a solution of the stage model; note the stages in which it does not fit."""
        solve = self._solve
        plan = read_plan(model, x, solve.planner)
        if plan is None:
            return
        if plan.fits_in_ram:
            solve.take(plan)
            return
        broken.clear()
        broken.update(t for t, peak in enumerate(plan.peaks) if peak > solve.staged.room)
        if repair(plan, batch=8, stop=solve.stop):
            polish(plan, solve.stop)
            solve.take(plan)
