"""Documents <-> JSON text."""

import json
from typing import Final, TypeVar

import msgspec

from solver.codec.documents import Document, GraphDocument, ResultDocument
from solver.errors import Issue, ModelError
from solver.schemas import schema_issues

_D = TypeVar("_D", GraphDocument, ResultDocument)
_ENCODER: Final = msgspec.json.Encoder()


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
    return _decode(data, where, ResultDocument, "poet.result")


def decode_graph(data: bytes, where: str = "") -> GraphDocument:
    """A poet.graph from JSON; see decode_result."""
    return _decode(data, where, GraphDocument, "poet.graph")


class _Head(msgspec.Struct):
    format: str = ""
    version: int = 0


def _decode(data: bytes, where: str, kind: type[_D], name: str) -> _D:
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(Issue(f"is no {name} document: {error}", where)) from error
    if head.format != name or head.version != 1:
        found = f"{head.format} version {head.version}" if head.format else "another kind of JSON"
        raise ModelError(Issue(f"is {found}", where, f"{name} version 1 is wanted"))
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ModelError(_mistakes(data, where, name, error)) from error


def _mistakes(data: bytes, where: str, name: str, error: Exception) -> tuple[Issue, ...]:
    """Every mistake; the decoder knows the first one only."""
    try:
        found = schema_issues(json.loads(data), name, file=where)
    except ValueError:  # no JSON at all, or no UTF-8
        found = ()
    return found or (Issue(f"is no {name} document: {error}", where),)
