"""Making a plan fit: drop the stretch that costs least per byte of excess it takes away."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np

from solver.costs import FloatArray
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


def repair(
    plan: Plan,
    *,
    batch: int = 1,
    noise: float = 0.0,
    rng: Random | None = None,
    keep: frozenset[int] = frozenset(),
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Change `plan` in place until every stage fits into RAM; False when no change helps any more.

    Up to `batch` changes are made per scan of candidates. With `noise` > 0 scores are multiplied by
    random factors of up to 1 + noise. Tensors of `keep` stay held. `stop` is asked once per scan.
    """
    room = plan.staged.room
    over = (plan.peaks - room).astype(np.float64)
    while not stop():
        worst = int(over.argmax())
        if over[worst] <= 0:
            return True
        changes = _candidates(plan, worst, np.maximum(over, 0.0), keep)
        if noise and rng is not None:
            changes = [
                _Change(c.score * (1 + noise * rng.random()), c.tensor, c.first, c.last, c.page)
                for c in changes
            ]
        changes.sort(key=lambda c: (c.score, c.tensor))
        done = 0
        for change in changes:
            if done >= batch or plan.peaks[worst] <= room:
                break
            if _apply(plan, change, over):
                done += 1
        if not done:
            return False
    return False


def _apply(plan: Plan, change: _Change, over: FloatArray) -> bool:
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
    over[:] = plan.peaks - plan.staged.room
    return True


def _candidates(
    plan: Plan,
    stage: int,
    over: FloatArray,
    keep: frozenset[int],
) -> list[_Change]:
    """All ways to lower the peak of `stage`, scored by cost per byte of excess removed."""
    staged, planned = plan.staged, plan.stages[stage]
    here, after = plan.held[stage], plan.held[stage + 1]
    own = staged.op_in[stage] | staged.op_out[stage]
    found: list[_Change] = []
    for tensor in bits(here & after & ~planned.used & ~own):
        if tensor not in keep:
            found += _drops(plan, tensor, stage, over)
    for tensor in bits(after & ~own & (planned.used | ~here)):
        if tensor not in keep:
            found += _drops(plan, tensor, stage + 1, over)
    for op in planned.runs[:-1]:
        for tensor in staged.makes[op]:
            if staged.may_page[tensor] and not (plan.paged | staged.stored) >> tensor & 1:
                found += _pagings(plan, tensor, stage, over)
    return found


def _drops(
    plan: Plan,
    tensor: int,
    border: int,
    over: FloatArray,
) -> list[_Change]:
    """Drop the stretch around `border`: supplied again as things are, or paged out for it."""
    first, last = plan.segment(tensor, border)
    bit = 1 << tensor
    staged, planner = plan.staged, plan.planner
    size = staged.size[tensor]
    benefit = float(np.minimum(over[first:last], size).sum())
    benefit += 0.5 * min(float(over[first - 1]), size) + 1e-9
    old = plan.stages[last]
    start = plan.held[last] & ~bit
    found = []
    ways = [plan.paged]
    if staged.may_page[tensor] and not (plan.paged | staged.stored) & bit:
        ways.append(plan.paged | bit)
    for paged in ways:
        new = planner.plan(last, start, plan.held[last + 1], paged)
        if new is None:
            continue
        cost = new.cost - old.cost
        if paged != plan.paged:
            cost += planner.price.page_out[tensor]
        harm = max(0, plan.peak_of(last, new, start) - staged.room)
        harm -= max(0, plan.peaks[last] - staged.room)
        gain = benefit - 0.5 * max(0.0, harm)
        score = cost / gain if gain > 0 else cost / benefit * 1e3
        found.append(_Change(max(score, 0.0), tensor, first, last, paged != plan.paged))
    return found


def _pagings(
    plan: Plan,
    tensor: int,
    stage: int,
    over: FloatArray,
) -> list[_Change]:
    """Paging a tensor that the stage makes again, when that lowers the stage's peak."""
    bit = 1 << tensor
    old = plan.stages[stage]
    start = plan.held[stage]
    new = plan.planner.plan(stage, start, plan.held[stage + 1], plan.paged | bit)
    if new is None:
        return []
    less = plan.peaks[stage] - plan.peak_of(stage, new, start)
    if less <= 0:
        return []
    gain = min(float(over[stage]), float(less))
    cost = max(0.0, new.cost - old.cost + plan.planner.price.page_out[tensor])
    return [_Change(cost / gain, tensor, stage, stage - 1, page=True)]
