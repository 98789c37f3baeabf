"""The strategies that the frontier shows side by side: their names, looks and what is known."""

from dataclasses import dataclass, replace
from typing import Final

from poet_gui.explorer import Explorer
from poet_gui.solving.sweep_status import MAIN, STRATEGIES
from solver.brackets import Brackets
from solver.problem import Switches
from solver.strategies.registry import PROVING


@dataclass(frozen=True, slots=True)
class Style:
    """How a strategy is told apart: its name and its dash pattern, in pen widths; () is solid."""

    strategy: str
    label: str
    dash: tuple[float, ...]
    tip: str


STYLES: Final = (
    Style(MAIN, "joint", (), "recompute and page, chosen together"),
    Style("remat-only", "recompute only", (7.0, 3.0), "nothing is paged"),
    Style("paging-only", "paging only", (1.6, 2.4), "nothing is recomputed"),
    Style("sqrt-n", "√n", (7.0, 2.5, 1.6, 2.5), "a checkpoint every √n ops, nothing is paged"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """What is known of one strategy.

    own : the switches of its schedules. load : those that loading a point of it sets.
    """

    strategy: str
    own: Switches
    load: Switches
    brackets: Brackets


def sources_of(core: Explorer) -> tuple[Source, ...]:
    """What is known of every strategy, the main one first; empty without a model.

    Under present switches that are those of a strategy, that strategy is the main one.
    """
    found: list[Source] = []
    for strategy in STRATEGIES:
        problem = core.frontier.problem_of(strategy)
        if problem is None:
            return ()
        own = problem.switches
        proves = strategy in PROVING
        if proves and any(own == other.own for other in found):
            continue
        brackets = core.frontier.brackets_of(strategy, problem)
        found.append(Source(strategy, own, own if proves else core.switches, brackets))
    return tuple(found)


def style_of(source: Source) -> Style:
    """The style of a strategy; the main one is named by what its switches leave it."""
    style = next(style for style in STYLES if style.strategy == source.strategy)
    return replace(style, label=strategy_label(source.strategy, source.own))


def strategy_label(strategy: str, switches: Switches) -> str:
    """A strategy by name; the main one is named by what the switches leave it."""
    if strategy == MAIN and not (switches.paging and switches.recompute):
        strategy = "remat-only" if switches.recompute else "paging-only"
    return next((style.label for style in STYLES if style.strategy == strategy), strategy)
