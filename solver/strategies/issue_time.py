"""Runtime limits where transfers overlap: only an issue order says how long a plan takes.

The search looks at the sum of reruns and transfers, as under blocking transfers, and grants it the
seconds of transfers that it counts on to run beside the processor. How many those are depends on
the plan; what is found not to keep the limit lowers them towards those of the best plan.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from solver.device import IoMode
from solver.heuristic.plan import Plan
from solver.overlap import in_time
from solver.schedule import Schedule
from solver.staged import StagedProblem

if TYPE_CHECKING:
    from solver.heuristic.decided_stage import StagePlan

_STEP: Final = 0.5
"""Share of the way towards the best plan's seconds by which a refused plan lowers the grant."""


class IssueTime:
    """Tells which plans keep the limit, and how many seconds the search may spend on each.

    grant_s : what reruns and transfers of a plan may take together; None where transfers do not
    overlap or no limit is set, so that the problem's own limit is right as it is.
    """

    def __init__(self, staged: StagedProblem, spend: Callable[[float], None]) -> None:
        """`spend` is told the work done, in units of about one second of one core."""
        self._spend = spend
        self._last: tuple[list[int], int, list[StagePlan], Schedule | None] | None = None
        self.grant_s: float | None = None
        if staged.limit_s is not None and staged.transfer_limit_s is not None:
            self.grant_s = staged.limit_s + staged.transfer_limit_s

    def searched(self, staged: StagedProblem) -> StagedProblem:
        """The problem as the search sees it: the grant in place of the limit."""
        return staged if self.grant_s is None else replace(staged, limit_s=self.grant_s)

    def order(self, plan: Plan) -> Schedule | None:
        """The plan as a schedule that keeps both limits; None when it does not or none is found."""
        if not plan.fits:
            return None
        problem = plan.staged.problem
        if problem.switches.io is not IoMode.OVERLAPPED:
            return plan.schedule()
        last = self._last  # asking again of one plan is common, and an order takes long to find
        if last is None or last[:3] != (plan.held, plan.paged, plan.stages):
            found = in_time(plan.schedule(), problem, self._spend)
            last = self._last = plan.held.copy(), plan.paged, plan.stages.copy(), found
        return last[3]

    def refuse(self, best: Plan) -> None:
        """A plan that seemed good did not keep the limit: grant less, never less than `best`."""
        if self.grant_s is not None:
            own_s = best.seconds * (1 + 1e-9)
            self.grant_s = max(own_s, own_s + _STEP * (self.grant_s - own_s))
