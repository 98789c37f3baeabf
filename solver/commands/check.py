"""`poet check`: a saved result verified again, without any solver."""

from pathlib import Path

import click

from solver import api
from solver.api import GraphRequest
from solver.codec import decode_result
from solver.errors import EngineError, Issue
from solver.explain import exact_bytes
from solver.files import why_not_readable
from solver.saved import faults_of
from solver.units import format_joules

_SHOWN = 20


@click.command()
@click.argument("result", metavar="RESULT.json")
@click.option(
    "--graph", metavar="GRAPH.json", help="The graph to check against.  [default: the one inside]"
)
def check(result: str, *, graph: str | None) -> int:
    """Verify a saved result again, without any solver.

    Order, data, RAM to the byte, energy, runtime, gap and status: 0 when all of it holds, 1 with
    the faults named.
    """
    document = decode_result(_read(result), result)
    model = None if graph is None else api.load_training_graph(GraphRequest(graph)).graph
    faults = faults_of(document, model)
    for fault in faults[:_SHOWN]:
        click.echo(fault)
    if len(faults) > _SHOWN:
        click.echo(f"... and {len(faults) - _SHOWN} more")
    if faults:
        return 1
    if document.peak_bytes is None or document.energy_j.total is None:
        click.echo(f"ok: {document.status}, {document.message}")
    else:
        peak, energy = exact_bytes(document.peak_bytes), format_joules(document.energy_j.total)
        click.echo(f"ok: {document.status}, peak {peak}, {energy}")
    return 0


def _read(path: str) -> bytes:
    fault = why_not_readable(Path(path))
    if fault:
        raise EngineError(Issue(fault, path, "give a poet.result from `poet solve --json`"))
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise EngineError(Issue(f"cannot be read: {error.strerror}", path)) from error
