"""Claim: every step of the heuristic hears a wish to stop, after a few stages at the latest."""

from collections.abc import Callable
from random import Random

import pytest

from solver.heuristic.improve import polish
from solver.heuristic.plan import keep_everything, page_everything
from solver.heuristic.price_search import first_plan
from solver.heuristic.repair import repair
from solver.heuristic.search import LocalSearch
from solver.heuristic.stage_plan import FRESH, StagePlanner, WorkCounter, prices
from solver.staged import stage
from tests.helpers.builders import chain, problem_of

DEPTH = 60
A_FEW = 8 * FRESH
"""Work after a wish: two stages of each of a few changes, or of one drop in two ways."""


class Wish:
    """A `stop` that turns True when it is asked for the given time, and notes the work then."""

    def __init__(self, counter: WorkCounter, asked: int) -> None:
        self._counter = counter
        self._left = asked
        self.work_then: int | None = None

    def __call__(self) -> bool:
        self._left -= 1
        if self._left > 0:
            return False
        if self.work_then is None:
            self.work_then = self._counter.planned
        return True


def tight_planner(runtime_s: float | None) -> StagePlanner:
    # The baseline takes 180 s (60 ops of 1 s, 60 of 2 s), paging most of 51 tensors out and in 1 s.
    staged = stage(problem_of(chain(DEPTH), 9000, runtime_s=runtime_s))
    return StagePlanner(staged, prices(staged))


def repairing(planner: StagePlanner, wish: Wish) -> None:
    repair(keep_everything(planner), batch=16, stop=wish)


def polishing(planner: StagePlanner, wish: Wish) -> None:
    polish(page_everything(planner), wish)


def searching(planner: StagePlanner, wish: Wish) -> None:
    plan = keep_everything(planner)
    assert repair(plan)
    for _ in LocalSearch(Random(0)).improve(plan, wish):
        pass


def planning(planner: StagePlanner, wish: Wish) -> None:
    first_plan(planner, keep_everything, wish)


@pytest.mark.parametrize("asked", [1, 2, 5, 20, 60])
@pytest.mark.parametrize("step", [repairing, polishing, searching, planning])
@pytest.mark.parametrize("runtime_s", [None, 180.7])
def test_that_little_is_planned_after_a_wish_to_stop(
    step: Callable[[StagePlanner, Wish], None], asked: int, runtime_s: float | None
) -> None:
    planner = tight_planner(runtime_s)
    wish = Wish(planner.counter, asked)

    step(planner, wish)

    assert wish.work_then is not None, "never asked that often"
    assert planner.counter.planned - wish.work_then <= A_FEW
