"""Making a fitting plan cheaper: hold again what fits, stop writing what is not read."""

from collections.abc import Callable
from itertools import product
from random import Random

import numpy as np

from solver.heuristic.plan import IntArray, Plan
from solver.staged import bits

_ORDERS = (*((1.0, 0.0),) * 24, *product((0.0, 0.5, 1.0), (1.0, 4.0)))
"""(power of the size that a cost is divided by, width of the random factor) to vary with."""
_LESS = 1e-12  # relative: smaller savings are rounding


def polish(
    plan: Plan,
    stop: Callable[[], bool] = lambda: False,
    *,
    since: Plan | None = None,
    rng: Random | None = None,
) -> None:
    """Improve `plan` in place until no single change helps; it fits before and after.

    `since` : a polished plan that it was made from: only what changed since is looked at. `rng` :
    varies what comes first.
    """
    while not stop():
        before = plan.copy()
        _hold_again(plan, _changed(plan, since), stop, rng)
        _page_less(plan, stop)
        # Rounding may leave a cost of 0 a little below 0: its own size is what counts.
        if plan.cost >= before.cost - _LESS * abs(before.cost):
            return
        since = before


def _changed(plan: Plan, since: Plan | None) -> IntArray:
    """Number of changed stages before each stage, shape (stages + 1,)."""
    count = plan.staged.stages
    if since is None:
        return np.arange(count + 1)
    changed = plan.peaks != since.peaks
    changed |= [new is not old for new, old in zip(plan.stages, since.stages, strict=True)]
    return np.concatenate(([0], np.cumsum(changed)))


def _hold_again(
    plan: Plan, changed: IntArray, stop: Callable[[], bool], rng: Random | None
) -> None:
    """Hold supplied tensors back to where they last were, dearest supply first, while it fits."""
    supplies = [
        (cost, stage, tensor)
        for stage, planned in enumerate(plan.stages)
        if planned.cost
        for cost, tensor in supplies_of(plan, stage)
        if changed[stage + 1] > changed[max(plan.last_seen(tensor, stage), 0)]
    ]
    weight, noise = (1.0, 0.0) if rng is None else rng.choice(_ORDERS)
    size = plan.staged.size

    def worth(supply: tuple[float, int, int]) -> tuple[float, int, int]:
        cost, stage, tensor = supply
        factor = 1 + noise * rng.random() if rng and noise else 1.0
        return -cost / max(1, size[tensor]) ** weight * factor, stage, tensor

    for _, stage, tensor in sorted(map(worth, supplies)):
        if stop():
            return
        hold_back(plan, stage, tensor)


def supplies_of(plan: Plan, stage: int) -> list[tuple[float, int]]:
    """(cost, tensor) for what the stage makes again or pages in and would be worth holding."""
    planned = plan.stages[stage]
    price = plan.planner.price
    folded = plan.staged.folded
    found = [(price.page_in[i], i) for i in bits(planned.paged_in & ~folded)]
    for op in planned.runs[:-1]:
        for i in plan.staged.makes[op]:
            if (planned.used | plan.held[stage + 1]) & ~folded & (1 << i):
                found.append((price.run[op], i))  # noqa: PERF401 - three loops read better
    return found


def hold_back(plan: Plan, stage: int, tensor: int, *, force: bool = False) -> bool:
    """Hold the tensor from where it was last seen until `stage`, if that is cheaper and fits.

    With `force` it is kept even when it does not fit (for a repair to follow).
    """
    bit = 1 << tensor
    if plan.held[stage] & bit:
        return False
    room, size = plan.staged.room, plan.staged.size[tensor]
    first = plan.last_seen(tensor, stage) + 1
    if not force and int(plan.peaks[first:stage].max(initial=0)) + size > room:
        return False
    cost = plan.cost
    in_time = plan.fits_in_time
    undo = plan.move(tensor, first, stage, hold=True)
    if undo is None:
        return False
    if force:
        return True
    fits = int(plan.peaks[first - 1 : stage + 1].max()) <= room
    if fits and plan.cost < cost * (1 - _LESS) and (plan.fits_in_time or not in_time):
        return True
    plan.undo(tensor, first, stage, undo)
    return False


def _page_less(plan: Plan, stop: Callable[[], bool]) -> None:
    """Drop writes that nobody reads, and writes whose page-ins reruns can replace for less."""
    room = plan.staged.room
    readers = _readers(plan)
    for tensor in bits(plan.paged):
        if stop():
            return
        cost, in_time = plan.cost, plan.fits_in_time
        plan.page(tensor, write=False)
        undo = plan.replan(readers.get(tensor, []))
        if undo is None:
            plan.page(tensor, write=True)
            continue
        fits = all(plan.peaks[t] <= room for t, *_ in undo)
        if not fits or plan.cost > cost or (in_time and not plan.fits_in_time):
            plan.restore(undo)
            plan.page(tensor, write=True)
        else:
            readers = _readers(plan)


def _readers(plan: Plan) -> dict[int, list[int]]:
    """Per tensor that is paged in anywhere, the stages in which it is."""
    readers: dict[int, list[int]] = {}
    for t, planned in enumerate(plan.stages):
        for tensor in bits(planned.paged_in):
            readers.setdefault(tensor, []).append(t)
    return readers
