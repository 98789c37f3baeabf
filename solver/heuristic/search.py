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

    Each round restores 1 to 12 tensors near a random stage (or anywhere), repairs what then does
    not fit with noisy scores and polishes. Deterministic for the generator's state.
    """
    best = plan
    while not stop():
        trial = best.copy()
        restored = _restore(trial, rng)
        if restored is None:
            return
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


def _restore(plan: Plan, rng: Random) -> list[int] | None:
    """Hold some supplied tensors by force: the dearer ones more often, within a random window.

    None when nothing is supplied anywhere: the plan cannot be cheaper.
    """
    stages = plan.staged.stages
    if rng.random() < 0.7:  # noqa: PLR2004 - mostly local: far supplies rarely depend on each other
        width = rng.choice((8, 16, 32, 64))
        middle = rng.randrange(stages)
        window = range(max(0, middle - width), min(stages, middle + width))
    else:
        window = range(stages)
    supplies = [(cost, t, i) for t in window for cost, i in supplies_of(plan, t)]
    if not supplies:
        supplies = [(cost, t, i) for t in range(stages) for cost, i in supplies_of(plan, t)]
    if not supplies:
        return None
    restored: list[int] = []
    weights = [cost + 1e-12 for cost, _, _ in supplies]
    # Mostly few: every tensor more makes a repair longer and less likely to pay.
    count = min(12, len(supplies), 1 + int(rng.expovariate(0.5)))
    for _, stage, tensor in rng.choices(supplies, weights, k=count):
        if hold_back(plan, stage, tensor, force=True):
            restored.append(tensor)
    return restored
