"""Making a plan fit: drop the stretch that costs least per byte of excess it takes away."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from random import Random
from typing import NamedTuple

import numpy as np

from solver.heuristic.decided_stage import StagePlan
from solver.heuristic.plan import Plan
from solver.staged import bits


@dataclass(frozen=True, slots=True)
class _Change:
    """A stretch that is no longer held (first <= last), or a tensor that is only paged."""

    score: float
    tensor: int
    first: int
    last: int
    page: bool


@dataclass(frozen=True, slots=True)
class Noise:
    """How a repair varies: random factors of up to 1 + `width` on scores, some tensors kept.

    Of more than `most` tensors that could be dropped at once, so many are drawn at random.
    """

    rng: Random
    width: float
    keep: frozenset[int] = frozenset()
    most: int = 10**9


def repair(
    plan: Plan,
    *,
    batch: int = 1,
    noise: Noise | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Change `plan` in place until every stage fits into RAM; False when no change helps any more.

    Up to `batch` changes are made per scan of candidates. `stop` is asked once per stage planned.
    """
    room = plan.staged.room
    while not stop():
        worst = int(plan.peaks.argmax())
        if plan.peaks[worst] <= room:
            return True
        done = 0
        for change in _Scan(plan, worst, noise).best(batch, stop):
            if done >= batch or plan.peaks[worst] <= room or stop():
                break
            if _apply(plan, change):
                done += 1
        if not done:
            return False
    return False


def _apply(plan: Plan, change: _Change) -> bool:
    """Make the change; False, and nothing changed, when it is void or leaves a stage unsupplied."""
    newly = change.page and not plan.paged >> change.tensor & 1
    if newly:
        plan.page(change.tensor, write=True)
    if change.first <= change.last:
        across = (1 << (change.last + 1)) - (1 << change.first)
        if across & ~plan.borders[change.tensor]:
            undo = None
        else:
            undo = plan.move(change.tensor, change.first, change.last, hold=False)
    else:
        undo = plan.replan([change.first])
    if undo is None:
        if newly:
            plan.page(change.tensor, write=False)
        return False
    return True


class _Guess(NamedTuple):
    """A change not worked out yet: a lower bound of its score, its bytes, its random factor."""

    least: float
    tensor: int
    first: int
    last: int
    benefit: float
    factor: float


class _Scan:
    """The ways to lower the peak of one stage, scored by cost per byte of excess removed."""

    def __init__(self, plan: Plan, stage: int, noise: Noise | None) -> None:
        self._plan = plan
        self._stage = stage
        self._noise = noise
        over = plan.peaks - plan.staged.room
        places = np.flatnonzero(over > 0)
        self._places: list[int] = places.tolist()
        self._excess = over[places]
        self._sums: dict[int, list[int]] = {}

    def best(self, batch: int, stop: Callable[[], bool]) -> list[_Change]:
        """Changes, best first: the first `batch` are right, of others some may be missing.

        Drops are worked out in the order of what they cost at least, until the rest cannot be among
        the best. All ways are left out that `stop` cuts off.
        """
        found: list[_Change] = []
        enough = 2 * batch
        for guess in sorted([*self._stretches(), *self._remade()]):
            if stop():
                break
            if len(found) >= enough:
                found.sort(key=_order)
                if found[enough - 1].score <= guess.least:
                    break
            found += self._drops(guess) if guess.first <= guess.last else self._pagings(guess)
        found.sort(key=_order)
        return found

    def _factor(self) -> float:
        noise = self._noise
        return 1 + noise.width * noise.rng.random() if noise and noise.width else 1.0

    def _stretches(self) -> list[_Guess]:
        """The stretches around the stage that could be dropped, hardly looked at."""
        plan, stage, staged = self._plan, self._stage, self._plan.staged
        planned = plan.stages[stage]
        here, after = plan.held[stage], plan.held[stage + 1]
        own = staged.op_in[stage] | staged.op_out[stage]
        passing = here & after & ~planned.used & ~own
        tensors = list(bits(passing | (after & ~own & (planned.used | ~here))))
        if self._noise:
            tensors = [i for i in tensors if i not in self._noise.keep]
            if len(tensors) > self._noise.most:
                tensors = self._noise.rng.sample(tensors, self._noise.most)
        found = []
        for tensor in tensors:
            first, last = plan.segment(tensor, stage if passing >> tensor & 1 else stage + 1)
            benefit = self._benefit(first, last, staged.size[tensor])
            factor = self._factor()
            least = self._least_cost(tensor, last) / benefit * factor
            found.append(_Guess(least, tensor, first, last, benefit, factor))
        return found

    def _least_cost(self, tensor: int, last: int) -> float:
        """What supplying the tensor at stage `last` costs at least: its own run or page-in."""
        plan, staged, price = self._plan, self._plan.staged, self._plan.planner.price
        planned, bit = plan.stages[last], 1 << tensor
        if not (planned.used | plan.held[last + 1]) & bit:
            return 0.0
        op = staged.producer[tensor]
        if op in planned.runs:
            return 0.0
        least = price.run[op] if staged.may_rerun[op] else inf
        if (plan.paged | staged.stored) & bit:
            return min(least, price.page_in[tensor])
        if staged.may_page[tensor]:
            return min(least, price.page_in[tensor] + price.page_out[tensor])
        return least

    def _remade(self) -> list[_Guess]:
        """The tensors that the stage makes again and that could be paged instead."""
        plan, staged, stage = self._plan, self._plan.staged, self._stage
        stored, price = plan.paged | staged.stored, plan.planner.price
        planned, excess = plan.stages[stage], self._excess_at(stage)
        found = []
        for op in planned.runs[:-1]:
            for tensor in staged.makes[op]:
                if staged.may_page[tensor] and not stored >> tensor & 1:
                    transfers = price.page_out[tensor] + price.page_in[tensor]
                    factor = self._factor()
                    least = max(0.0, transfers - planned.cost) / excess * factor
                    found.append(_Guess(least, tensor, stage, stage - 1, excess, factor))
        return found

    def _excess_at(self, stage: int) -> int:
        return max(0, int(self._plan.peaks[stage]) - self._plan.staged.room)

    def _benefit(self, first: int, last: int, size: int) -> float:
        """Bytes of excess that go when a tensor is not held through the stages between borders."""
        sums = self._sums.get(size)
        if sums is None:
            sums = self._sums[size] = [0, *np.minimum(self._excess, size).cumsum().tolist()]
        places = self._places
        inside = sums[bisect_left(places, last)] - sums[bisect_left(places, first)]
        return inside + 0.5 * min(self._excess_at(first - 1), size) + 1e-9

    def _drops(self, guess: _Guess) -> list[_Change]:
        """Drop the stretch: supplied again as things are, or paged out for it."""
        plan, staged = self._plan, self._plan.staged
        tensor, last = guess.tensor, guess.last
        bit = 1 << tensor
        old, start, end = plan.stages[last], plan.held[last] & ~bit, plan.held[last + 1]
        new = plan.planner.plan(last, start, end, plan.paged)
        found = []
        if new is not None:
            score = self._score(guess, new, start, new.cost - old.cost)
            found.append(_Change(score, tensor, guess.first, last, page=False))
        if staged.may_page[tensor] and not (plan.paged | staged.stored) & bit:
            price = plan.planner.price
            written = price.page_out[tensor]
            if new is not None and new.cost - old.cost <= written + price.page_in[tensor]:
                return found
            new = plan.planner.plan(last, start, end, plan.paged | bit)
            if new is not None:
                score = self._score(guess, new, start, new.cost - old.cost + written)
                found.append(_Change(score, tensor, guess.first, last, page=True))
        return found

    def _score(self, guess: _Guess, new: StagePlan, start: int, cost: float) -> float:
        """Cost per byte, the excess that supplying it makes in its own stage taken off."""
        room, last, benefit = self._plan.staged.room, guess.last, guess.benefit
        harm = max(0, self._plan.peak_of(last, new, start) - room) - self._excess_at(last)
        gain = benefit - 0.5 * max(0.0, harm)
        score = cost / gain if gain > 0 else cost / benefit * 1e3
        return max(score, 0.0) * guess.factor

    def _pagings(self, guess: _Guess) -> list[_Change]:
        """Paging a tensor that the stage makes again, when that lowers the stage's peak."""
        plan, stage, tensor = self._plan, self._stage, guess.tensor
        old, start = plan.stages[stage], plan.held[stage]
        new = plan.planner.plan(stage, start, plan.held[stage + 1], plan.paged | 1 << tensor)
        if new is None:
            return []
        less = int(plan.peaks[stage]) - plan.peak_of(stage, new, start)
        if less <= 0:
            return []
        cost = max(0.0, new.cost - old.cost + plan.planner.price.page_out[tensor])
        score = cost / min(guess.benefit, less) * guess.factor
        return [_Change(score, tensor, guess.first, guess.last, page=True)]


def _order(change: _Change) -> tuple[float, int]:
    return change.score, change.tensor
