"""The proving half of a joint solve: the gap model, then stage models in growing detail."""

from dataclasses import replace
from functools import partial
from math import inf
from typing import Final, Protocol

import numpy as np

from solver.costs import FloatArray
from solver.heuristic.improve import polish
from solver.heuristic.plan import Plan
from solver.heuristic.repair import repair
from solver.heuristic.stage_plan import StagePlanner
from solver.milp.backend import HIGHS_VERSION, ROUNDING, CvxpyProblem, Ending, LpResult, Session
from solver.milp.chain_model import ChainModel
from solver.milp.cuts import separate
from solver.milp.extract import read_plan, write_start
from solver.milp.gap_model import GapModel
from solver.milp.narrow import narrow
from solver.milp.stage_columns import count_columns
from solver.milp.stage_model import StageModel
from solver.problem import Problem, SolveOptions
from solver.staged import StagedProblem
from solver.strategies.limits import MIP_CALLS_PER_UNIT, SIMPLEX_CALLS_PER_UNIT, Limits
from solver.strategies.period_proof import PeriodProof
from solver.strategies.progress import SolveProgress

SMALL_STAGES: Final = 30
"""Up to this many stages every stage is modelled in detail from the start: exact at once."""
MOST_COLUMNS: Final = 60_000
"""Larger stage models are not built: their relaxation alone takes longer than people wait."""
CUT_ROUNDS: Final = 30
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
CHAIN_ROUNDS: Final = 3
CHAIN_UNITS: Final = 30.0
"""Work after which one run of the chain model gives way to local search."""
COARSER: Final = 100
"""Where the best overhead fell by more than this factor, a model is solved again in its scale."""
TYPICAL_OVERHEAD: Final = 1e3
"""What the best known overhead is scaled to in the objective: coefficients of 1e-2 .. 1e3, far from
the solver's absolute tolerances (1e-7)."""


class Solve(Protocol):
    """What a proof needs of the solve that it belongs to."""

    problem: Problem
    options: SolveOptions
    limits: Limits
    progress: SolveProgress
    staged: StagedProblem
    planner: StagePlanner
    plan: Plan | None
    solver_name: str
    solver_version: str

    def stop(self) -> bool:
        """True when the gap is closed or a limit is reached."""
        ...

    def take(self, plan: Plan) -> bool:
        """Offer a plan; True when it is the best."""
        ...

    def restrict(self, staged: StagedProblem) -> None:
        """Go on with a problem that leaves out what no better schedule contains."""
        ...


class Proof:
    """Raises the bound step by step; `impossible` becomes True when no schedule can exist."""

    def __init__(self, solve: Solve) -> None:
        self._solve = solve
        self.impossible = False
        solve.solver_name, solve.solver_version = "HiGHS", HIGHS_VERSION
        staged = solve.staged
        self._begin = 0 if staged.stages <= SMALL_STAGES else staged.first_backward
        if self._begin >= staged.stages:
            self._begin = 0
        everything = frozenset(range(staged.stages))
        self._detailed = everything if staged.stages <= SMALL_STAGES else frozenset[int]()
        self._finished = False
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
            self._prove(relaxed.objective - 1e-7 * abs(relaxed.objective), model.scale)
        if not self.exact_at_once and relaxed.x is not None and not solve.stop():
            self.try_masks(*model.plan_masks(relaxed.x))
        if model.terms > MOST_GAP_TERMS or solve.stop():
            return
        result = session.solve(
            absolute_gap=self.absolute_gap(model.scale) / 2,
            start=None,
            on_solution=lambda _: None,
            on_bound=lambda bound: self._prove(bound, model.scale),
        )
        if result.ending is Ending.INFEASIBLE:
            self.impossible = True
            return
        self._prove(result.bound, model.scale)
        if result.x is not None and not solve.stop():
            self.try_masks(*model.plan_masks(result.x))

    def _leave_out_dear(self) -> None:
        """Leave alone what costs more at once than the best schedule in all.

        Prices 1e10 apart in one model end in bounds that are false by rounding.
        """
        solve, staged = self._solve, self._solve.staged
        most = solve.progress.energy_j - solve.problem.costed.baseline_energy_j
        if solve.plan is None or not np.isfinite(most):
            return
        most = most * (1 + 1e-6) + 1e-9 * solve.progress.energy_j
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
        return self._solve.staged.stages <= SMALL_STAGES

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
            self._periods.turn(self._solve.limits.work + units)
            self.impossible = self._periods.nothing_better and self._solve.progress.trace is None

    def advance(self) -> None:
        """One turn of proving: the period model, then the stage model or the chain model.

        A turn that gives way to local search makes the next one longer.
        """
        solve = self._solve
        large = count_columns(solve.staged, self._begin, self._detailed) > MOST_COLUMNS
        if not self.exact_at_once:
            turns = PERIOD_TURNS if large else LONG_PERIOD_TURNS
            self._periods.turn(solve.limits.work + turns * self._units)
            self.impossible = self._periods.nothing_better and solve.progress.trace is None
            if self.impossible or self._periods.nothing_better or solve.stop():
                return
        if large:
            if not self._chained:
                self._chain_model()
            self._chained = True
            return
        while not self._finished and not self.impossible and not solve.stop():
            until = solve.limits.work + self._units
            if not self._stage_model(until):
                break
        self._units *= 2

    def _chain_model(self) -> None:
        """Look for a better plan with the chain model, making room where its plans do not fit."""
        solve = self._solve
        solve.progress.enter("chain model")
        tighten: dict[int, int] = {}
        for _ in range(CHAIN_ROUNDS):
            if solve.plan is None or solve.stop():
                return
            model = ChainModel(solve.plan, self.scale(), tighten, solve.stop)
            session = self.session(model.problem(), solve.limits.work + CHAIN_UNITS)
            over: dict[int, int] = {}
            result = session.solve(
                absolute_gap=self.absolute_gap(model.scale) / 2,
                start=model.write_start(),
                on_solution=partial(self._try_chain, model, over),
                on_bound=lambda _: None,
            )
            if result.x is not None and not solve.stop():
                self._try_chain(model, over, result.x)
            if not over:
                return
            for t, excess in over.items():
                tighten[t] = tighten.get(t, 0) + excess

    def _try_chain(self, model: ChainModel, over: dict[int, int], x: FloatArray) -> None:
        over.clear()
        over.update(self.try_masks(*model.plan_masks(x)))

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
            scale=self.scale(),
            stop=solve.stop,
        )
        if model.impossible is not None:
            self.impossible = True
            return False
        session = self.session(model.problem(), until)
        if not self._cut(model, session) or solve.stop():
            return False
        broken: set[int] = set()
        result = session.solve(
            absolute_gap=self.absolute_gap(model.columns.scale) / 2,
            start=write_start(model, solve.plan) if solve.plan else None,
            on_solution=lambda x: self._try_solution(model, x, broken),
            on_bound=lambda bound: self._prove(bound, model.columns.scale),
        )
        if result.ending is Ending.INFEASIBLE:
            self.impossible = solve.plan is None
            self._finished = True
            return False
        self._prove(result.bound, model.columns.scale)
        if result.x is not None:
            broken.clear()
            self._try_solution(model, result.x, broken)
        if result.ending is not Ending.SOLVED:
            return False
        coarse = self.scale() > COARSER * model.columns.scale  # a far better schedule came up
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

    def _prove(self, bound: float, scale: float) -> None:
        if np.isfinite(bound):
            baseline = self._solve.problem.costed.baseline_energy_j
            self._solve.progress.prove(baseline + (bound - ROUNDING) / scale)

    def _cut(self, model: StageModel, session: Session) -> bool:
        """Rounds of cuts on the relaxation; False when it was stopped or has no solution."""
        for _ in range(CUT_ROUNDS):
            relaxed = session.relax()
            if relaxed.x is None or relaxed.objective is None:
                if relaxed.ending is Ending.INFEASIBLE:
                    self.impossible = self._solve.plan is None
                return False
            self._prove(relaxed.objective - 1e-7 * abs(relaxed.objective), model.columns.scale)
            if self._solve.stop():
                return False
            cuts = separate(model, relaxed.x)
            if not cuts:
                break
            session.add(cuts)
        return True

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
