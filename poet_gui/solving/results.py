"""Saved results, checked before: the model and the answer that the window makes of them."""

from pathlib import Path

from poet_gui.solving.deliveries import OpenedResult, OpenModel
from poet_gui.solving.prepare import fingerprints, plain_trace
from poet_gui.viewmodels.headline import changes
from poet_gui.viewmodels.trace_index import index_trace
from solver.api import BUILT_IN
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.outcome import Feasible, Optimal
from solver.saved_result import SavedResult


def opened_result(saved: SavedResult, path: Path) -> tuple[OpenModel, OpenedResult]:
    """What is shown of the saved result that was read from `path`."""
    request, reopens = _request(saved, path)
    if isinstance(saved.outcome, Optimal | Feasible):
        # Views remember both: made here, in the background, they are free in the window.
        index_trace(saved.outcome.trace)
        changes(saved.outcome.trace.schedule)
    costed = saved.problem.costed
    model = OpenModel(
        request,
        saved.source,
        saved.sha256,
        f"result {path.name} {saved.sha256 or costed.graph.name}",
        costed,
        plain_trace(costed),
        fingerprints(costed, saved.problem.switches),
        reopens=reopens,
    )
    return model, OpenedResult(saved.problem, saved.options, saved.outcome)


def _request(saved: SavedResult, path: Path) -> tuple[GraphRequest, bool]:
    """What to ask for to make this graph anew, and whether its source is still there."""
    graph = saved.problem.costed.graph
    settings, built_in = graph.settings, saved.source == BUILT_IN
    reopens = built_in or Path(saved.source).is_file()
    name = graph.name if built_in else saved.source
    released = settings.accounting is Accounting.POET  # its graphs say their loss, nobody chooses
    request = GraphRequest(
        name if reopens else str(path),
        None if settings.accounting is Accounting.GIVEN else settings.accounting,
        settings.weights,
        settings.weight_gradients,
        settings.batch,
        settings.dims,
        None if released else settings.loss,
        None if released else settings.output,
        quantized=settings.quantized,
    )
    return request, reopens
