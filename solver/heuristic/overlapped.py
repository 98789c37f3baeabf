"""First plans under a runtime limit where transfers overlap: a price on each lane's seconds."""

from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import Final, NamedTuple

from solver.heuristic.plan import Plan
from solver.heuristic.price_search import energy_j, repaired
from solver.heuristic.stage_plan import Prices, StagePlanner
from solver.staged import StagedProblem, bits

_RAISES: Final = 16
_BISECTIONS: Final = 6
_STEP: Final = 4.0


class _Rates(NamedTuple):
    """Joules that a second of reruns and a second of transfers are worth."""

    run: float
    move: float


def first_overlapped(
    planner: StagePlanner,
    start: Callable[[StagePlanner], Plan],
    keeps: Callable[[Plan], bool],
    stop: Callable[[], bool],
) -> Plan | None:
    """A fitting plan with low energy that `keeps` the limit, or None when none is found.

    At first seconds cost nothing. Then those of the lane that is over its limit (or of both) become
    dearer until the repaired plan keeps it; bisection looks for the lowest such prices.
    """
    plan = repaired(planner, start, stop)
    if plan is None or keeps(plan):
        return plan
    costed = planner.staged.problem.costed
    rate = costed.baseline_energy_j / max(costed.baseline_runtime_s, 1e-300) / _STEP
    low, high = _Rates(0.0, 0.0), _Rates(rate, rate)
    best = None
    for _ in range(_RAISES):
        if stop():
            return None
        trial = repaired(_priced(planner, high), start, stop)
        if trial is not None and keeps(trial):
            best = trial
            break
        low, high = high, _dearer(high, trial)
    return None if best is None else _cheaper(planner, start, keeps, stop, (low, high, best))


def _cheaper(
    planner: StagePlanner,
    start: Callable[[StagePlanner], Plan],
    keeps: Callable[[Plan], bool],
    stop: Callable[[], bool],
    found: tuple[_Rates, _Rates, Plan],
) -> Plan:
    """Bisection between rates that are too low and rates at which `found` keeps the limit."""
    low, high, best = found
    for _ in range(_BISECTIONS):
        if stop():
            break
        middle = _Rates(*(sqrt(a * b) if a else b / _STEP for a, b in zip(low, high, strict=True)))
        trial = repaired(_priced(planner, middle), start, stop)
        if trial is not None and keeps(trial):
            high = middle
            if energy_j(trial) < energy_j(best):
                best = trial
        else:
            low = middle
    return best


def _priced(planner: StagePlanner, rates: _Rates) -> StagePlanner:
    staged = planner.staged
    return planner.at_prices(
        Prices(
            _rated(staged.run_j, staged.run_s, rates.run),
            _rated(staged.in_j, staged.in_s, rates.move),
            _rated(staged.out_j, staged.out_s, rates.move),
        )
    )


def _rated(joules: tuple[float, ...], seconds: tuple[float, ...], rate: float) -> tuple[float, ...]:
    return tuple(j + rate * s for j, s in zip(joules, seconds, strict=True))


def _dearer(rates: _Rates, plan: Plan | None) -> _Rates:
    """Raise the price of the lane that is over its limit, of both where neither is alone."""
    if plan is None:
        return _Rates(rates.run * _STEP, rates.move * _STEP)
    staged = plan.staged
    runs_s = reruns_s(plan)
    late = _left_for_reruns(staged) < runs_s
    full = (staged.transfer_limit_s or 0.0) < plan.seconds - runs_s
    run = rates.run * (_STEP if late or not full else 1.0)
    move = rates.move * (_STEP if full or not late else 1.0)
    return _Rates(run, move)


def _left_for_reruns(staged: StagedProblem) -> float:
    limit_s = staged.problem.budgets.runtime_s
    return (limit_s or 0.0) - staged.problem.costed.baseline_runtime_s


def reruns_s(plan: Plan) -> float:
    """Seconds of the plan's reruns alone."""
    run_s = plan.staged.run_s
    return sum(run_s[op] for stage in plan.stages for op in stage.runs[:-1])


def at_energy_prices(plan: Plan, planner: StagePlanner) -> Plan:
    """The same plan, told in the prices of `planner`."""
    price = planner.price
    stages = {
        t: replace(stage, cost=_cost(price, stage.runs, stage.paged_in))
        for t, stage in enumerate(plan.stages)
    }
    return Plan(planner, plan.held, plan.paged, stages)


def _cost(price: Prices, runs: tuple[int, ...], paged_in: int) -> float:
    return sum(price.run[op] for op in runs[:-1]) + sum(price.page_in[i] for i in bits(paged_in))
