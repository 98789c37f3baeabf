"""The strategies that exist: ours, and those of the entry point `poet.strategies`."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Final, cast

from solver.errors import Issue, UsageError
from solver.problem import Problem
from solver.strategies.base import Strategy

BUILT_IN: Final[Mapping[str, str]] = MappingProxyType({
    "joint": "solver.strategies.joint:JOINT",
    "remat-only": "solver.strategies.joint:REMAT_ONLY",
    "paging-only": "solver.strategies.joint:PAGING_ONLY",
    "keep-all": "solver.strategies.plain:KEEP_ALL",
    "page-all": "solver.strategies.plain:PAGE_ALL",
})  # fmt: skip


def strategy_names() -> tuple[str, ...]:
    """Names of all strategies, ours first."""
    others = sorted(entry.name for entry in entry_points(group="poet.strategies"))
    return (*BUILT_IN, *(name for name in others if name not in BUILT_IN))


def get_strategy(name: str) -> Strategy:
    """The strategy of that name. Raises UsageError with the nearest name when there is none."""
    if name in BUILT_IN:
        module, _, attribute = BUILT_IN[name].partition(":")
        return cast("Strategy", getattr(import_module(module), attribute))
    for entry in entry_points(group="poet.strategies"):
        if entry.name == name:
            return _loaded(entry)
    near = get_close_matches(name, strategy_names(), n=1)
    hint = f"did you mean {near[0]}?" if near else "one of: " + ", ".join(strategy_names())
    raise UsageError(Issue(f"unknown strategy {name!r}", "--strategy", hint))


def _loaded(entry: EntryPoint) -> Strategy:
    try:
        return cast("Strategy", entry.load())
    except (ImportError, AttributeError, SyntaxError, OSError) as error:
        message = f"the strategy {entry.name} of another package cannot be used: {error}"
        raise UsageError(Issue(message, "--strategy")) from error


def adapt(problem: Problem, strategy: Strategy) -> Problem:
    """The problem as `strategy` sees it: its own switches forced, the rest as they are."""
    switches = problem.switches
    if strategy.paging is not None:
        switches = replace(switches, paging=strategy.paging)
    if strategy.recompute is not None:
        switches = replace(switches, recompute=strategy.recompute)
    return replace(problem, switches=switches)
