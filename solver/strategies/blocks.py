"""The joint strategy in larger steps: named blocks of ops are scheduled as one op each."""

from dataclasses import dataclass, replace
from typing import Final

from solver.blocks import name_blocks
from solver.brackets import NOTHING_KNOWN, Known
from solver.events import Event, Incumbent, Report, StepChanged
from solver.grouping import Grouped, group
from solver.outcome import Outcome
from solver.problem import Problem, SolveOptions
from solver.strategies.base import Cancel
from solver.strategies.joint_solve import JointSolve, begin
from solver.strategies.limits import Limits

COARSE_SHARE: Final = 0.7
"""Of the time and the work: the search in blocks. The rest is for the bound of all ops."""


@dataclass(frozen=True, slots=True)
class BlocksStrategy:
    """Schedules blocks of ops, then bounds the problem of all ops.

    Its schedules are expanded and verified as schedules of all ops. Its bound is one of the whole
    problem, not of the grouped one: it says what the blocks may have cost. That nothing fits is
    claimed only where no schedule of all ops can fit either.
    """

    name: str
    summary: str
    paging: bool | None = None
    recompute: bool | None = None

    def solve(
        self,
        problem: Problem,
        options: SolveOptions,
        report: Report,
        cancel: Cancel,
        known: Known = NOTHING_KNOWN,
    ) -> Outcome:
        """The best schedule in blocks and a bound of all ops; known schedules take part."""
        whole = begin(self.name, problem, options, report, cancel)
        if not isinstance(whole, JointSolve):
            return whole
        whole.take_known(known)
        if not whole.stop():
            grouped = group(problem, name_blocks(problem.costed.graph))
            spent = _search(grouped, options, whole, report, cancel)
            whole.limits.spend(spent)
        return whole.bounded()


def _search(
    grouped: Grouped, options: SolveOptions, whole: JointSolve, report: Report, cancel: Cancel
) -> float:
    """Solve the grouped problem and offer every schedule of it to `whole`; the work it took."""

    def relay(event: Event) -> None:
        if isinstance(event, Incumbent):
            whole.offer_outside(grouped.expand(event.trace.schedule), f"blocks, {event.step}")
        elif isinstance(event, StepChanged):
            report(StepChanged(whole.limits.elapsed_s, f"blocks, {event.step}"))

    work = options.work_limit
    own = replace(
        options,
        time_limit_s=max(0.0, whole.limits.left_s) * COARSE_SHARE,
        work_limit=None if work is None else work * COARSE_SHARE,
    )
    limits = Limits(own, cancel)
    JointSolve("joint", grouped.coarse, own, relay, limits).run()
    return limits.work


BLOCKS = BlocksStrategy(
    "blocks",
    "Whole blocks of layers at a time, for thousands of ops; bounded against all ops.",
)
