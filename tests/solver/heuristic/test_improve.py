"""Claim: polishing ends, in a plan that fits and costs no more than before."""

from math import isclose

from solver.heuristic.improve import polish
from solver.heuristic.plan import page_everything
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.staged import stage
from tests.helpers.builders import chain, problem_of


class Patience:
    """A `stop` that fails a polish which asks more often than any sensible one."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self) -> bool:
        self.left -= 1
        assert self.left > 0, "polishing does not end"
        return False


def test_that_polishing_ends_where_everything_fits() -> None:
    # Everything paged is polished down to nothing paged: a cost of 0, but for rounding, which may
    # leave it a little below.
    staged = stage(problem_of(chain(6), 10**6))
    for price in (0.0, 0.1, 1.0, 3.0):
        plan = page_everything(StagePlanner(staged, prices(staged, price)))

        polish(plan, Patience(1000))

        assert isclose(plan.cost, 0.0, abs_tol=1e-12)
        assert plan.paged == 0
        assert plan.fits
