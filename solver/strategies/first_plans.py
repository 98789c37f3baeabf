"""The first schedules of a joint solve: plain ones, greedy repair, and chance where that fails."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from random import Random
from typing import Final, Protocol

from solver.heuristic.improve import polish
from solver.heuristic.overlapped import at_energy_prices, first_overlapped
from solver.heuristic.plan import Plan, keep_everything, page_everything
from solver.heuristic.price_search import energy_j, first_plan
from solver.heuristic.repair import Noise, repair
from solver.heuristic.search import LocalSearch
from solver.heuristic.stage_plan import StagePlanner, seconds
from solver.outcome import StopReason
from solver.overlap import in_time
from solver.problem import Problem
from solver.schedule import Schedule
from solver.simulate import simulate
from solver.staged import StagedProblem
from solver.strategies.issue_time import IssueTime
from solver.strategies.limits import Limits
from solver.strategies.plain import keep_all, page_all
from solver.strategies.progress import SolveProgress

GRACE_S: Final = 1.0
"""What the search for a first plan may go over the time limit: with a binding runtime limit it may
take many repairs, and not end in a plan."""


class Searching(Protocol):
    """What is asked of the solve."""

    problem: Problem
    limits: Limits
    progress: SolveProgress
    staged: StagedProblem
    planner: StagePlanner
    plan: Plan | None
    issue_time: IssueTime

    def stop(self) -> bool:
        """True when the gap is closed or a limit is reached."""
        ...

    def take(self, plan: Plan) -> bool:
        """Offer a plan; True when it is the best."""
        ...

    def keeps(self, plan: Plan) -> bool:
        """Whether the plan keeps both limits, in the best issue order found."""
        ...


class FirstPlans:
    """Finds a plan to start from; each schedule on the way is offered to the solve."""

    def __init__(self, solve: Searching, rng: Random) -> None:
        self._solve, self._rng = solve, rng

    def greedy(self) -> None:
        """Plain schedules first, then repair of all held or all paged, then without paging."""
        solve = self._solve
        solve.progress.enter("plain")
        if solve.stop() or self._offer_plain(keep_all(solve.staged)):
            return
        if solve.problem.switches.paging:
            self._offer_plain(page_all(solve.staged))
        solve.progress.enter("greedy")
        plan = self._first_plan(keep_everything)
        if plan is not None:
            solve.take(plan)
        if solve.plan is None and solve.problem.switches.paging:
            plan = page_everything(solve.planner)
            if not solve.keeps(plan):  # without a runtime limit this is the floor's own schedule
                plan = self._first_plan(page_everything) or plan
            solve.take(plan)
            if solve.keeps(plan):
                better = plan.copy()
                polish(better, self._stopped)
                solve.take(better)
        self._without_paging()

    def _first_plan(self, start: Callable[[StagePlanner], Plan]) -> Plan | None:
        solve = self._solve
        if solve.issue_time.grant_s is None:
            return first_plan(solve.planner, start, self._stopped)
        plan = first_overlapped(solve.planner, start, solve.keeps, self._stopped)
        return None if plan is None else at_energy_prices(plan, solve.planner)

    def _without_paging(self) -> None:
        """Where paging is dear, start from what recomputation alone finds: it searches less."""
        solve = self._solve
        switches = solve.problem.switches
        if not (switches.paging and switches.recompute) or solve.stop():
            return
        alone = replace(solve.staged, may_page=(False,) * solve.staged.tensors, stored=0)
        planner = StagePlanner(alone, solve.planner.price, solve.planner.counter)
        plan = first_plan(planner, keep_everything, self._stopped)
        if plan is None or not plan.fits:
            return
        if solve.plan is None or energy_j(plan) <= energy_j(solve.plan):
            solve.progress.offer(plan.schedule())
            solve.plan = plan

    def _offer_plain(self, schedule: Schedule) -> bool:
        """Take a schedule that decides nothing if it fits: an answer before any search."""
        solve = self._solve
        if simulate(schedule, solve.problem).peak_bytes > solve.problem.budgets.ram_bytes:
            return False
        if solve.problem.budgets.runtime_s is None:
            return solve.progress.offer(schedule)  # at once: its issue order matters little
        order = in_time(schedule, solve.problem, solve.limits.spend)
        return order is not None and solve.progress.offer(order)

    def _stopped(self) -> bool:
        """`stop`; without a schedule, which should come in any case, only a wish or being late."""
        solve = self._solve
        if solve.progress.trace is not None:
            return solve.stop()
        return solve.limits.reason is StopReason.CANCELLED or solve.limits.left_s < -GRACE_S

    def by_chance(self, enough: Callable[[], bool]) -> None:
        """Noisy repairs from everything held until one fits; one that is late is made faster.

        Where transfers overlap the seconds of a plan do not tell whether it is late: there chance
        alone leads on.
        """
        solve = self._solve
        timed = solve.problem.budgets.runtime_s is not None and solve.issue_time.grant_s is None
        planner = solve.planner.at_prices(seconds(solve.staged)) if timed else solve.planner
        while not enough():
            plan = keep_everything(planner)
            noise = Noise(self._rng, self._rng.choice((1.0, 3.0, 10.0)))
            if not repair(plan, noise=noise, stop=enough):
                continue
            polish(plan, enough)
            faster = LocalSearch(self._rng).improve(plan, enough) if timed else ()
            for found in chain((plan,), faster):
                if found.fits:
                    solve.take(at_energy_prices(found, solve.planner))
                if solve.plan is not None:
                    return
