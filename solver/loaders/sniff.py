"""What a file is, told by its content and never by its suffix."""

import ast
import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from solver.errors import Issue, ModelError
from solver.files import why_not_readable
from solver.loaders.json_file import read_json
from solver.loaders.zip_archive import ArchiveError, opened
from solver.text import detect_encoding

HEAD_BYTES: Final = 65536


class FileKind(StrEnum):
    """The kinds of files that are told apart."""

    ONNX = "ONNX model"
    SCHEDULE_GRAPH = "schedule-graph"
    POET_GRAPH = "poet.graph"
    POET_RESULT = "poet.result"
    POET_SWEEP = "poet.sweep"
    JSON = "JSON file of another kind"
    DEVICE = "device profile"
    PT2 = "PyTorch export (.pt2)"
    TORCHSCRIPT = "TorchScript archive"
    TORCH_WEIGHTS = "PyTorch weights"
    ZIP = "zip archive"
    PICKLE = "Python pickle"
    SAFETENSORS = "safetensors weights"
    HDF5 = "HDF5 file"
    TFLITE = "TensorFlow Lite model"
    ORT = "onnxruntime's own format"
    HTML = "web page"
    LFS_POINTER = "Git LFS pointer"
    IMAGE = "picture"
    PDF = "PDF document"
    ONNX_TEXT = "ONNX model as text"
    ONNX_JSON = "ONNX model as JSON"
    PYTHON = "Python file"
    TEXT = "text"
    EMPTY = "empty file"
    UNKNOWN = "unknown binary file"


ACCEPTED: Final = "give an ONNX model, a .pt2, a schedule-graph or a poet.graph JSON file"

_TRACE: Final = (
    "trace the network itself, poet trace module.py:factory, or save it by "
    "torch.export.save or torch.onnx.export"
)

_HINTS: Final[Mapping[FileKind, str]] = MappingProxyType({
    FileKind.JSON: 'it needs "format": "schedule-graph" or "poet.graph"',
    FileKind.POET_RESULT: "open it as a result; its model is the poet.graph inside",
    FileKind.POET_SWEEP: "open it as a result",
    FileKind.DEVICE: "give it as a device: --device FILE.toml",
    FileKind.TORCHSCRIPT: f"it holds pickles, which are not opened: {_TRACE}",
    FileKind.TORCH_WEIGHTS: f"weights alone hold no network: {_TRACE}",
    FileKind.PICKLE: f"unpickling runs code, so it is not opened: {_TRACE}",
    FileKind.SAFETENSORS: f"weights alone hold no network: {_TRACE}",
    FileKind.HDF5: "convert the model to ONNX, for example with tf2onnx",
    FileKind.TFLITE: "convert the model to ONNX, for example with tf2onnx",
    FileKind.ORT: "give the .onnx file that it was made from",
    FileKind.HTML: "the download gave a page instead of the model: fetch the file again",
    FileKind.LFS_POINTER: "run git lfs pull",
})  # fmt: skip

_MAGIC: Final = (
    (0, b"PK\x03\x04", FileKind.ZIP),
    (0, b"\x89PNG\r\n\x1a\n", FileKind.IMAGE),
    (0, b"\xff\xd8\xff", FileKind.IMAGE),
    (0, b"GIF8", FileKind.IMAGE),
    (0, b"%PDF-", FileKind.PDF),
    (0, b"\x89HDF\r\n\x1a\n", FileKind.HDF5),
    (4, b"TFL3", FileKind.TFLITE),
    (4, b"ORTM", FileKind.ORT),
    (8, b'{"', FileKind.SAFETENSORS),
)
_FORMATS: Final = {
    kind.value: kind
    for kind in (
        FileKind.SCHEDULE_GRAPH,
        FileKind.POET_GRAPH,
        FileKind.POET_RESULT,
        FileKind.POET_SWEEP,
    )
}
_FORMAT_KEY: Final = re.compile(r'"format"\s*:\s*"([^"\\]{1,40})"')
_PICKLE: Final = re.compile(rb"\x80[\x02-\x05]")
_ONNX_TEXT: Final = re.compile(
    r"\s*(#[^\n]*\n\s*)*"
    r"(<\s*(ir_version|opset_import)|ir_version\s*:|producer_(name|version)\s*:"
    r"|opset_import\s*:?\s*\{|graph\s*:?\s*\{)"
)
_ONNX_KEYS: Final = frozenset({"irVersion", "ir_version", "opsetImport", "opset_import"})
_PYTHON: Final = re.compile(
    r"^(from\s+[\w.]+\s+import\s+\S|import\s+[\w.]+\s*($|[,#]|as\s)"
    r"|def\s+\w+\s*\(|class\s+\w+\s*[(:])",
    re.MULTILINE,
)
_TOML_TABLE: Final = re.compile(r"\[+[A-Za-z_][\w.\-]*\]+\s*(#|$)", re.MULTILINE)
_DEVICE_KEY: Final = re.compile(r"^\s*(flop_per_s|flop_per_j|ram_bytes)\s*=", re.MULTILINE)

# ModelProto's fields and their wire types (onnx.proto): 0 = varint, 2 = length-delimited.
_ONNX_FIELDS: Final = MappingProxyType({
    1: 0, 2: 2, 3: 2, 4: 2, 5: 0, 6: 2, 7: 2, 8: 2, 14: 2, 20: 2, 25: 2, 26: 2,
})  # fmt: skip


def sniff(path: Path) -> FileKind:
    """Tell what kind of file stands at `path`.

    Raises
    ------
    ModelError
        Nothing is there, it is a folder, it cannot be read, or it is broken JSON.
    """
    kind = tell(read_head(path))
    if kind is FileKind.ZIP:
        return _tell_archive(path)
    return _tell_json(read_json(path)) if kind is FileKind.JSON else kind


def read_head(path: Path) -> bytes:
    """Read the first 64 KiB of a file. Errors as in `sniff`."""
    fault = why_not_readable(path)
    if fault:
        hint = "was it moved or renamed?" if fault == "does not exist" else ""
        words = "is a folder, not a model file" if fault == "is a folder" else fault
        hint = ACCEPTED if fault.startswith("is ") else hint
        raise ModelError(Issue(words, str(path), hint))
    try:
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise ModelError(Issue(f"cannot be read: {error.strerror}", str(path))) from error


def refusal(kind: FileKind, path: Path) -> ModelError:
    """Make the error that says what the file is and what to do instead."""
    if kind is FileKind.EMPTY:
        return ModelError(Issue("is an empty file", path.name, "was it copied completely?"))
    if kind is FileKind.UNKNOWN:
        return ModelError(Issue("is no kind of file known here", path.name, ACCEPTED))
    if kind is FileKind.PYTHON:
        words = "is a Python file: it is run by poet trace alone, which makes a model of it"
        hint = f"poet trace {path.name}:factory --input 1x3x32x32 -o NET.json"
        return ModelError(Issue(words, path.name, hint))
    article = "an" if kind[0] in "AEIOHaeiou" else "a"
    words = f"is {kind}" if kind.endswith(("weights", "text", "format")) else f"is {article} {kind}"
    return ModelError(Issue(f"{words}, not a model", path.name, _HINTS.get(kind, ACCEPTED)))


def tell(head: bytes) -> FileKind:
    """Tell the kind of a file from its first bytes."""
    if not head:
        return FileKind.EMPTY
    for offset, magic, kind in _MAGIC:
        if head.startswith(magic, offset):
            return kind
    if _PICKLE.match(head):
        return FileKind.PICKLE
    text = _as_text(head)
    if text is not None:
        return _tell_text(text)
    return FileKind.ONNX if _is_onnx(head) else FileKind.UNKNOWN


def _as_text(head: bytes) -> str | None:
    # A character may be cut at the end of the head: what cannot be decoded there is left out.
    text = head.decode(detect_encoding(head), errors="ignore").removeprefix("\ufeff")
    start = text[:1024]
    printable = sum(character.isprintable() or character.isspace() for character in start)
    lost = len(head) > 4 * len(text) + 4  # most bytes were no characters
    return text if start and printable == len(start) and not lost else None


def _tell_text(text: str) -> FileKind:
    start = text.lstrip()
    if not start:
        return FileKind.EMPTY
    if start.startswith(("{", "[")) and not _TOML_TABLE.match(start):
        found = _FORMAT_KEY.search(start)
        return _FORMATS.get(found[1], FileKind.JSON) if found else FileKind.JSON
    if re.match(r"<(!doctype\s+html|html|head|body)\b", start, re.IGNORECASE):
        return FileKind.HTML
    if start.startswith("version https://git-lfs.github.com/spec/"):
        return FileKind.LFS_POINTER
    told = (
        (_ONNX_TEXT.match(start), FileKind.ONNX_TEXT),
        (_DEVICE_KEY.search(text), FileKind.DEVICE),
        (_is_python(text), FileKind.PYTHON),
    )
    return next((kind for found, kind in told if found), FileKind.TEXT)


def _is_python(text: str) -> bool:
    """Whether all before the first line that says so is Python too, unlike in a text that quotes.

    It is parsed, never run.
    """
    found = _PYTHON.search(text)
    if found is None:
        return False
    try:
        ast.parse(text[: found.start()])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _tell_json(document: object) -> FileKind:
    """Look again with the whole document: "format" may be its last key."""
    named = document.get("format") if isinstance(document, dict) else None
    if isinstance(document, dict) and "graph" in document and not _ONNX_KEYS.isdisjoint(document):
        return FileKind.ONNX_JSON
    return _FORMATS.get(named, FileKind.JSON) if isinstance(named, str) else FileKind.JSON


def _is_onnx(head: bytes) -> bool:
    """Follow the protobuf fields of a ModelProto as far as the head goes."""
    position = fields = 0
    while position < len(head):
        tag, position = _varint(head, position)
        number, wire = tag >> 3, tag & 7
        if _ONNX_FIELDS.get(number) != wire:
            return False
        fields += 1
        value, position = _varint(head, position)
        position += value if wire == 2 else 0  # noqa: PLR2004  # length-delimited
    return fields > 0


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """Read one varint and the position behind it; a cut-off one counts as read."""
    value = shift = 0
    for position_, byte in enumerate(data[position : position + 10], position):
        value |= (byte & 127) << shift
        if byte < 128:  # noqa: PLR2004  # the last byte has no continuation bit
            return value, position_ + 1
        shift += 7
    return value, len(data)


def _tell_archive(path: Path) -> FileKind:
    try:
        with opened(path) as archive:
            names = {name.partition("/")[2] or name for name in archive.namelist()}
    except ArchiveError:
        return FileKind.ZIP
    if names & {"models/model.json", "archive_format", "serialized_exported_program.json"}:
        return FileKind.PT2
    if "constants.pkl" in names:
        return FileKind.TORCHSCRIPT
    return FileKind.TORCH_WEIGHTS if "data.pkl" in names else FileKind.ZIP
