"""The strategies that exist: ours, and those of the entry point `poet.strategies`."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from solver.plugins import Plugins
from solver.problem import Problem
from solver.strategies.base import Strategy

BUILT_IN: Final[Mapping[str, str]] = MappingProxyType({
    "joint": "solver.strategies.joint:JOINT",
    "remat-only": "solver.strategies.joint:REMAT_ONLY",
    "paging-only": "solver.strategies.joint:PAGING_ONLY",
    "blocks": "solver.strategies.blocks:BLOCKS",
    "sqrt-n": "solver.strategies.sqrt_n:SQRT_N",
    "keep-all": "solver.strategies.plain:KEEP_ALL",
    "page-all": "solver.strategies.plain:PAGE_ALL",
})  # fmt: skip

PROVING: Final = frozenset({"joint", "remat-only", "paging-only"})
"""The strategies that search everything: their bounds and impossibilities are those of the problem
(as they see it, see `adapt`). Of any other, "does not fit" says something of that one alone."""

STRATEGIES: Final[Plugins[Strategy]] = Plugins(
    "strategy", "poet.strategies", BUILT_IN, option="--strategy"
)


def get_strategy(name: str) -> Strategy:
    """The strategy of that name. Raises UsageError with the nearest name when there is none."""
    return STRATEGIES.get(name)


def adapt(problem: Problem, strategy: Strategy) -> Problem:
    """The problem as `strategy` sees it: its own switches forced, the rest as they are."""
    switches = problem.switches
    if strategy.paging is not None:
        switches = replace(switches, paging=strategy.paging)
    if strategy.recompute is not None:
        switches = replace(switches, recompute=strategy.recompute)
    return replace(problem, switches=switches)
