"""Saved results: read and checked before they are shown."""

from pathlib import Path
from typing import Final

from poet_gui.solving.deliveries import OpenedResult, OpenModel
from poet_gui.solving.prepare import plain_trace
from solver.api import BUILT_IN
from solver.codec import decode_result, is_result
from solver.codec.documents import ResultDocument
from solver.codec.outcome import options_of, outcome_of
from solver.errors import Issue, ModelError
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.loaders.json_file import MAX_FILE_BYTES
from solver.loaders.sniff import FileKind, read_head, tell
from solver.saved import faults_of, problem_of

_SHOWN_FAULTS: Final = 20
_LARGEST_LOOK_BYTES: Final = 2**26


def is_result_file(path: Path) -> bool:
    """Say whether a file is a poet.result; False for whatever cannot be read.

    The window's own process looks, so nothing is taken apart: where the format does not stand at
    the beginning, keys are passed over until it is found, and a file too large for that is left to
    the reading process, which says what it is.
    """
    try:
        kind = tell(read_head(path))
        if kind is not FileKind.JSON or path.stat().st_size > _LARGEST_LOOK_BYTES:
            return kind is FileKind.POET_RESULT
        return is_result(path.read_bytes())
    except (ModelError, OSError):
        return False  # the loader says what is wrong with it


def open_result(path: Path) -> tuple[OpenModel, OpenedResult]:
    """Read a saved result; nothing of it is believed that the verifier does not confirm.

    Raises
    ------
    ModelError
        It cannot be read, holds no graph, or says something untrue; every fault is named.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ModelError(Issue("is too large to be read", str(path), "at most 1 GiB"))
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(Issue(error.strerror or str(error), str(path))) from error
    document = decode_result(data, str(path))
    problem = problem_of(document)
    faults = faults_of(document)
    if faults:
        hint = "solve it again; a changed file cannot be trusted"
        raise ModelError([Issue(fault, str(path), hint) for fault in faults[:_SHOWN_FAULTS]])
    request, reopens = _request(document, path)
    costed = problem.costed
    model = OpenModel(
        request,
        document.model.source,
        document.model.sha256,
        f"result {path.name} {document.model.sha256 or document.model.name}",
        costed,
        plain_trace(costed),
        reopens=reopens,
    )
    return model, OpenedResult(problem, options_of(document), outcome_of(document, problem))


def _request(document: ResultDocument, path: Path) -> tuple[GraphRequest, bool]:
    """What to ask for to make this graph anew, and whether its source is still there."""
    settings, source = document.settings, document.model.source
    built_in = source == BUILT_IN
    reopens = built_in or Path(source).is_file()
    name = document.model.name if built_in else source
    request = GraphRequest(
        name if reopens else str(path),
        None if settings.accounting is Accounting.GIVEN else settings.accounting,
        settings.weights,
        settings.weight_gradients,
        settings.batch,
        settings.dims,
        settings.loss,
        settings.output,
    )
    return request, reopens
