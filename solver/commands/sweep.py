"""`poet sweep`: the least energy under every RAM budget, every runtime limit, or both."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import click
import msgspec

from solver import api
from solver.codec import Origin
from solver.commands.interrupts import INTERRUPTED, heard_interrupts
from solver.commands.options import RATIO, Whole, graph_options
from solver.commands.output import check_outputs, say
from solver.commands.problem_options import (
    ProblemArguments,
    all_of,
    budget_options,
    effort_options,
)
from solver.commands.sweep_desk import SweepDesk, SweepOrder, usable_cores
from solver.errors import Issue, UsageError
from solver.reading import read_model
from solver.strategies.base import Strategy
from solver.strategies.registry import get_strategy
from solver.sweep import DEFAULT_POINTS, DEFAULT_TOLERANCE, Axis
from solver.sweep_run import SweepSettings

_MOST_JOBS: Final = 64
_VARIED: Final = {
    "ram": ("ram", "ram_ratio"),
    "runtime": ("runtime", "runtime_ratio"),
    "map": ("ram", "ram_ratio", "runtime", "runtime_ratio"),
}
_OTHER: Final = {"ram": "runtime", "runtime": "ram"}


class SweepArguments(ProblemArguments, frozen=True, kw_only=True):
    """Everything that `poet sweep` takes, as click hands it over."""

    axis: Axis
    points: int | None
    tolerance: float | None
    jobs: int | None
    strategies: tuple[str, ...]
    full: bool
    resume: str | None

    @property
    def names(self) -> list[str]:
        """The strategies in the order given, each once."""
        given = [name.strip() for text in self.strategies for name in text.split(",")]
        return list(dict.fromkeys(name for name in given if name)) or ["joint"]

    @property
    def settings(self) -> SweepSettings:
        """Points that were asked for are all used; else the tolerance says when to stop."""
        return SweepSettings(
            self.axis,
            DEFAULT_POINTS if self.points is None else self.points,
            DEFAULT_TOLERANCE if self.tolerance is None else self.tolerance,
            to_the_last=self.points is not None and self.tolerance is None,
        )


@click.command()
@graph_options
@budget_options
@click.option(
    "--axis",
    type=click.Choice(["ram", "runtime", "map"]),
    default="ram",
    show_default=True,
    help="Which budget varies: RAM from the floor to the plain peak, the runtime limit from the "
    "baseline's on, or both over a coarse grid.",
)
@click.option(
    "--points",
    type=Whole(min=2),
    help=f"Solves per strategy, all of which are used.  [default: up to {DEFAULT_POINTS}]",
)
@click.option(
    "--tolerance",
    type=RATIO,
    metavar="R",
    help="Stop when every budget is certified within this part of the energy.  "
    f"[default: {DEFAULT_TOLERANCE:g}]",
)
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME[,NAME]...",
    help="How to schedule; several give a curve each.  [default: joint]",
)
@effort_options
@click.option(
    "--jobs",
    type=Whole(min=1, max=_MOST_JOBS),
    help="Solves at a time; with 1 and a work limit the sweep is reproducible.  [default: a core "
    "each]",
)
@click.option("--full", is_flag=True, help="Keep schedules and graph in the JSON.")
@click.option("--resume", metavar="FILE", help="Go on from the JSON of an earlier sweep.")
def sweep(**given: object) -> int:
    """Find the least energy of MODEL on a device under every budget, point by point.

    MODEL is a file (.onnx, .pt2, schedule-graph or poet.graph JSON) or a built-in network (see
    `poet models`). Points are solved where least is known; between them, a looser point's bound and
    a tighter point's schedule hold. Ctrl+C keeps what was found.

    Ends with 0 when there is a verified schedule, 3 when all points are impossible, 4 when nothing
    was found in the limits.
    """
    arguments = msgspec.convert(given, SweepArguments)
    _check(arguments)
    strategies, device, model = all_of(
        lambda: _strategies(arguments.names),
        arguments.priced_on,
        lambda: read_model(arguments.request()),
    )
    problem = arguments.problem(model, device)
    for warning in (*model.graph.warnings, *problem.costed.priced):
        say(f"warning: {warning}")
    order = SweepOrder(
        problem,
        Origin(model.source, model.sha256),
        [each.name for each in strategies],
        arguments.settings,
        arguments.options("joint"),
        json_path=arguments.json_path,
        full=arguments.full,
    )
    desk = SweepDesk(order)
    if arguments.resume is not None:
        desk.take_up(arguments.resume)
    with heard_interrupts() as wish:  # from here on there is something to keep
        desk.work(arguments.jobs or usable_cores(), wish, store=arguments.store)
        desk.deliver()
    return INTERRUPTED if wish.is_set() else desk.exit_code


def _check(arguments: SweepArguments) -> None:
    """Refuse at once what cannot be done: places to write to, options, budgets that vary."""
    inputs = arguments.inputs
    if arguments.resume is not None and arguments.resume != arguments.json_path:
        inputs.append(arguments.resume)  # its own file may be written again: it goes on there
    check_outputs([("--json", arguments.json_path)], inputs)
    options = arguments.options("joint")
    api.check_options(replace(options, total_gap=arguments.settings.tolerance))
    given = [name for name in _VARIED[arguments.axis] if getattr(arguments, name) is not None]
    if given:
        other = "" if arguments.axis == "map" else f", or take --axis {_OTHER[arguments.axis]}"
        raise UsageError(
            [
                Issue(
                    f"--axis {arguments.axis} varies this budget",
                    f"--{name.replace('_', '-')}",
                    f"leave it out{other}",
                )
                for name in given
            ]
        )


def _strategies(names: Sequence[str]) -> list[Strategy]:
    """All of them, or one error with every unknown name."""
    found: list[Strategy] = []
    issues: list[Issue] = []
    for name in names:
        try:
            found.append(get_strategy(name))
        except UsageError as error:
            issues += error.issues
    if issues:
        raise UsageError(issues)
    return found
