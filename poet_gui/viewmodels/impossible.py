"""An impossible budget in words: what is to blame, what is missing, and buttons that help."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from poet_gui.viewmodels.solve_words import refusal
from solver.explain import (
    exact_bytes,
    limit_text,
    too_little_ram,
    too_little_time,
    working_set_words,
)
from solver.least_words import least_text, least_words, limits_to_ask
from solver.outcome import Infeasible, LeastBudget, Limit, Outcome, Reason, SolverRecord
from solver.problem import Budgets, Problem, SolveOptions, Switches
from solver.units import format_bytes_exactly, format_seconds

Found = Mapping[Limit, LeastBudget]
_AT_A_GLANCE = SolverRecord("joint", "none", "", 0.0)
_LEAST = {Limit.RAM: "Least memory", Limit.RUNTIME: "Least runtime"}


@dataclass(frozen=True, slots=True)
class Remedy:
    """A button: its text, what it promises, and the budgets and switches that it sets."""

    text: str
    tip: str
    budgets: Budgets
    switches: Switches


@dataclass(frozen=True, slots=True)
class ImpossibleWords:
    """What the banner says. `lines` : what is to blame, then what is known to help.

    `searching` : the least value is still being looked for.
    """

    title: str
    lines: tuple[str, ...]
    remedies: tuple[Remedy, ...]
    searching: bool

    @property
    def whole(self) -> str:
        """Everything, for a tooltip and for screen readers."""
        return "\n".join((self.title, *self.lines))


def impossible_now(problem: Problem, outcome: Outcome | None) -> Infeasible | None:
    """The outcome if it is an impossible one, or what needs no solve to be known impossible."""
    if outcome is not None:
        return outcome if isinstance(outcome, Infeasible) else None
    return too_little_ram(problem, _AT_A_GLANCE) or too_little_time(problem, _AT_A_GLANCE)


def impossible_words(
    problem: Problem,
    outcome: Infeasible,
    options: SolveOptions,
    found: Found,
    searching: Limit | None = None,
) -> ImpossibleWords:
    """The banner for `outcome`; `found` holds the brackets known so far, by limit."""
    reason = outcome.reason
    asked = limits_to_ask(problem, outcome, options.strategy)
    lines = [_blame(problem, reason)]
    for limit in asked:
        line = _progress(problem, limit, found.get(limit), searching)
        if line:
            lines.append(line)
    return ImpossibleWords(
        refusal(outcome, problem),
        tuple(lines),
        tuple(_remedies(problem, reason, asked, found)),
        searching is not None,
    )


def _blame(problem: Problem, reason: Reason) -> str:
    costed, budgets = problem.costed, problem.budgets
    ram, limit_s = budgets.ram_bytes, budgets.runtime_s
    if reason.limit is Limit.RUNTIME and limit_s is not None:
        if budgets.allow_runtime(costed.baseline_runtime_s):
            return f"No schedule within {exact_bytes(ram)} is as fast as {limit_text(limit_s)}."
        over = format_seconds(costed.baseline_runtime_s - limit_s)
        every = format_seconds(costed.baseline_runtime_s)
        return f"Every op once takes {every}, {over} more than the limit; no schedule is faster."
    if ram >= costed.floor_bytes:
        within = "" if limit_s is None else f" within {limit_text(limit_s)}"
        without = "" if problem.switches.paging else " without paging"
        return (
            f"No schedule{without} fits into {exact_bytes(ram)}{within}, although every op alone "
            f"does: the largest needs {exact_bytes(costed.floor_bytes)}."
        )
    missing = format_bytes_exactly(costed.floor_bytes - ram)
    if reason.op is None:
        return f"The fixed bytes alone take {exact_bytes(costed.floor_bytes)}: {missing} missing."
    return (
        f"{costed.graph.ops[reason.op].name} needs {exact_bytes(costed.floor_bytes)} at once: "
        f"{working_set_words(costed, reason.op)}. {missing} missing."
    )


def _progress(
    problem: Problem, limit: Limit, least: LeastBudget | None, searching: Limit | None
) -> str:
    """What is known of a least value; while it is searched for, its bracket."""
    if limit is not searching:
        return "" if least is None else _sentence(least_words(problem, least))
    if least is None:
        return f"{_LEAST[limit]}: looking for it …"
    low = least_text(limit, least.lower, up=False)
    if least.upper is None:
        return f"{_LEAST[limit]}: more than {low}, looking for what works …"
    high = least_text(limit, least.upper, up=True)
    return f"{_LEAST[limit]}: between {low} and {high}, narrowing …"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def _remedies(
    problem: Problem, reason: Reason, asked: tuple[Limit, ...], found: Found
) -> list[Remedy]:
    remedies = []
    budgets, switches = problem.budgets, problem.switches
    if reason.limit is Limit.RAM and reason.exact:
        needed = int(reason.needed)
        text = f"Set memory to {format_bytes_exactly(needed)}"
        enough = replace(budgets, ram_bytes=needed)
        remedies.append(Remedy(text, "the least memory that works", enough, switches))
    for limit in asked:
        least = found.get(limit)
        if least is not None and least.upper is not None:
            remedies.append(_set(limit, least.upper, problem, exact=least.exact))
    if _paging_helps(problem):
        tip = "with paging these budgets are enough"
        remedies.append(Remedy("Allow paging", tip, budgets, replace(switches, paging=True)))
    return remedies


def _set(limit: Limit, value: float, problem: Problem, *, exact: bool) -> Remedy:
    budgets = problem.budgets
    known = "that works" if exact else "known to work"
    if limit is Limit.RAM:
        ram = int(value)
        text = f"Set memory to {format_bytes_exactly(ram)}"
        enough = replace(budgets, ram_bytes=ram)
        return Remedy(text, f"the least memory {known}", enough, problem.switches)
    text = f"Set runtime to {least_text(limit, value, up=True)}"
    enough = Budgets(budgets.ram_bytes, value)
    return Remedy(text, f"the least runtime {known}", enough, problem.switches)


def _paging_helps(problem: Problem) -> bool:
    """Whether paging everything is sure to fit: it needs the floor, and time."""
    costed, budgets = problem.costed, problem.budgets
    return (
        not problem.switches.paging
        and budgets.runtime_s is None
        and budgets.ram_bytes >= costed.floor_bytes
        and all(tensor.pageable for tensor in costed.graph.tensors)
    )
