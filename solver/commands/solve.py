"""`poet solve`: the least-energy schedule of a model on a device within its budgets."""

from typing import TYPE_CHECKING

import click
import msgspec

from solver.api import LoadedModel
from solver.codec import Origin, encode_json, result_document
from solver.commands.interrupts import INTERRUPTED, heard_interrupts
from solver.commands.options import graph_options
from solver.commands.output import STDOUT, check_outputs, say, tell, write_export, write_output
from solver.commands.problem_options import (
    DEFAULTS,
    EXIT_CODES,
    ProblemArguments,
    all_of,
    budget_options,
    effort_options,
)
from solver.commands.running import run_solve
from solver.commands.storing import StoredResults
from solver.commands.summary import summary
from solver.exporters.chrome_trace import CHROME_TRACE
from solver.exporters.csv import CSV
from solver.exporters.plan import PLAN
from solver.outcome import Failed, Feasible, Optimal, Outcome, status_of
from solver.problem import Problem
from solver.program_check import program_of
from solver.reading import read_model
from solver.strategies.registry import adapt, get_strategy

if TYPE_CHECKING:
    from solver.exporters.base import Exporter


class SolveArguments(ProblemArguments, frozen=True, kw_only=True):
    """Everything that `poet solve` takes, as click hands it over."""

    strategy: str
    slim: bool
    trace_path: str | None
    csv_path: str | None
    plan_path: str | None


@click.command()
@graph_options
@budget_options
@click.option(
    "--strategy",
    default=DEFAULTS.strategy,
    show_default=True,
    metavar="NAME",
    help="How to schedule (see `poet strategies`).",
)
@effort_options
@click.option("--slim", is_flag=True, help="Leave the graph out of the JSON.")
@click.option("--trace", "trace_path", metavar="FILE", help="Write a Chrome trace of the schedule.")
@click.option("--csv", "csv_path", metavar="FILE", help="Write the actions as CSV.")
@click.option(
    "--plan",
    "plan_path",
    metavar="FILE",
    help="Write a training plan of a traced model, and beside it the runner that executes it.",
)
def solve(**given: object) -> int:
    """Find the least-energy schedule of MODEL on a device within its budgets.

    MODEL is a file (.onnx, .pt2, schedule-graph or poet.graph JSON) or a built-in network (see
    `poet models`).

    Ends with 0 for a verified schedule, 3 when none can exist, 4 when none was found in the limits.
    """
    arguments = msgspec.convert(given, SolveArguments)
    check_outputs(
        [
            ("--json", arguments.json_path),
            ("--trace", arguments.trace_path),
            ("--csv", arguments.csv_path),
            ("--plan", arguments.plan_path),
        ],
        arguments.inputs,
    )
    strategy, device, model = all_of(
        lambda: get_strategy(arguments.strategy),
        arguments.priced_on,
        lambda: read_model(arguments.request()),
    )
    if arguments.plan_path is not None:
        program_of(model.graph)  # said before the solve, not after it
    problem = adapt(arguments.problem(model, device), strategy)
    for warning in (*model.graph.warnings, *problem.costed.priced):
        say(f"warning: {warning}")
    stored = StoredResults(problem, arguments.strategy, wanted=arguments.store)
    with heard_interrupts() as wish:  # from here on there is something to keep
        outcome = run_solve(
            problem, arguments.options(arguments.strategy), wish, stored.known, stored.report
        )
        stored.save()
        _deliver(arguments, problem, outcome, model)
    return INTERRUPTED if wish.is_set() else EXIT_CODES[status_of(outcome)]


def _deliver(
    arguments: SolveArguments, problem: Problem, outcome: Outcome, model: LoadedModel
) -> None:
    """Write what was asked for, files first, and say how it ended."""
    trace = outcome.trace if isinstance(outcome, Optimal | Feasible) else None
    exports: list[tuple[str | None, Exporter]] = [
        (arguments.trace_path, CHROME_TRACE),
        (arguments.csv_path, CSV),
        (arguments.plan_path, PLAN),
    ]
    for path, exporter in exports:
        if path is not None and trace is None:
            say(f"there is no schedule, so {path} is not written")
        elif path is not None and trace is not None:
            write_export(path, exporter, trace)
    if arguments.json_path is not None:
        origin = Origin(model.source, model.sha256)
        document = result_document(
            problem,
            outcome,
            arguments.options(arguments.strategy),
            origin,
            slim=arguments.slim,
        )
        write_output(arguments.json_path, encode_json(document))
    if isinstance(outcome, Failed):
        say(f"poet: {outcome.message}\n{outcome.details}".rstrip())
    if STDOUT in {arguments.json_path, *(path for path, _ in exports)}:
        say(outcome.message)
    else:
        tell(summary(problem, outcome))
