"""`poet check`: a saved result, or each of a sweep, verified again without any solver."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import click

from solver.claims import REPEATABLE, seen_impossible
from solver.codec import decode_result, decode_sweep, is_sweep
from solver.codec.documents import ResultDocument
from solver.codec.sweep_documents import SweepDocument
from solver.commands.reading import read_file
from solver.explain import exact_bytes
from solver.graph_request import GraphRequest
from solver.reading import read_model
from solver.saved import Examined, examine
from solver.saved_sweep import sweep_faults
from solver.text import counted, one_line
from solver.units import format_joules

_SHOWN: Final = 20
_WANTED: Final = "give the JSON of `poet solve --json` or of `poet sweep --full --json`"


@click.command()
@click.argument("result", metavar="RESULT.json")
@click.option(
    "--graph", metavar="GRAPH.json", help="The graph to check against.  [default: the one inside]"
)
def check(result: str, *, graph: str | None) -> int:
    """Verify a saved result again, or each result of a full sweep, without any solver.

    Order, data, RAM to the byte, energy, runtime, gap and status: 0 when all of it holds, 1 with
    the faults named. What only a search can prove (a bound, that nothing fits) is held against
    plain schedules, and named as not checked where those say nothing.
    """
    data = read_file(result, _WANTED)
    sweep = decode_sweep(data, result) if is_sweep(data) else None
    document = decode_result(data, result) if sweep is None else None
    model = None if graph is None else read_model(GraphRequest(graph)).graph
    if sweep is not None:
        return _report(sweep_faults(sweep, model), _sweep_words(sweep), _sweep_unchecked(sweep))
    assert document is not None
    examined = examine(document, model)
    return _report(examined.faults, _result_words(document, examined), examined.unchecked)


def _report(faults: Sequence[str], words: str, unchecked: Sequence[str]) -> int:
    for fault in faults[:_SHOWN]:
        click.echo(one_line(fault))
    if len(faults) > _SHOWN:
        click.echo(f"... and {len(faults) - _SHOWN} more")
    if faults:
        return 1
    click.echo(f"ok: {one_line(words)}")
    for claim in unchecked:
        click.echo(f"not checked: {one_line(claim)}")
    return 0


def _result_words(document: ResultDocument, examined: Examined) -> str:
    """What was found, in words of our own: the message is whatever the file says."""
    if document.peak_bytes is not None and document.energy_j.total is not None:
        peak, energy = exact_bytes(document.peak_bytes), format_joules(document.energy_j.total)
        return f"{document.status}, peak {peak}, {energy}"
    seen = seen_impossible(examined.problem) if document.status == "infeasible" else None
    return document.status if seen is None else seen.message


def _sweep_words(sweep: SweepDocument) -> str:
    counts = Counter(point.status for point in sweep.points)
    each = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    return f"a sweep of {counted(len(sweep.points), 'point')}" + (f", {each}" if each else "")


def _sweep_unchecked(sweep: SweepDocument) -> tuple[str, ...]:
    if all(point.settings.strategy in REPEATABLE for point in sweep.points):
        return ()
    return ("the bounds, and that nothing fits where no op alone is too large: proven by search",)
