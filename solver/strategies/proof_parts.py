"""What the halves of a joint solve know of each other."""

from math import inf
from typing import Protocol

from solver.heuristic.plan import Plan
from solver.heuristic.stage_plan import StagePlanner
from solver.milp.backend import CvxpyProblem, Session
from solver.problem import Problem, SolveOptions
from solver.staged import StagedProblem
from solver.strategies.limits import MIP_CALLS_PER_UNIT, Limits
from solver.strategies.progress import SolveProgress


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


class Tools(Protocol):
    """What the models of a proof share."""

    def scale(self) -> float:
        """What one joule is worth in an objective."""
        ...

    def absolute_gap(self, scale: float) -> float:
        """The gap, in an objective of that scale, at which the solve may stop."""
        ...

    def session(
        self, problem: CvxpyProblem, until: float = inf, mip_calls: float = MIP_CALLS_PER_UNIT
    ) -> Session:
        """A solver session that stops with the solve, or at that amount of work.

        mip_calls : how often HiGHS asks per unit of work in the search of such a model.
        """
        ...

    def prove(self, bound: float, scale: float) -> None:
        """Take a bound on the overhead, in an objective of that scale."""
        ...

    def try_masks(self, held: list[int], paged: int) -> dict[int, int]:
        """Take the plan with these masks, repaired; returns what it lacked, bytes per stage."""
        ...
