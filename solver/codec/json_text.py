"""Documents <-> JSON text."""

from typing import Final, TypeVar

import msgspec

from solver.codec.documents import Document, ResultDocument
from solver.codec.sweep_documents import SweepDocument
from solver.errors import Issue, ModelError
from solver.loaders.json_file import parse_json
from solver.schemas import schema_issues

_ENCODER: Final = msgspec.json.Encoder()
_RESULT: Final = "poet.result"
_SWEEP: Final = "poet.sweep"
_D = TypeVar("_D", ResultDocument, SweepDocument)


def encode_json(document: Document | SweepDocument) -> bytes:
    """The document as one line of UTF-8 JSON; equal documents give the same bytes."""
    return _ENCODER.encode(document) + b"\n"


def decode_result(data: bytes, where: str = "") -> ResultDocument:
    """A poet.result from JSON. `where` names the file in the error.

    Raises
    ------
    ModelError
        No JSON, another format or version, or fields that are missing or wrong, each named.
    """
    return _decode(data, ResultDocument, _RESULT, where)


def decode_sweep(data: bytes, where: str = "") -> SweepDocument:
    """A poet.sweep from JSON. Raises as `decode_result`."""
    return _decode(data, SweepDocument, _SWEEP, where)


def is_sweep(data: bytes) -> bool:
    """Whether the JSON says of itself that it is a poet.sweep, of whatever version."""
    return _says_of_itself(data) == _SWEEP


def is_result(data: bytes) -> bool:
    """Whether the JSON says of itself that it is a poet.result, of whatever version."""
    return _says_of_itself(data) == _RESULT


def _says_of_itself(data: bytes) -> str:
    try:
        return msgspec.json.decode(data, type=_Head).format
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def _decode(data: bytes, kind: type[_D], name: str, where: str) -> _D:
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(Issue(f"is no {name} document: {error}", where)) from error
    except RecursionError as error:
        raise ModelError(Issue(f"is nested too deeply for a {name}", where)) from error
    if head.format != name or head.version != 1:
        found = f"{head.format} version {head.version}" if head.format else "another kind of JSON"
        raise ModelError(Issue(f"is {found}", where, f"{name} version 1 is wanted"))
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(_mistakes(data, name, where, error)) from error


class _Head(msgspec.Struct):
    format: str = ""
    version: int = 0


def _mistakes(data: bytes, name: str, where: str, error: Exception) -> tuple[Issue, ...]:
    """Every mistake; the decoder knows the first one only."""
    try:
        found = schema_issues(parse_json(data, where), name, file=where)
    except ModelError as faults:
        found = faults.issues
    return found or (Issue(f"is no {name} document: {error}", where),)
