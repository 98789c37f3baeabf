"""Path to ONNX message: every way in which a file can fail to be a model, said in one sentence."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from solver.errors import Issue, ModelError
from solver.loaders.onnx_nodes import OWN_DOMAINS
from solver.loaders.onnx_text import parse_text
from solver.loaders.sniff import FileKind, refusal, sniff

if TYPE_CHECKING:
    import onnx

PROTOBUF_LIMIT: Final = 2**31 - 1
"""Bytes: protobuf reads no larger message; larger models keep their weights beside them."""

_TEXTS: Final = frozenset({FileKind.ONNX_TEXT, FileKind.ONNX_JSON})
_VARINT, _DELIMITED, _LAST_FIELD = 0, 2, 26  # wire types; ModelProto's fields end at 26
_VARINT_BITS: Final = 63


def read_model(path: Path) -> "onnx.ModelProto":
    """The ONNX message of `path`, external data untouched.

    Raises ModelError when the path is no readable file, or its content is not a whole ONNX model
    of a version that this program knows; MemoryError when its message does not fit in memory.
    """
    kind, content = _content(path)
    model = parse_text(content, kind, path.name) if kind in _TEXTS else _parse(path, content)
    _check_header(path, model)
    return model


def _parse(path: Path, content: bytes) -> "onnx.ModelProto":
    import onnx  # noqa: PLC0415 - a third of a second that only ONNX files need
    from google.protobuf import message  # type: ignore[import-untyped]  # noqa: PLC0415 - no types

    try:
        model: onnx.ModelProto = onnx.ModelProto.FromString(content)
    except (message.DecodeError, RuntimeError) as error:
        if "alloc failed" in str(error):  # protobuf's own memory, which raises no MemoryError
            raise MemoryError(str(error)) from error
        raise _refusal(path, _damage(content)) from error
    return model


def default_opset(model: "onnx.ModelProto") -> int | None:
    """The version of ONNX's own operator set, None where the model names other domains only."""
    versions = [entry.version for entry in model.opset_import if entry.domain in OWN_DOMAINS]
    return max(versions, default=None)


def _refusal(path: Path, text: str, suggestion: str = "") -> ModelError:
    return ModelError(Issue(text, path.name, suggestion))


def _content(path: Path) -> tuple[FileKind, bytes]:
    try:
        kind = sniff(path)
        # What is of no known kind may still be a damaged model: that is told in more detail below.
        if kind not in {FileKind.ONNX, FileKind.UNKNOWN, *_TEXTS}:
            raise refusal(kind, path)
        size = path.stat().st_size
        if size > PROTOBUF_LIMIT:
            raise _refusal(
                path,
                f"{size} B are more than an ONNX message can hold (2 GiB)",
                "save the model with its weights as external data",
            )
        return kind, path.read_bytes()
    except (OSError, ValueError) as error:
        # ValueError: a zero byte in the path.
        reason = getattr(error, "strerror", None) or error
        raise _refusal(path, f"cannot be read: {reason}") from error


def _varint(content: bytes, position: int) -> tuple[int, int]:
    """A protobuf number and the place behind it. Raises IndexError at the end of the file."""
    value = shift = 0
    while True:
        byte = content[position]
        value |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if not byte & 0x80 or shift > _VARINT_BITS:
            return value, position


def _damage(content: bytes) -> str:
    """Why protobuf could not read the content: cut off inside a field, or no model at all."""
    position = 0
    try:
        while position < len(content):
            key, position = _varint(content, position)
            field, wire = key >> 3, key & 7
            if not 1 <= field <= _LAST_FIELD or wire not in {_VARINT, _DELIMITED}:
                return "not an ONNX file, or a damaged one: its bytes do not follow the format"
            value, position = _varint(content, position)
            if wire == _DELIMITED:
                position += value
    except IndexError:
        return "the file is cut off at its end"
    if position > len(content):
        missing = position - len(content)
        return f"the file is cut off: at least {missing} B are missing at its end"
    return "the file is damaged: a part inside it is not an ONNX graph"


def _check_header(path: Path, model: "onnx.ModelProto") -> None:
    from onnx import defs  # noqa: PLC0415 - onnx is loaded only when a file needs it

    if not model.HasField("graph"):
        raise _refusal(path, "not an ONNX file, or a damaged one: it holds no graph")
    if not model.opset_import:
        raise _refusal(path, "the file names no operator-set version: damaged, not imported")
    known = defs.onnx_opset_version()
    opset = default_opset(model)
    if opset is not None and opset > known:
        raise _refusal(
            path,
            f"operator set {opset} is newer than this program knows (up to {known})",
            f"export with opset_version={known} or lower, or update the package onnx",
        )
    if opset is not None and opset < 1:
        raise _refusal(path, f"operator set {opset} does not exist: damaged, not imported")
    if not model.graph.node:
        raise _refusal(path, "the graph holds no nodes")
    if opset is None and any(node.domain in OWN_DOMAINS for node in model.graph.node):
        raise _refusal(
            path, "the file names no version of ONNX's own operators, and uses them: damaged"
        )
    # protobuf hands out bytes where a text is not UTF-8.
    if any(not isinstance(text, str) for text in _texts(model)):
        raise _refusal(path, "the file is damaged: a name in it is not UTF-8 text")


def _texts(model: "onnx.ModelProto") -> Iterator[str]:
    """Every name that the loader reads."""
    yield from _texts_of_graph(model.graph)
    for function in model.functions:
        yield from (function.domain, function.name, *function.input, *function.output)
        yield from function.attribute
        yield from _texts_of_nodes(function.node)


def _texts_of_graph(graph: "onnx.GraphProto") -> Iterator[str]:
    yield from _texts_of_nodes(graph.node)
    yield from _texts_of_tensors(graph.initializer)
    yield from _texts_of_tensors(sparse.values for sparse in graph.sparse_initializer)
    for entry in (*graph.input, *graph.output):
        yield entry.name
        yield from (dim.dim_param for dim in entry.type.tensor_type.shape.dim)


def _texts_of_nodes(nodes: Iterable["onnx.NodeProto"]) -> Iterator[str]:
    for node in nodes:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        for attribute in node.attribute:
            yield from (attribute.name, attribute.ref_attr_name)
            if attribute.HasField("t"):
                yield from _texts_of_tensors([attribute.t])
            if attribute.HasField("g"):
                yield from _texts_of_graph(attribute.g)


def _texts_of_tensors(tensors: Iterable["onnx.TensorProto"]) -> Iterator[str]:
    for tensor in tensors:
        yield tensor.name
        yield from (text for entry in tensor.external_data for text in (entry.key, entry.value))
