"""First plans under both budgets: greedy repair, with a price on seconds when time binds."""

from collections.abc import Callable

from solver.heuristic.improve import polish
from solver.heuristic.plan import Plan
from solver.heuristic.repair import repair
from solver.heuristic.stage_plan import StagePlanner, prices, seconds
from solver.staged import bits

_SINGLE_DROPS_BELOW = 250  # stages: above, dropping one tensor per scan takes seconds
_DOUBLINGS = 24
_BISECTIONS = 6


def first_plan(
    planner: StagePlanner,
    start: Callable[[StagePlanner], Plan],
    stop: Callable[[], bool],
) -> Plan | None:
    """A fitting plan with low energy, or None when repair finds none.

    Without a binding runtime limit: greedy repair at the price of energy alone. With one: the
    lowest price of a second, found by doubling and bisection, at which the repaired plan is in time
    (POET's runtime row, relaxed into the objective); None at once when it is late even where
    seconds alone count.
    """
    plan = repaired(planner, start, stop)
    if plan is None or plan.fits_in_time:
        return plan
    fastest = repaired(planner.at_prices(seconds(planner.staged)), start, stop)
    if fastest is None or not fastest.fits_in_time:
        return None
    return _at_lowest_price(planner, start, stop)


def _at_lowest_price(
    planner: StagePlanner, start: Callable[[StagePlanner], Plan], stop: Callable[[], bool]
) -> Plan | None:
    costed = planner.staged.problem.costed
    price = costed.baseline_energy_j / max(costed.baseline_runtime_s, 1e-300)
    low, best = 0.0, None
    for _ in range(_DOUBLINGS):
        trial = _at_price(planner, start, stop, price)
        if trial is not None and trial.fits_in_time:
            best = trial
            break
        if stop():
            return None
        low, price = price, price * 4
    if best is None:
        return None
    for _ in range(_BISECTIONS):
        if stop():
            break
        middle = (low * price) ** 0.5 if low else price / 8
        trial = _at_price(planner, start, stop, middle)
        if trial is not None and trial.fits_in_time:
            price = middle
            if energy_j(trial) < energy_j(best):
                best = trial
        else:
            low = middle
    return best


def _at_price(
    planner: StagePlanner,
    start: Callable[[StagePlanner], Plan],
    stop: Callable[[], bool],
    joule_per_second: float,
) -> Plan | None:
    return repaired(planner.at_prices(prices(planner.staged, joule_per_second)), start, stop)


def repaired(
    planner: StagePlanner,
    start: Callable[[StagePlanner], Plan],
    stop: Callable[[], bool],
) -> Plan | None:
    """The best of a few greedy repairs of the starting plan, polished; None if none fits."""
    best: Plan | None = None
    batches = (8, 1) if planner.staged.stages < _SINGLE_DROPS_BELOW else (16,)
    for batch in batches:
        if stop():
            break
        plan = start(planner)
        if not repair(plan, batch=batch, stop=stop):
            continue
        polish(plan, stop)
        if best is None or (plan.fits_in_time, -plan.cost) > (best.fits_in_time, -best.cost):
            best = plan
    return best


def energy_j(plan: Plan) -> float:
    """Energy above the baseline, joules, whatever the prices of the search are."""
    staged = plan.staged
    return (
        sum(staged.run_j[op] for stage in plan.stages for op in stage.runs[:-1])
        + sum(staged.in_j[i] for stage in plan.stages for i in bits(stage.paged_in))
        + sum(staged.out_j[i] for i in bits(plan.paged))
    )
