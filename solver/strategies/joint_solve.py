"""One joint solve from start to end: which step follows which, and when to stop."""

from contextlib import suppress
from math import inf
from random import Random
from time import perf_counter
from typing import Final

from solver.brackets import NOTHING_KNOWN, STORED_STEP, Known
from solver.device import IoMode
from solver.events import Report, Started
from solver.explain import (
    finished,
    no_answer,
    proven_impossible,
    too_little_ram,
    too_little_time,
)
from solver.heuristic.from_schedule import plan_of
from solver.heuristic.plan import Plan, keep_everything
from solver.heuristic.price_search import repaired
from solver.heuristic.search import LocalSearch
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.issue_script import unhurried
from solver.outcome import Infeasible, Outcome, SolverRecord, StopReason
from solver.overlap import arranged
from solver.problem import Problem, SolveOptions
from solver.schedule import Schedule
from solver.staged import StagedProblem, stage
from solver.strategies.base import Cancel
from solver.strategies.first_plans import FirstPlans
from solver.strategies.issue_time import IssueTime
from solver.strategies.limits import PLANS_PER_UNIT, Limits
from solver.strategies.progress import SolveProgress

FIRST_UNITS: Final = 0.1
"""Work of the local search before the gap model, whose relaxation is the better plan mostly."""
QUICK_STAGES: Final = 30
"""Up to this many stages proving is quicker than searching before it."""
FIRST_GLANCE_UNITS: Final = 0.5
GLANCE_UNITS: Final = 3.0
"""Work of the period model before the gap model, and after it."""
SECOND_UNITS: Final = 0.5
"""Share of STALE_UNITS that the turn after the gap model takes."""
STALE_UNITS: Final = 1.0
"""Local search gives way to proving after this much work without a better plan; each later turn may
take 1.5 times as much, as the turns of proving become longer too."""
TYPICAL_STAGES: Final = 250
"""Where there are more, the same chances of a better plan take longer."""
LONGEST: Final = 6.0
"""Times that work after which local search gives way in any case."""


class JointSolve:
    """The state of one solve: the plan to improve, the progress, what is left to try."""

    def __init__(
        self,
        strategy: str,
        problem: Problem,
        options: SolveOptions,
        report: Report,
        limits: Limits,
    ) -> None:
        self.strategy = strategy
        self.problem = problem
        self.options = options
        self.limits = limits
        self.progress = SolveProgress(problem, options, report, limits)
        self.staged: StagedProblem = stage(problem)
        self.issue_time = IssueTime(self.staged, limits.spend)
        self.planner = StagePlanner(self.issue_time.searched(self.staged), prices(self.staged))
        self.plan: Plan | None = None
        self.solver_name, self.solver_version = "none", ""
        rng = Random(options.seed)
        self._local = LocalSearch(rng)
        self._first = FirstPlans(self, rng)
        self._counted = 0
        self._began = perf_counter()

    def run(self, known: Known = NOTHING_KNOWN) -> Outcome:
        """Go through the steps until the gap is closed, nothing is left or a limit stops it."""
        if known.bound_j == inf:
            return self._impossible()
        if known != NOTHING_KNOWN:
            self._start_from(known)
            if self.stop():
                return self._outcome()
        self._first.greedy()
        if not self.stop() and self.staged.stages > QUICK_STAGES:
            self._search(FIRST_UNITS, FIRST_UNITS)
        if self.stop():
            return self._outcome()
        if self._prove() and self.progress.trace is None:
            return self._impossible()
        return self._outcome()

    def take_known(self, known: Known) -> None:
        """Start from what earlier solves found; a bound of infinity is for `run` to answer."""
        if known != NOTHING_KNOWN:
            self._start_from(known)

    def offer_outside(self, schedule: Schedule, step: str) -> bool:
        """Take a schedule that another search found, if it is legal here and the best."""
        self.progress.step = step
        return self.progress.offer_stored(schedule)

    def ended(self, *, impossible: bool) -> Outcome:
        """How it ended, after another search has done the work."""
        if impossible and self.progress.trace is None:
            return self._impossible()
        return self._outcome()

    def bounded(self) -> Outcome:
        """Raise the bound for a while, and end; without a schedule, look for one first.

        Plans that the models suggest are taken where they are better.
        """
        if self.progress.trace is None and not self.stop():
            self._first.greedy()
        if not self.stop():
            from solver.milp.rows import BuildStopped  # noqa: PLC0415 - cvxpy takes a second
            from solver.strategies.joint_proof import Proof  # noqa: PLC0415

            proof = Proof(self)
            with suppress(BuildStopped):  # a limit was reached while a model was written
                proof.gap_model()
                if proof.exact_at_once and not proof.impossible and not self.stop():
                    proof.advance()
                elif not proof.impossible:
                    proof.glance(GLANCE_UNITS)
            return self.ended(impossible=proof.impossible)
        return self.ended(impossible=False)

    def _prove(self) -> bool:
        """Prove and search in turn until a limit stops it; True when no schedule can exist."""
        from solver.milp.rows import BuildStopped  # noqa: PLC0415 - cvxpy takes a second
        from solver.strategies.joint_proof import Proof  # noqa: PLC0415

        proof = Proof(self)
        try:
            proof.glance(FIRST_GLANCE_UNITS)
            if not proof.impossible and not self.stop():
                proof.gap_model()
            if proof.exact_at_once and not proof.impossible and not self.stop():
                proof.advance()
            patience = STALE_UNITS * max(1.0, self.staged.stages / TYPICAL_STAGES)
            if not proof.impossible and not self.stop():
                proof.narrow()
                self._search(SECOND_UNITS * patience, SECOND_UNITS * patience)
                proof.narrow()
                proof.glance(GLANCE_UNITS)
            while not proof.impossible and not self.stop():
                proof.narrow()
                self._search(patience, LONGEST * patience)
                patience *= 1.5
                if self.progress.certified:
                    break
                if not self.stop():
                    proof.narrow()
                    proof.advance()
        except BuildStopped:  # a limit was reached while a model was written
            return False
        return proof.impossible

    def _impossible(self) -> Outcome:
        """Which limit is to blame is asked of greedy repair, which looks at RAM alone."""
        limited = self.problem.budgets.runtime_s is not None
        fits = limited and repaired(self.planner, keep_everything, lambda: False) is not None
        return proven_impossible(
            self.problem, self.record(), self.progress.bound_j, fits_in_ram=fits
        )

    def stop(self) -> bool:
        """True when the gap is closed or a limit is reached; counts the work done so far."""
        planned = self.planner.counter.planned
        self.limits.spend((planned - self._counted) / PLANS_PER_UNIT)
        self._counted = planned
        return self.progress.closed or self.limits.reason is not None

    def take(self, plan: Plan) -> bool:
        """Offer a plan as a schedule; it becomes the one to improve when it is the best."""
        schedule = self.issue_time.order(plan)
        if schedule is None:
            return False
        better = self.progress.offer(schedule)
        if better or self.plan is None:
            self.plan = plan
        return better

    def restrict(self, staged: StagedProblem) -> None:
        """Go on with a problem that leaves out what no better schedule contains."""
        self.staged = staged
        searched = self.issue_time.searched(staged)
        own = self.planner
        self.planner = own.narrowed(searched)
        if self.plan is not None:
            plan = self.plan
            alike = plan.planner is own
            planner = self.planner if alike else plan.planner.narrowed(searched)
            self.plan = Plan(planner, plan.held, plan.paged, dict(enumerate(plan.stages)))

    def record(self) -> SolverRecord:
        """What the outcome says about the work."""
        history = tuple(self.progress.history)
        return SolverRecord(
            self.strategy,
            self.solver_name,
            self.solver_version,
            perf_counter() - self._began,
            history[0].t_s if history else None,
            history,
        )

    def _start_from(self, known: Known) -> None:
        """The best schedule and the bound of earlier solves; the search goes on from there."""
        self.progress.enter(STORED_STEP)
        for schedule in known.schedules:
            self.progress.offer_stored(schedule)
        self.progress.prove(known.bound_j)
        if self.progress.trace is not None:
            schedule = self.progress.trace.schedule
            if self.problem.switches.io is IoMode.OVERLAPPED:
                schedule = unhurried(schedule, self.problem)
            plan = plan_of(schedule, self.planner)
            if plan is not None:
                self.take(plan)

    def keeps(self, plan: Plan) -> bool:
        """Whether the plan keeps both limits, in the best issue order found."""
        if self.problem.budgets.runtime_s is None:
            return plan.fits  # any order will do: finding a good one takes long
        return self.issue_time.order(plan) is not None

    def _search(self, patience: float, longest: float) -> None:
        """One turn of local search, or of looking for a first plan.

        `patience`, `longest` : units of work without a better plan, and in any case, after which it
        ends.
        """
        self.progress.enter("local search")
        begin = self.planner.counter.planned
        last = begin

        def enough() -> bool:
            now = self.planner.counter.planned
            stale = (now - last) / PLANS_PER_UNIT >= patience
            long = (now - begin) / PLANS_PER_UNIT >= longest
            return stale or long or self.stop()

        if self.plan is None:
            self._first.by_chance(enough)
            return
        while not enough():
            for better in self._local.improve(self.plan, enough):
                if self.take(better):
                    last = self.planner.counter.planned
                elif not self.keeps(better):  # a search that goes on from here is lost
                    self._grant_less()
                    break
            else:
                return

    def _grant_less(self) -> None:
        if self.plan is not None:
            self.issue_time.refuse(self.plan)
        self.restrict(self.staged)

    def _outcome(self) -> Outcome:
        trace = self.progress.trace
        reason = self.limits.reason
        if trace is None:
            return no_answer(
                self.problem, reason or StopReason.PROOF, self.record(), self.progress.bound_j
            )
        if self.progress.proven:
            reason = StopReason.PROOF
        elif self.progress.closed or (reason is None and self.progress.certified):
            reason = StopReason.GAP
        if self.problem.switches.io is IoMode.OVERLAPPED:
            trace = arranged(trace.schedule, self.problem)  # some are offered before they are
        why = "" if reason else "the search had nothing more to try"  # no limit stopped it
        stop = reason or StopReason.WORK
        return finished(trace, self.progress.bound_j, stop, self.record(), why=why)


def begin(
    strategy: str, problem: Problem, options: SolveOptions, report: Report, cancel: Cancel
) -> JointSolve | Infeasible:
    """The solve to go on with; or that nothing can fit, where that is seen without a search."""
    report(Started(0.0, "checking"))
    record = SolverRecord(strategy, "none", "", 0.0)
    impossible = too_little_ram(problem, record) or too_little_time(problem, record)
    if impossible is not None:
        return impossible
    return JointSolve(strategy, problem, options, report, Limits(options, cancel))
