"""A saved result out of its file: read, held against its own graph, and what it stands for.

Files of unknown origin are opened through solver.reading, which does this in a process of its own.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solver.codec import decode_result, is_result
from solver.codec.outcome import options_of
from solver.errors import Issue, ModelError
from solver.loaders.json_file import MAX_FILE_BYTES
from solver.loaders.sniff import FileKind, read_head, tell
from solver.outcome import Outcome
from solver.problem import Problem, SolveOptions
from solver.saved import examine

_SHOWN_FAULTS: Final = 20


@dataclass(frozen=True, slots=True)
class SavedResult:
    """What was solved, how hard, and how it ended; nothing in it that can be checked is untrue.

    `source` and `sha256` say where the model came from, as LoadedModel does.
    """

    source: str
    sha256: str | None
    problem: Problem
    options: SolveOptions
    outcome: Outcome


def load_result(path: Path) -> SavedResult | None:
    """Read a saved result and check all that it says; None for a file of another kind.

    Raises
    ------
    ModelError
        It cannot be read, holds no graph, or says something untrue; up to 20 faults are named.
    """
    data = _result_bytes(path)
    if data is None:
        return None
    document = decode_result(data, str(path))
    examined = examine(document)
    if examined.faults:
        hint = "solve it again; a changed file cannot be trusted"
        shown = examined.faults[:_SHOWN_FAULTS]
        raise ModelError([Issue(fault, str(path), hint) for fault in shown])
    model = document.model
    return SavedResult(
        model.source, model.sha256, examined.problem, options_of(document), examined.outcome
    )


def may_be_result(path: Path) -> bool:
    """Whether the beginning of a file leaves it open that it is a poet.result."""
    try:
        return tell(read_head(path)) in {FileKind.POET_RESULT, FileKind.JSON}
    except ModelError:
        return False  # the loader of models says what is wrong with it


def _result_bytes(path: Path) -> bytes | None:
    kind = tell(read_head(path))
    if kind not in {FileKind.POET_RESULT, FileKind.JSON}:
        return None
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ModelError(Issue("is too large to be read", str(path), "at most 1 GiB"))
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(Issue(error.strerror or str(error), str(path))) from error
    return data if kind is FileKind.POET_RESULT or is_result(data) else None
