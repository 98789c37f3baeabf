"""Local search over plans: descents from many starts, each by holding some tensors by force.

A round of a descent holds by force what is made again or paged in, repairs what then does not fit
with noisy scores, and polishes. Where no round helps any more, another start follows: another
greedy repair, or two earlier ends put together (decisions far apart hardly depend on each other).
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from solver.heuristic.improve import hold_back, polish, supplies_of
from solver.heuristic.plan import Plan, keep_everything
from solver.heuristic.repair import Noise, repair

if TYPE_CHECKING:
    from solver.heuristic.stage_plan import Prices

_BATCHES: Final = (1, 2, 4, 8)
_MOST: Final = (12, 24, 48)
_ENDS: Final = 5
"""Ends of descents that are remembered."""
_FEW: Final = 3
"""Below so many ends the next start is a greedy repair."""
_PATIENCE: Final = 50
"""Times all stages are looked up without a better plan before a descent is at its end."""
_STAGES_COPIED: Final = 8
"""Stages copied and looked through in a round while one is looked up: a round that plans nothing
counts as work too."""
_LESS: Final = 1e-9  # relative: smaller savings are rounding


class _End(NamedTuple):
    """Where a descent ended; masks, since the planner may have been replaced when it is used."""

    cost: float
    held: list[int]
    paged: int


class LocalSearch:
    """Searches and remembers where its descents ended; deterministic for the generator's state."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._ends: list[_End] = []
        self._price: Prices | None = None

    def improve(self, plan: Plan, stop: Callable[[], bool]) -> Iterator[Plan]:
        """Yield ever cheaper plans until `stop` says so.

        Each fits; only from a start that is late they may be late too. Ends by itself only where
        nothing is supplied anywhere, so that a plan cannot be cheaper.
        """
        if plan.planner.price is not self._price:  # costs at other prices do not compare
            self._price, self._ends = plan.planner.price, []
        best = plan
        start: Plan | None = plan
        while not stop():
            if start is not None:
                end = start
                if _is_better(start, best):
                    best = start
                    yield best
                for end in self._descend(start, stop):
                    if _is_better(end, best):
                        best = end
                        yield best
                if not _supplied(end):
                    return
                self._remember(end)
            if not stop():
                start = self._start(best, stop)

    def _descend(self, best: Plan, stop: Callable[[], bool]) -> Iterator[Plan]:
        """Ever cheaper plans, until many rounds have not helped."""
        rng, counter = self._rng, best.planner.counter
        patience = _PATIENCE * best.staged.stages
        last = counter.planned
        while not stop() and counter.planned - last < patience and _supplied(best):
            counter.planned += 1 + best.staged.stages // _STAGES_COPIED
            trial = best.copy()
            restored = rng.choice(_RESTORES)(trial, rng)
            noise = Noise(
                rng,
                rng.choice((0.0, 0.3, 1.0, 3.0)),
                frozenset(restored) if rng.random() < 0.5 else frozenset(),  # noqa: PLR2004 - a coin
                rng.choice(_MOST),
            )
            if not repair(trial, batch=rng.choice(_BATCHES), noise=noise, stop=stop):
                continue
            polish(trial, stop, since=best, rng=rng)
            if _is_better(trial, best):
                best = trial
                last = counter.planned
                yield best

    def _remember(self, plan: Plan) -> None:
        if all(abs(plan.cost - end.cost) > _LESS * plan.cost for end in self._ends):
            self._ends.append(_End(plan.cost, plan.held.copy(), plan.paged))
            self._ends.sort(key=lambda end: end.cost)
            del self._ends[_ENDS:]

    def _start(self, best: Plan, stop: Callable[[], bool]) -> Plan | None:
        """A plan to descend from, None when this try led to none."""
        rng, planner = self._rng, best.planner
        noise = None
        try:
            if len(self._ends) < _FEW or rng.random() < 0.25:  # noqa: PLR2004 - chances
                plan = keep_everything(planner)
                noise = Noise(rng, rng.choice((0.3, 1.0, 3.0)), most=rng.choice(_MOST))
            else:
                plan = Plan(planner, *self._crossed(best.staged.tensors))
        except ValueError:  # one holds what the other needs to make something again
            return None
        if not repair(plan, batch=rng.choice(_BATCHES), noise=noise, stop=stop):
            return None
        polish(plan, stop, rng=rng)
        return plan if _is_as_good(plan, best) else None

    def _crossed(self, tensors: int) -> tuple[list[int], int]:
        """Masks of one end within a window of stages or for half of the tensors, else another's."""
        rng = self._rng
        one, other = rng.sample(self._ends, 2)
        if rng.random() < 0.7:  # noqa: PLR2004 - a chance
            first, last = sorted(rng.randrange(len(one.held) + 1) for _ in range(2))
            held = one.held[:first] + other.held[first:last] + one.held[last:]
        else:
            ours = rng.getrandbits(tensors)
            held = [(a & ours) | (b & ~ours) for a, b in zip(one.held, other.held, strict=True)]
        return held, one.paged | other.paged


def _supplied(plan: Plan) -> bool:
    return any(stage.cost for stage in plan.stages)


def _is_as_good(plan: Plan, best: Plan) -> bool:
    """Whether it keeps the limits that `best` keeps."""
    return plan.fits_in_ram and (plan.fits_in_time or not best.fits_in_time)


def _is_better(plan: Plan, best: Plan) -> bool:
    return plan.cost < best.cost * (1 - _LESS) and _is_as_good(plan, best)


def _restore_some(plan: Plan, rng: Random) -> list[int]:
    """Hold some supplied tensors by force: the dearer ones more often, within a random window."""
    stages = plan.staged.stages
    window = range(stages)
    if rng.random() < 0.7:  # noqa: PLR2004 - mostly local: far supplies rarely depend on each other
        width = rng.choice((8, 16, 32, 64))
        middle = rng.randrange(stages)
        window = range(max(0, middle - width), min(stages, middle + width))
    supplies = _supplies(plan, window) or _supplies(plan, range(stages))
    if not supplies:
        return []
    weights = [cost + 1e-12 for cost, _, _ in supplies]
    # Mostly few: every tensor more makes a repair longer and less likely to pay.
    count = min(12, len(supplies), 1 + int(rng.expovariate(0.5)))
    return _hold_all(plan, [supply[1:] for supply in rng.choices(supplies, weights, k=count)])


def _restore_stage(plan: Plan, rng: Random) -> list[int]:
    """Hold everything that one stage makes again or pages in, the dearer stages more often.

    A chain of reruns costs the same as long as one of its ends is missing.
    """
    costs = [stage.cost for stage in plan.stages]
    stage = rng.choices(range(len(costs)), costs)[0]
    return _hold_all(plan, [(stage, tensor) for _, tensor in supplies_of(plan, stage)])


def _restore_stages(plan: Plan, rng: Random) -> list[int]:
    """The same for some neighbouring stages that make again or page in."""
    dear = [t for t, stage in enumerate(plan.stages) if stage.cost]
    chosen = rng.choices(range(len(dear)), [plan.stages[t].cost for t in dear])[0]
    width = rng.choice((2, 3, 5, 8))
    first = max(0, chosen - rng.randrange(width))
    stages = dear[first : first + width]
    return _hold_all(plan, [(t, i) for t in stages for _, i in supplies_of(plan, t)])


def _restore_tensors(plan: Plan, rng: Random) -> list[int]:
    """Hold a few tensors wherever they are made again or paged in."""
    where: dict[int, list[int]] = {}
    costs: dict[int, float] = {}
    for cost, stage, tensor in _supplies(plan, range(plan.staged.stages)):
        where.setdefault(tensor, []).append(stage)
        costs[tensor] = costs.get(tensor, 0.0) + cost
    if not where:
        return []
    weights = [cost + 1e-12 for cost in costs.values()]
    chosen = rng.choices(list(where), weights, k=rng.choice((1, 1, 2, 4)))
    return _hold_all(plan, [(t, i) for i in dict.fromkeys(chosen) for t in where[i]])


_RESTORES: Final = (_restore_some, _restore_stage, _restore_stages, _restore_tensors)


def _supplies(plan: Plan, window: range) -> list[tuple[float, int, int]]:
    """(cost, stage, tensor) of all that is supplied within the window of stages."""
    return [(cost, t, i) for t in window if plan.stages[t].cost for cost, i in supplies_of(plan, t)]


def _hold_all(plan: Plan, supplies: list[tuple[int, int]]) -> list[int]:
    """Hold these (stage, tensor) back by force; the tensors of those that were not held yet."""
    return [i for stage, i in supplies if hold_back(plan, stage, i, force=True)]
