"""`poet check`: a saved result, or each of a sweep, verified again without any solver."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import click

from solver.codec import decode_result, decode_sweep, is_sweep
from solver.codec.documents import ResultDocument
from solver.codec.sweep_documents import SweepDocument
from solver.commands.reading import read_file
from solver.explain import exact_bytes
from solver.graph_request import GraphRequest
from solver.reading import read_model
from solver.saved import faults_of
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
    the faults named.
    """
    data = read_file(result, _WANTED)
    sweep = decode_sweep(data, result) if is_sweep(data) else None
    document = decode_result(data, result) if sweep is None else None
    model = None if graph is None else read_model(GraphRequest(graph)).graph
    if sweep is not None:
        return _report(sweep_faults(sweep, model), _sweep_words(sweep))
    assert document is not None
    return _report(faults_of(document, model), _result_words(document))


def _report(faults: Sequence[str], words: str) -> int:
    for fault in faults[:_SHOWN]:
        click.echo(one_line(fault))
    if len(faults) > _SHOWN:
        click.echo(f"... and {len(faults) - _SHOWN} more")
    if faults:
        return 1
    click.echo(f"ok: {one_line(words)}")
    return 0


def _result_words(document: ResultDocument) -> str:
    if document.peak_bytes is None or document.energy_j.total is None:
        return f"{document.status}, {document.message}"
    peak, energy = exact_bytes(document.peak_bytes), format_joules(document.energy_j.total)
    return f"{document.status}, peak {peak}, {energy}"


def _sweep_words(sweep: SweepDocument) -> str:
    counts = Counter(point.status for point in sweep.points)
    each = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    return f"a sweep of {counted(len(sweep.points), 'point')}" + (f", {each}" if each else "")
