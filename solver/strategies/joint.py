"""Recomputation and paging chosen together: greedy, period and gap model, search, stage model."""

from dataclasses import dataclass
from math import inf
from typing import Final

from solver.brackets import NOTHING_KNOWN, Known
from solver.events import Bound, Event, Incumbent, Report
from solver.folding import fold, freed_early
from solver.grouping import Grouped
from solver.outcome import Infeasible, Outcome
from solver.problem import Problem, SolveOptions
from solver.strategies.base import Cancel
from solver.strategies.joint_solve import JointSolve, begin

WORTH_FOLDING: Final = 0.9
"""Of the ops: where hardly fewer are left, the search goes on in the schedules' own terms."""


@dataclass(frozen=True, slots=True)
class JointStrategy:
    """POET's choice of what to recompute and what to page, or one of its halves alone."""

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
        """Schedule `problem`, reporting every better schedule and bound on the way."""
        whole = begin(self.name, problem, options, report, cancel)
        if not isinstance(whole, JointSolve):
            return whole
        # Schedules that are known are of all ops: the search goes on from them as they are.
        if not known.schedules and known.bound_j < inf:
            folded = fold(problem)
            if len(folded.members) <= WORTH_FOLDING * len(problem.costed.graph.ops):
                return _solve_folded(whole, folded, known)
        return whole.run(known)


def _solve_folded(whole: JointSolve, folded: Grouped, known: Known) -> Outcome:
    """Solve the folded problem: its schedules expand, what is proven of it holds for all ops."""
    graph = folded.fine.costed.graph

    def relay(event: Event) -> None:
        match event:
            case Incumbent(trace=trace, step=step):
                whole.offer_outside(freed_early(folded.expand(trace.schedule), graph), step)
            case Bound(bound_j=bound_j, step=step):
                whole.progress.step = step
                whole.progress.prove(bound_j)
            case _:
                whole.progress.tell(event)

    inner = JointSolve(whole.strategy, folded.coarse, whole.options, relay, whole.limits)
    outcome = inner.run(known)
    whole.solver_name, whole.solver_version = inner.solver_name, inner.solver_version
    return whole.ended(impossible=isinstance(outcome, Infeasible))


JOINT = JointStrategy(
    "joint", "Recompute and page, chosen together for the least energy (POET, ICML 2022)."
)
REMAT_ONLY = JointStrategy(
    "remat-only", "The same with paging switched off: recompute or keep.", paging=False
)
PAGING_ONLY = JointStrategy(
    "paging-only", "The same with recomputing switched off: page or keep.", recompute=False
)
