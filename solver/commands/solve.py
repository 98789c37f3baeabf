"""`poet solve`: the least-energy schedule of a model on a device within its budgets."""

from collections.abc import Callable
from typing import Final, TypeVar, cast

import click
import msgspec

from solver import api
from solver.api import LoadedModel
from solver.cli import INTERRUPTED
from solver.codec import Origin, encode_json, result_document
from solver.commands.options import BYTES, RATIO, SECONDS, GraphArguments, graph_options
from solver.commands.output import STDOUT, check_outputs, say, write_output
from solver.commands.running import run_solve
from solver.commands.storing import StoredResults
from solver.commands.summary import summary
from solver.device import Device, IoMode
from solver.errors import EngineError
from solver.exporters.chrome_trace import chrome_trace_text
from solver.exporters.csv import csv_text
from solver.outcome import Failed, Feasible, Optimal, Outcome, status_of
from solver.problem import Problem, SolveOptions
from solver.strategies.registry import adapt, get_strategy

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_EXIT_CODES: Final = {"optimal": 0, "feasible": 0, "infeasible": 3, "no_answer": 4, "failed": 1}
_DEFAULTS: Final = SolveOptions()


class SolveArguments(GraphArguments, frozen=True, kw_only=True):
    """Everything that `poet solve` takes, as click hands it over."""

    ram: int | None
    ram_ratio: float | None
    runtime: float | None
    runtime_ratio: float | None
    no_paging: bool
    no_recompute: bool
    io: IoMode | None
    strategy: str
    gap: float
    time_limit: float
    work_limit: float | None
    threads: int
    seed: int
    store: bool
    slim: bool
    trace_path: str | None
    csv_path: str | None

    def options(self) -> SolveOptions:
        """How hard to try."""
        return SolveOptions(
            self.strategy, self.gap, self.time_limit, self.work_limit, self.threads, self.seed
        )

    def problem(self, model: LoadedModel, device: Device) -> tuple[Problem, tuple[str, ...]]:
        """What to solve, with warnings about what was changed in it."""
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


@click.command()
@graph_options
@click.option(
    "--ram",
    type=BYTES,
    metavar="SIZE",
    help="RAM budget, such as 256KiB.  [default: the device's RAM]",
)
@click.option(
    "--ram-ratio", type=RATIO, metavar="R", help="RAM budget: 0.7 or 70% of the plain peak."
)
@click.option(
    "--runtime", type=SECONDS, metavar="TIME", help="Runtime limit, such as 3s.  [default: none]"
)
@click.option(
    "--runtime-ratio", type=RATIO, metavar="R", help="Runtime limit: 1.5 or 150% of the baseline."
)
@click.option("--no-paging", is_flag=True, help="Move nothing to storage.")
@click.option("--no-recompute", is_flag=True, help="Make nothing twice.")
@click.option(
    "--io",
    type=click.Choice([mode.value for mode in IoMode]),
    help="How transfers share time with computing.  [default: the device's own]",
)
@click.option(
    "--strategy",
    default=_DEFAULTS.strategy,
    show_default=True,
    metavar="NAME",
    help="How to schedule (see `poet strategies`).",
)
@click.option(
    "--gap",
    type=RATIO,
    default=_DEFAULTS.gap,
    show_default=True,
    metavar="R",
    help="Stop when no schedule can save more than this part of the energy above the baseline.",
)
@click.option(
    "--time-limit",
    type=SECONDS,
    default=f"{_DEFAULTS.time_limit_s:g}",
    show_default=True,
    help="Stop after this time, seconds unless told otherwise.",
)
@click.option("--work-limit", type=float, metavar="N", help="Stop after this work, reproducibly.")
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=_DEFAULTS.threads,
    show_default=True,
    help="Threads of the solver.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=_DEFAULTS.seed,
    show_default=True,
    help="Seed of the solver's choices.",
)
@click.option(
    "--store/--no-store",
    default=False,
    show_default=True,
    help="Start from the stored results of earlier solves and store what this one proves; its "
    "answer then depends on what is stored.",
)
@click.option("--slim", is_flag=True, help="Leave the graph out of the JSON.")
@click.option("--trace", "trace_path", metavar="FILE", help="Write a Chrome trace of the schedule.")
@click.option("--csv", "csv_path", metavar="FILE", help="Write the actions as CSV.")
def solve(**given: object) -> int:
    """Find the least-energy schedule of MODEL on a device within its budgets.

    MODEL is a file (.onnx, schedule-graph or poet.graph JSON) or a built-in network (see `poet
    models`).

    Ends with 0 for a verified schedule, 3 when none can exist, 4 when none was found in the limits.
    """
    arguments = msgspec.convert(given, SolveArguments)
    check_outputs(
        [
            ("--json", arguments.json_path),
            ("--trace", arguments.trace_path),
            ("--csv", arguments.csv_path),
        ],
        [arguments.model, arguments.device],
    )
    strategy, device, model = _all_of(
        lambda: get_strategy(arguments.strategy),
        lambda: api.load_device(arguments.device),
        lambda: api.load_training_graph(arguments.request()),
    )
    problem, changed = arguments.problem(model, device)
    problem = adapt(problem, strategy)
    for warning in (*model.graph.warnings, *changed):
        say(f"warning: {warning}")
    stored = StoredResults(problem, wanted=arguments.store)
    outcome, interrupted = run_solve(problem, arguments.options(), stored.known, stored.report)
    stored.save()
    _deliver(arguments, problem, outcome, model, changed)
    return INTERRUPTED if interrupted else _EXIT_CODES[status_of(outcome)]


def _all_of(
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


def _deliver(
    arguments: SolveArguments,
    problem: Problem,
    outcome: Outcome,
    model: LoadedModel,
    warnings: tuple[str, ...],
) -> None:
    """Write what was asked for, files first, and say how it ended."""
    trace = outcome.trace if isinstance(outcome, Optimal | Feasible) else None
    exports = [(arguments.trace_path, chrome_trace_text), (arguments.csv_path, csv_text)]
    for path, export in exports:
        if path is not None and trace is None:
            say(f"there is no schedule, so {path} is not written")
        elif path is not None and trace is not None:
            write_output(path, export(trace).encode())
    if arguments.json_path is not None:
        origin = Origin(model.source, model.sha256)
        document = result_document(
            problem, outcome, arguments.options(), origin, warnings=warnings, slim=arguments.slim
        )
        write_output(arguments.json_path, encode_json(document))
    if isinstance(outcome, Failed):
        say(f"poet: {outcome.message}\n{outcome.details}".rstrip())
    if STDOUT in {arguments.json_path, arguments.trace_path, arguments.csv_path}:
        say(outcome.message)
    else:
        click.echo("\n".join(summary(problem, outcome)))
