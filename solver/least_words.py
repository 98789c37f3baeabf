"""The least budgets that would work, in words: which to ask for, and how sure an answer is."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

from solver.explain import SECOND_DIGITS, exact_bytes, limit_text, without
from solver.outcome import Infeasible, LeastBudget, Limit, Outcome, Reason
from solver.problem import Problem
from solver.strategies.registry import PROVING


def limits_to_ask(problem: Problem, outcome: Outcome, strategy: str) -> tuple[Limit, ...]:
    """The limits whose least value helps and is not known; the one to blame comes first.

    None below a floor that is known to work, nor for a strategy that does not search.
    """
    if not isinstance(outcome, Infeasible) or outcome.reason.exact:
        return ()
    if strategy not in PROVING:
        return ()
    blamed = outcome.reason.limit
    if problem.budgets.runtime_s is None:
        return (blamed,)
    if problem.budgets.ram_bytes < problem.costed.floor_bytes:
        return (Limit.RAM,)  # more time alone does not help
    if not problem.budgets.allow_runtime(problem.costed.baseline_runtime_s):
        return (Limit.RUNTIME,)
    return (blamed, *(limit for limit in Limit if limit is not blamed))


def with_least(outcome: Infeasible, problem: Problem, found: Sequence[LeastBudget]) -> Infeasible:
    """The outcome with what was found of the least budgets that would work.

    The one of the limit to blame fills the reason, but below the floor, where the floor is what the
    op needs; all of them are told.
    """
    reason = outcome.reason
    for least in found:
        if least.limit is reason.limit:
            reason = _filled(reason, problem, least)
    told = [least_words(problem, least) for least in found]
    return replace(outcome, reason=reason, message="; ".join([outcome.message, *told]))


def _filled(reason: Reason, problem: Problem, least: LeastBudget) -> Reason:
    budgets = problem.budgets
    if least.limit is Limit.RAM and budgets.ram_bytes < problem.costed.floor_bytes:
        return replace(reason, exact=least.exact and least.upper == reason.needed)
    limit = budgets.ram_bytes if least.limit is Limit.RAM else budgets.runtime_s
    if least.hopeless or limit is None:
        return reason
    needed = least.lower if least.upper is None else least.upper
    missing = max(needed - limit, 0)
    return replace(reason, needed=needed, missing=missing, exact=least.exact)


def least_words(problem: Problem, least: LeastBudget) -> str:
    """What is known of a least budget, as the last part of a sentence.

    Rounded to the safe side: what is said to work does, and so does what is said not to.
    """
    what = "RAM" if least.limit is Limit.RAM else "runtime"
    within = _other_budget(problem, least.limit)
    if least.hopeless:
        return f"no {what} is enough{within}"
    low = least_text(least.limit, least.lower, up=False)
    if least.upper is None:
        return f"a {what} of less than {low} is proven not to work{within}"
    high = least_text(least.limit, least.upper, up=True)
    if least.exact:
        return f"the least {what} that works{within} is {high}"
    return f"the least {what} known to work{within} is {high}; less than {low} is proven not to"


def least_text(limit: Limit, value: float, *, up: bool) -> str:
    """Bytes to the byte, or seconds with five digits, rounded up or down: "7.6013 s"."""
    if limit is Limit.RAM:
        return exact_bytes(int(value))
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    shown = Context(prec=SECOND_DIGITS, rounding=rounding).create_decimal(repr(float(value)))
    return f"{shown.normalize():f} s"


def _other_budget(problem: Problem, limit: Limit) -> str:
    budgets, switches = problem.budgets, problem.switches
    within = without(switches)
    if limit is Limit.RUNTIME:
        return f"{within} within {exact_bytes(budgets.ram_bytes)}"
    limit_s = budgets.runtime_s
    return within if limit_s is None else f"{within} within {limit_text(limit_s)}"
