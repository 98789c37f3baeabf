"""The proving half of a joint solve: period and gap model, then stage models in growing detail."""

from dataclasses import replace
from math import inf
from typing import Final

import numpy as np

from solver.heuristic.improve import polish
from solver.heuristic.plan import Plan
from solver.heuristic.repair import repair
from solver.milp.backend import HIGHS_VERSION, ROUNDING, CvxpyProblem, Ending, LpResult, Session
from solver.milp.gap_model import GapModel
from solver.milp.narrow import narrow
from solver.strategies.chain_search import ChainSearch
from solver.strategies.limits import MIP_CALLS_PER_UNIT, SIMPLEX_CALLS_PER_UNIT
from solver.strategies.period_proof import PeriodProof
from solver.strategies.proof_parts import Solve
from solver.strategies.stage_proof import StageProof

MOST_GAP_TERMS: Final = 600_000
"""Of larger gap models only the relaxation is solved first: searching pays more than their MIP."""
GAP_UNITS: Final = 2.0
"""Work that the gap model may take: what it leaves open the period model closes sooner."""
STAGE_UNITS: Final = 15.0
"""Work after which the first run of a stage model gives way to local search; doubled each time."""
PERIOD_TURNS: Final = 12
"""How much longer than the chain model the period model may go on: its MIPs start anew."""
LONG_PERIOD_TURNS: Final = 100
"""The same where the stage model follows: it proves less than more rounds of the period model."""
TYPICAL_OVERHEAD: Final = 1e3
"""What the best known overhead is scaled to in the objective: coefficients of 1e-2 .. 1e3, far from
the solver's absolute tolerances (1e-7)."""

FAR_DEARER: Final = 1e3
"""How many times the best overhead what is left out of the first model costs: the first overheads
are high, and leaving out what costs as much as one of them takes good starts from the search."""


class Proof:
    """Raises the bound step by step; `impossible` becomes True when no schedule can exist."""

    def __init__(self, solve: Solve) -> None:
        self._solve = solve
        self.impossible = False
        solve.solver_name, solve.solver_version = "HiGHS", HIGHS_VERSION
        self._stages = StageProof(solve, self)
        self._chained = False
        self._units = STAGE_UNITS
        self._gap_relaxation: tuple[GapModel, LpResult] | None = None
        self._periods = PeriodProof(solve, self)

    def gap_model(self) -> None:
        """Solve the gap model: a bound, and a plan to start from."""
        solve = self._solve
        solve.progress.enter("gap model")
        self._leave_out_dear()
        model = GapModel(solve.staged, self.scale(), solve.stop)
        if model.impossible is not None:
            self.impossible = True
            return
        if not model.columns:
            return
        session = self.session(model.problem(), solve.limits.work + GAP_UNITS)
        relaxed = session.relax()
        self._gap_relaxation = model, relaxed
        if relaxed.objective is not None:
            self.prove(relaxed.objective - 1e-7 * abs(relaxed.objective), model.scale)
        if not self.exact_at_once and relaxed.x is not None and not solve.stop():
            self.try_masks(*model.plan_masks(relaxed.x))
        if model.terms > MOST_GAP_TERMS or solve.stop():
            return
        result = session.solve(
            absolute_gap=self.absolute_gap(model.scale) / 2,
            start=None,
            on_solution=lambda _: None,
            on_bound=lambda bound: self.prove(bound, model.scale),
        )
        if result.ending is Ending.INFEASIBLE:
            self.impossible = True
            return
        self.prove(result.bound, model.scale)
        if result.x is not None and not solve.stop():
            self.try_masks(*model.plan_masks(result.x))

    def _leave_out_dear(self, beyond: float = 1.0) -> None:
        """Leave alone what costs more at once than the best schedule in all, `beyond` times.

        Prices 1e10 apart in one model end in bounds that are false by rounding.
        """
        solve, staged = self._solve, self._solve.staged
        most = solve.progress.energy_j - solve.problem.costed.baseline_energy_j
        if solve.plan is None or not np.isfinite(most):
            return
        most = beyond * most * (1 + 1e-6) + 1e-9 * solve.progress.energy_j
        may_page = tuple(
            may and price <= most for may, price in zip(staged.may_page, staged.in_j, strict=True)
        )
        may_rerun = tuple(
            may and price <= most for may, price in zip(staged.may_rerun, staged.run_j, strict=True)
        )
        if (may_page, may_rerun) != (staged.may_page, staged.may_rerun):
            solve.restrict(replace(staged, may_page=may_page, may_rerun=may_rerun))

    @property
    def exact_at_once(self) -> bool:
        """True when the problem is so small that the exact model is quicker than a search."""
        return self._stages.exact_at_once

    def narrow(self) -> None:
        """Leave alone what no better schedule than the best known one can contain."""
        solve = self._solve
        if self._gap_relaxation is None or solve.plan is None:
            return
        model, relaxed = self._gap_relaxation
        if relaxed.objective is not None and relaxed.reduced_costs is not None:
            overhead = solve.progress.energy_j - solve.problem.costed.baseline_energy_j
            best = overhead * model.scale
            solve.restrict(narrow(model, relaxed.objective, relaxed.reduced_costs, best))

    def glance(self, units: float) -> None:
        """A short turn of the period model: small problems are proven by it at once."""
        if not self.exact_at_once and not self._solve.stop():
            self._leave_out_dear(beyond=FAR_DEARER)
            self._periods.turn(self._solve.limits.work + units)
            self.impossible = self._periods.nothing_better and self._solve.progress.trace is None

    def advance(self) -> None:
        """One turn of proving: the period model, then the stage model or the chain model.

        A turn that gives way to local search makes the next one longer.
        """
        solve = self._solve
        large = self._stages.too_large
        if not self.exact_at_once:
            turns = PERIOD_TURNS if large else LONG_PERIOD_TURNS
            self._periods.turn(solve.limits.work + turns * self._units)
            self.impossible = self._periods.nothing_better and solve.progress.trace is None
            if self.impossible or self._periods.nothing_better or solve.stop():
                return
        if large:
            if not self._chained:
                ChainSearch(solve, self).run()
            self._chained = True
            return
        self._stages.turn(self._units)
        self.impossible = self._stages.impossible
        self._units *= 2

    def scale(self) -> float:
        """What one joule is worth in an objective."""
        solve = self._solve
        baseline = solve.problem.costed.baseline_energy_j
        overhead = solve.progress.energy_j - baseline
        if not np.isfinite(overhead) or overhead <= 1e-9 * baseline:
            dearest = max((*solve.staged.in_j, *solve.staged.run_j, 1e-300))
            return TYPICAL_OVERHEAD / dearest
        return TYPICAL_OVERHEAD / overhead

    def absolute_gap(self, scale: float) -> float:
        """The gap, in an objective of that scale, at which the solve may stop."""
        allowed = self._solve.progress.allowed_gap_j
        return max(allowed * scale, 1e-6) if np.isfinite(allowed) else 1e-6

    def session(
        self, problem: CvxpyProblem, until: float = inf, mip_calls: float = MIP_CALLS_PER_UNIT
    ) -> Session:
        """A solver session that stops with the solve, or at that amount of work.

        mip_calls : how often HiGHS asks per unit of work in the search of such a model.
        """
        solve = self._solve
        return Session(
            problem,
            threads=solve.options.threads,
            seed=solve.options.seed,
            stop=lambda: solve.stop() or solve.limits.work >= until,
            time_left_s=lambda: solve.limits.left_s,
            spend_simplex=lambda: solve.limits.spend(1 / SIMPLEX_CALLS_PER_UNIT),
            spend_mip=lambda: solve.limits.spend(1 / mip_calls),
        )

    def prove(self, bound: float, scale: float) -> None:
        """Take a bound on the overhead, in an objective of that scale."""
        if np.isfinite(bound):
            baseline = self._solve.problem.costed.baseline_energy_j
            self._solve.progress.prove(baseline + (bound - ROUNDING) / scale)

    def try_masks(self, held: list[int], paged: int) -> dict[int, int]:
        """Take the plan with these masks, repaired; returns what it lacked, bytes per stage."""
        solve = self._solve
        try:
            plan = Plan(solve.planner, held, paged)
        except ValueError:  # the relaxation may leave a rerun without its inputs
            return {}
        room = solve.staged.room
        over = {t: peak - room for t, peak in enumerate(plan.peaks) if peak > room}
        if repair(plan, batch=8, stop=solve.stop):
            polish(plan, solve.stop)
            solve.take(plan)
        return over
