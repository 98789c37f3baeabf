"""Recomputation and paging chosen together: greedy, gap model, local search, stage model."""

from dataclasses import dataclass

from solver.brackets import NOTHING_KNOWN, Known
from solver.events import Report, Started
from solver.explain import too_little_ram, too_little_time
from solver.outcome import Outcome, SolverRecord
from solver.problem import Problem, SolveOptions
from solver.strategies.base import Cancel
from solver.strategies.joint_solve import JointSolve
from solver.strategies.limits import Limits


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
        report(Started(0.0, "checking"))
        record = SolverRecord(self.name, "none", "", 0.0)
        impossible = too_little_ram(problem, record) or too_little_time(problem, record)
        if impossible is not None:
            return impossible
        limits = Limits(options, cancel)
        return JointSolve(self.name, problem, options, report, limits).run(known)


JOINT = JointStrategy(
    "joint", "Recompute and page, chosen together for the least energy (POET, ICML 2022)."
)
REMAT_ONLY = JointStrategy(
    "remat-only", "The same with paging switched off: recompute or keep.", paging=False
)
PAGING_ONLY = JointStrategy(
    "paging-only", "The same with recomputing switched off: page or keep.", recompute=False
)
