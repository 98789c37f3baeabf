"""What would work instead: an impossible outcome with the least budgets that are known to."""

from dataclasses import replace
from time import perf_counter
from typing import Final

from solver.least import least_budget
from solver.least_search import Listener
from solver.least_words import limits_to_ask, with_least
from solver.outcome import Infeasible, LeastBudget, Outcome
from solver.problem import Problem, SolveOptions
from solver.strategies.base import Cancel

PATIENCE_S: Final = 10.0
"""A stop on the clock for all searches together; the time limit of the solve may leave less."""
PATIENCE_WORK: Final = 3.0
"""Work limit of each search, so that what is found does not depend on the clock."""


def explain_impossible(
    problem: Problem,
    outcome: Outcome,
    options: SolveOptions,
    report: Listener | None = None,
    cancel: Cancel | None = None,
) -> Outcome:
    """The outcome of a solve with `options`; when impossible, with the least budgets that work.

    Spends what the solve left of its time limit, at most PATIENCE_S, and PATIENCE_WORK for each
    limit. Any other outcome is returned as it is. The sentence brackets what stays open.
    """
    asked = limits_to_ask(problem, outcome, options.strategy)
    if not asked or not isinstance(outcome, Infeasible):
        return outcome
    until = perf_counter() + min(PATIENCE_S, options.time_limit_s - outcome.record.wall_s)
    work = PATIENCE_WORK if options.work_limit is None else min(PATIENCE_WORK, options.work_limit)
    found: list[LeastBudget] = []
    for limit in asked:
        left = replace(options, time_limit_s=max(0.0, until - perf_counter()), work_limit=work)
        found.append(least_budget(problem, limit, left, report, cancel, impossible=True))
    return with_least(outcome, problem, found)
