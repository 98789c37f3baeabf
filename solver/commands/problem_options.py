"""Options that every command with a solve shares: budgets, switches, and how hard to try."""

from collections.abc import Callable
from typing import Final, TypeVar, cast

import click

from solver import api
from solver.api import LoadedModel
from solver.commands.options import BYTES, NUMBER, RATIO, SECONDS, GraphArguments, Whole
from solver.device import Device, IoMode
from solver.errors import EngineError
from solver.problem import Problem, SolveOptions

EXIT_CODES: Final = {"optimal": 0, "feasible": 0, "infeasible": 3, "no_answer": 4, "failed": 1}
DEFAULTS: Final = SolveOptions()

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_F = TypeVar("_F", bound=Callable[..., object])


class ProblemArguments(GraphArguments, frozen=True, kw_only=True):
    """What says which problem to solve and how hard to try, as click hands it over."""

    ram: int | None
    ram_ratio: float | None
    runtime: float | None
    runtime_ratio: float | None
    no_paging: bool
    no_recompute: bool
    io: IoMode | None
    gap: float
    time_limit: float
    work_limit: float | None
    threads: int
    seed: int
    store: bool

    def options(self, strategy: str) -> SolveOptions:
        """How hard to try."""
        return SolveOptions(
            strategy, self.gap, self.time_limit, self.work_limit, self.threads, self.seed
        )

    def problem(self, model: LoadedModel, device: Device) -> Problem:
        """What to solve."""
        return api.make_problem(
            model.graph,
            device,
            ram=self.ram,
            ram_ratio=self.ram_ratio,
            runtime_s=self.runtime,
            runtime_ratio=self.runtime_ratio,
            paging=not self.no_paging,
            recompute=not self.no_recompute,
            io=self.io,
        )


def budget_options(command: _F) -> _F:
    """Give a command the two budgets and the switches of ProblemArguments."""
    return _with(_budget_options(), command)


def effort_options(command: _F) -> _F:
    """Give a command the options of ProblemArguments that say how hard to try."""
    return _with(_effort_options(), command)


def _with(options: tuple[Callable[[_F], _F], ...], command: _F) -> _F:
    for decorate in reversed(options):
        command = decorate(command)
    return command


def _budget_options() -> tuple[Callable[[_F], _F], ...]:
    return (
        click.option(
            "--ram",
            type=BYTES,
            metavar="SIZE",
            help="RAM budget, such as 256KiB.  [default: the device's RAM]",
        ),
        click.option(
            "--ram-ratio", type=RATIO, metavar="R", help="RAM budget: 0.7 or 70% of the plain peak."
        ),
        click.option(
            "--runtime",
            type=SECONDS,
            metavar="TIME",
            help="Runtime limit, such as 3s.  [default: none]",
        ),
        click.option(
            "--runtime-ratio",
            type=RATIO,
            metavar="R",
            help="Runtime limit: 1.5 or 150% of the baseline.",
        ),
        click.option("--no-paging", is_flag=True, help="Move nothing to storage."),
        click.option("--no-recompute", is_flag=True, help="Make nothing twice."),
        click.option(
            "--io",
            type=click.Choice([mode.value for mode in IoMode]),
            help="How transfers share time with computing.  [default: the device's own]",
        ),
    )


def _effort_options() -> tuple[Callable[[_F], _F], ...]:
    return (
        click.option(
            "--gap",
            type=RATIO,
            default=DEFAULTS.gap,
            show_default=True,
            metavar="R",
            help="Stop when no schedule can save more than this part of the energy above the "
            "baseline.",
        ),
        click.option(
            "--time-limit",
            type=SECONDS,
            default=f"{DEFAULTS.time_limit_s:g}",
            show_default=True,
            help="Stop after this time, seconds unless told otherwise.",
        ),
        click.option(
            "--work-limit", type=NUMBER, metavar="N", help="Stop after this work, reproducibly."
        ),
        _whole("--threads", 1, DEFAULTS.threads, "Threads of the solver."),
        _whole("--seed", 0, DEFAULTS.seed, "Seed of the solver's choices."),
        click.option(
            "--store/--no-store",
            default=False,
            show_default=True,
            help="Start from the stored results of earlier solves and store what this one proves; "
            "its answer then depends on what is stored.",
        ),
    )


def _whole(name: str, least: int, default: int, words: str) -> Callable[[_F], _F]:
    return click.option(name, type=Whole(min=least), default=default, show_default=True, help=words)


def all_of(
    first: Callable[[], _A], second: Callable[[], _B], third: Callable[[], _C]
) -> tuple[_A, _B, _C]:
    """The three results, or one error with the mistakes of all three: nobody likes them one by one.

    The exit code is that of the first that failed.
    """
    results: list[object] = []
    errors: list[EngineError] = []
    for call in (first, second, third):
        try:
            results.append(call())
        except EngineError as error:
            errors.append(error)
    if errors:
        raise type(errors[0])([issue for error in errors for issue in error.issues])
    return cast("tuple[_A, _B, _C]", tuple(results))
