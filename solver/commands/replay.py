"""`poet replay`: a schedule of a traced model, executed on real tensors and compared."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from solver.codec import decode_result
from solver.codec.outcome import outcome_of
from solver.commands.output import check_outputs, tell, write_output
from solver.commands.progress import TerminalBar
from solver.commands.reading import read_file
from solver.errors import EngineError, Issue
from solver.explain import exact_bytes
from solver.outcome import Feasible, Optimal
from solver.pytorch.need import require_torch
from solver.replay_report import UNSTEADY, eager_words
from solver.saved import examine, problem_of
from solver.schedule import ActionKind
from solver.simulate import Trace
from solver.text import counted
from solver.units import format_seconds

if TYPE_CHECKING:
    from solver.replay_report import ReplayReport

_WANTED = "give the JSON of `poet solve NET.json --json`, where NET.json was made by `poet trace`"


@click.command()
@click.argument("result", metavar="RESULT.json")
@click.option("--json", "json_path", metavar="FILE", help="Write the report; - is stdout.")
@click.option("--unverified", is_flag=True, help="Execute it even where the verifier objects.")
def replay(result: str, *, json_path: str | None, unverified: bool) -> int:
    """Execute the schedule of a traced model on real tensors, in exactly its order.

    The user's module is imported and run as it was traced. Gradients are compared bit by bit with
    the same step in plain order, and with eager backward; the largest sum of live tensor bytes with
    the peak that was promised; times with those predicted for the device. 0 when all of it holds.
    """
    check_outputs([("--json", json_path)], [result])
    trace = _trace(result, unverified=unverified)
    require_torch()
    from solver.pytorch.replay import replay as run  # noqa: PLC0415 - imports PyTorch

    with _ActionBar(len(trace.schedule.actions)) as bar, redirect_stdout(sys.stderr):
        report = run(trace, bar.advance, [Path(result).parent])
    if json_path is not None:
        write_output(json_path, msgspec.json.encode(report) + b"\n")
    if json_path != "-":
        tell(_summary(report))
    return 0 if report.agrees else 1


class _ActionBar(TerminalBar):
    """The bar of a replay, as long as its actions."""

    def __init__(self, total: int) -> None:
        super().__init__(total=total, bar_format="replaying: |{bar}| {n_fmt}/{total_fmt} actions")

    def advance(self, done: int, of: int) -> None:  # noqa: ARG002 - the bar knows how many
        """So many actions are done."""
        self._bar.update(done - self._bar.n)


def _trace(result: str, *, unverified: bool) -> Trace:
    document = decode_result(read_file(result, _WANTED), result)
    if unverified:
        outcome = outcome_of(document, problem_of(document))
    else:
        examined = examine(document)
        faults, outcome = examined.faults, examined.outcome
        if faults:
            words = f"{counted(len(faults), 'fault')}, so it is not executed: {faults[0]}"
            raise EngineError(Issue(words, result, "poet check names them all; or --unverified"))
    if not isinstance(outcome, Optimal | Feasible):
        raise EngineError(Issue(f"holds no schedule: {document.message}", result))
    return outcome.trace


def _summary(report: "ReplayReport") -> list[str]:
    same = report.gradients - len(report.different)
    lines = [
        f"{'as promised' if report.agrees else 'NOT as promised'} (torch {report.torch})",
        f"gradients   {same} of {report.gradients} bit-equal to plain order",
    ]
    if report.different:
        lines.append(f"different   {', '.join(report.different[:5])}")
    if not report.fault:
        lines.append(f"eager       {eager_words(report.eager_error)}")
    if report.unsteady:
        lines.append(f"unsteady    {UNSTEADY[0].lower()}{UNSTEADY[1:]}")
    peak, promised = exact_bytes(report.peak_bytes), exact_bytes(report.predicted_bytes)
    lines.append(f"peak        {peak}, promised {promised}, weights apart")
    for kind, times in report.times.items():
        if times.count and kind is not ActionKind.FREE:
            name = kind.value.replace("_", "-")
            here, there = format_seconds(times.measured_s), format_seconds(times.predicted_s)
            lines.append(f"{name:11} {times.count} in {here} here, {there} predicted")
    if report.fault:
        lines.append(f"first fault {report.fault}")
    return lines
