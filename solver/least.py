"""The least budget that works: RAM with the runtime limit as it is, or runtime with the RAM.

Both ask the same question: how fast can a schedule be within so many bytes? So both solve the
staged problem priced in seconds instead of joules, with the strategies that solve it in joules.
Least runtime is one such optimum. Least RAM is found by bisection: a schedule in time lowers the
upper end to its peak, a proof that there is none raises the lower end.
"""

from solver.least_ram import LeastRam
from solver.least_runtime import LeastRuntime
from solver.least_search import Listener
from solver.outcome import LeastBudget, Limit
from solver.problem import Problem, SolveOptions
from solver.strategies.base import Cancel
from solver.strategies.registry import adapt, get_strategy


def least_budget(
    problem: Problem,
    limit: Limit,
    options: SolveOptions,
    report: Listener | None = None,
    cancel: Cancel | None = None,
    *,
    impossible: bool = False,
) -> LeastBudget:
    """The least RAM or the least runtime that works, as far as the limits of `options` allow.

    The gap of `options` has no meaning here, and `options.strategy` must be one that searches.
    `report` gets every narrower bracket, `cancel` ends the search with the bracket so far.
    Deterministic for a work limit. `impossible` : it is proven that nothing fits the budgets of
    `problem`, so that what is asked for lies above them.

    Raises
    ------
    UsageError
        An unknown strategy, or options outside their range.
    """
    problem = adapt(problem, get_strategy(options.strategy))
    find = LeastRam if limit is Limit.RAM else LeastRuntime
    search = find(problem, options, report or _silent, cancel or Cancel())
    if impossible:
        search.rule_out()
    search.run()
    return search.known


def _silent(_: LeastBudget) -> None:
    """Nobody listens."""
