"""Local search over plans: hold some supplied tensors by force, repair with noise, polish."""

from collections.abc import Callable, Iterator
from random import Random

from solver.heuristic.improve import hold_back, polish, supplies_of
from solver.heuristic.plan import Plan
from solver.heuristic.repair import Noise, repair

_BATCHES = (1, 2, 4, 8)
_MOST = (12, 24, 48)


def local_search(plan: Plan, rng: Random, stop: Callable[[], bool]) -> Iterator[Plan]:
    """Yield ever cheaper plans, each fitting, from a fitting start; ends when `stop` says so.

    Each round holds by force, half the time, everything that one stage makes again or pages in (a
    chain of reruns costs the same as long as one of its ends is missing), else 1 to 12 tensors near
    a random stage or anywhere; it repairs what then does not fit with noisy scores and polishes.
    Deterministic for the generator's state.
    """
    best = plan
    while not stop():
        trial = best.copy()
        if not any(stage.cost for stage in trial.stages):
            return  # nothing is supplied anywhere: the plan cannot be cheaper
        restored = rng.choice((_restore_some, _restore_stage))(trial, rng)
        noise = Noise(
            rng,
            rng.choice((0.0, 0.3, 1.0, 3.0)),
            frozenset(restored) if rng.random() < 0.5 else frozenset(),  # noqa: PLR2004 - a coin
            rng.choice(_MOST),
        )
        if not repair(trial, batch=rng.choice(_BATCHES), noise=noise, stop=stop):
            continue
        polish(trial, stop, since=best)
        if trial.cost < best.cost * (1 - 1e-9) and trial.fits:
            best = trial
            yield best


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
    """Hold everything that one stage makes again or pages in, the dearer stages more often."""
    costs = [stage.cost for stage in plan.stages]
    stage = rng.choices(range(len(costs)), costs)[0]
    return _hold_all(plan, [(stage, tensor) for _, tensor in supplies_of(plan, stage)])


def _supplies(plan: Plan, window: range) -> list[tuple[float, int, int]]:
    """(cost, stage, tensor) of all that is supplied within the window of stages."""
    return [(cost, t, i) for t in window if plan.stages[t].cost for cost, i in supplies_of(plan, t)]


def _hold_all(plan: Plan, supplies: list[tuple[int, int]]) -> list[int]:
    """Hold these (stage, tensor) back by force; the tensors of those that were not held yet."""
    return [i for stage, i in supplies if hold_back(plan, stage, i, force=True)]
