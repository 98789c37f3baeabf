"""Documents <-> JSON text."""

from typing import Final

import msgspec

from solver.codec.documents import Document, ResultDocument
from solver.errors import Issue, ModelError
from solver.loaders.json_file import parse_json
from solver.schemas import schema_issues

_ENCODER: Final = msgspec.json.Encoder()
_RESULT: Final = "poet.result"


def encode_json(document: Document) -> bytes:
    """The document as one line of UTF-8 JSON; equal documents give the same bytes."""
    return _ENCODER.encode(document) + b"\n"


def decode_result(data: bytes, where: str = "") -> ResultDocument:
    """A poet.result from JSON. `where` names the file in the error.

    Raises
    ------
    ModelError
        No JSON, another format or version, or fields that are missing or wrong, each named.
    """
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(Issue(f"is no {_RESULT} document: {error}", where)) from error
    except RecursionError as error:
        raise ModelError(Issue(f"is nested too deeply for a {_RESULT}", where)) from error
    if head.format != _RESULT or head.version != 1:
        found = f"{head.format} version {head.version}" if head.format else "another kind of JSON"
        raise ModelError(Issue(f"is {found}", where, f"{_RESULT} version 1 is wanted"))
    try:
        return msgspec.json.decode(data, type=ResultDocument)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(_mistakes(data, where, error)) from error


class _Head(msgspec.Struct):
    format: str = ""
    version: int = 0


def _mistakes(data: bytes, where: str, error: Exception) -> tuple[Issue, ...]:
    """Every mistake; the decoder knows the first one only."""
    try:
        found = schema_issues(parse_json(data, where), _RESULT, file=where)
    except ModelError as faults:
        found = faults.issues
    return found or (Issue(f"is no {_RESULT} document: {error}", where),)
