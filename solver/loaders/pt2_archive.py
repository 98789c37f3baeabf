"""The archive of an exported PyTorch program (.pt2), taken apart without running what it holds.

The format is a zip archive with the program as JSON and tensors as raw bytes, but PyTorch's reader
also loads what other entries hold: example inputs are unpickled, compiled libraries are opened,
tensors may be pickles, sizes and guards are evaluated as Python. So the archive is never handed to
it as it is: this module keeps the entries that are plain data, refuses what can run and packs the
rest anew. The format: PyTorch, torch/export/pt2_archive and torch/csrc/export.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from solver.errors import Issue, ModelError
from solver.import_report import names_of
from solver.loaders.json_file import parse_json
from solver.loaders.pt2_program import ExportedStep, step_of
from solver.loaders.zip_archive import ArchiveError, bytes_of, opened

_PROGRAM: Final = "models/model.json"
_CONFIGURATIONS: Final = {
    "data/weights/model_weights_config.json": re.compile(r"weight_\d+"),
    "data/constants/model_constants_config.json": re.compile(r"tensor_\d+"),
}
"""Which payloads each configuration may name: any other prefix is unpickled by PyTorch."""
_MARKS: Final = {
    "archive_format": b"pt2",
    "archive_version": b"0",
    ".data/version": b"3\n",
    "byteorder": b"little",
}
_TENSOR: Final = re.compile(r"data/(weights/weight|constants/tensor)_\d+")
_DROPPED: Final = re.compile(
    r"data/sample_inputs/model\.pt|extra/.*|\.data/serialization_id|\.format_version"
    r"|\.storage_alignment"
)
"""Entries that nothing needs: they are left out, unread."""
_ROOT: Final = "program"
_OLD: Final = "serialized_exported_program.json"
_EXPORT_AGAIN: Final = "export it again with torch.export.save, plain tensors only"


class _Payload(msgspec.Struct, frozen=True):
    """Where one tensor of a configuration lies."""

    path_name: str
    use_pickle: bool = False


class _Configuration(msgspec.Struct, frozen=True):
    """The tensors of a configuration by name."""

    config: dict[str, _Payload]


@dataclass(frozen=True, slots=True)
class Export:
    """An exported program as read: `step` says what it computes, `data` are its tensors' entries.

    configurations : the JSON that says which entry is which tensor, by entry.
    """

    file: str
    step: ExportedStep
    data: Mapping[str, bytes]
    configurations: Mapping[str, Any]

    def packed(self, sizes: Mapping[str, int]) -> bytes:
        """The archive as PyTorch may read it, with open sizes settled by name, in bytes."""
        whole = io.BytesIO()
        entries = dict(self.data) | dict(_MARKS)
        documents = {_PROGRAM: self.step.with_sizes(sizes), **self.configurations}
        entries |= {name: msgspec.json.encode(document) for name, document in documents.items()}
        entries["data/sample_inputs/model.pt"] = b""
        with zipfile.ZipFile(whole, "w") as archive:
            for name, data in entries.items():
                archive.writestr(f"{_ROOT}/{name}", data)
        return whole.getvalue()


def read_export(path: Path) -> Export:
    """Read and check an exported program.

    Raises ModelError naming everything in it that could run, or that is damaged.
    """
    entries = _entries(path)
    if _OLD in entries:
        words = "was exported by an old PyTorch, in a format that is unpickled"
        raise ModelError(Issue(words, path.name, "export it again with torch 2.9 or newer"))
    issues = [*_strange(entries, path.name), *_missing(entries, path.name)]
    if issues:
        raise ModelError(issues)
    configurations = {name: _document(entries[name], path.name, name) for name in _CONFIGURATIONS}
    issues = [
        issue
        for name, document in configurations.items()
        for issue in _payload_issues(document, name, entries, path.name)
    ]
    if issues:
        raise ModelError(issues)
    step = step_of(_document(entries[_PROGRAM], path.name, _PROGRAM), path.name)
    data = {name: entry for name, entry in entries.items() if _TENSOR.fullmatch(name)}
    return Export(path.name, step, data, configurations)


def _entries(path: Path) -> dict[str, bytes]:
    """Every entry but those left out, by its name below the archive's root."""
    found: dict[str, bytes] = {}
    try:
        with opened(path) as archive:
            for entry in archive.infolist():
                root, slash, name = entry.filename.partition("/")
                name = name if slash and root != ".data" else entry.filename
                if name in found:
                    raise ModelError(Issue(f"holds {name} twice", path.name, _EXPORT_AGAIN))
                if not _DROPPED.fullmatch(name) and not entry.is_dir():
                    found[name] = bytes_of(archive, entry) if _is_read(name) else b""
    except ArchiveError as error:
        raise ModelError(
            Issue(f"is a damaged archive: {error}", path.name, "was it copied completely?")
        ) from error
    return found


def _is_read(name: str) -> bool:
    known = name == _PROGRAM or name in _CONFIGURATIONS or name in _MARKS
    return known or _TENSOR.fullmatch(name) is not None


def _strange(entries: Mapping[str, bytes], file: str) -> Iterator[Issue]:
    strange = sorted(name for name in entries if not _is_read(name))
    compiled = [name for name in strange if name.startswith("data/aotinductor/")]
    programs = [name for name in strange if name.startswith("models/")]
    others = [name for name in strange if name not in {*compiled, *programs}]
    if compiled:
        words = "holds compiled code, which is not loaded"
        yield Issue(words, file, "give what torch.export.save writes")
    if programs:
        words = f"holds {names_of(programs)} beside the one program that is read"
        yield Issue(words, file, "export one program by torch.export.save")
    if others:
        words = f"holds {names_of(others)}, which could be unpickled: a pickle can run anything"
        yield Issue(words, file, _EXPORT_AGAIN)


def _missing(entries: Mapping[str, bytes], file: str) -> Iterator[Issue]:
    missing = [name for name in (_PROGRAM, *_CONFIGURATIONS) if name not in entries]
    if missing:
        yield Issue(f"holds no {names_of(missing)}", file, "export it by torch.export.save")
    for name, value in _MARKS.items():
        if name in {"archive_version", "byteorder"} and entries.get(name, value) != value:
            words = f"has {name} {entries[name][:20].decode('latin-1')!r}"
            yield Issue(words, file, f"only {value.decode()} can be read")


def _document(data: bytes, file: str, name: str) -> object:
    return parse_json(data, f"{file}: {name}")


def _payload_issues(
    document: object, name: str, entries: Mapping[str, bytes], file: str
) -> Iterator[Issue]:
    where = f"{file}: {name}"
    try:
        payloads = msgspec.convert(document, _Configuration).config
    except msgspec.ValidationError as error:
        yield Issue(f"is damaged: {error}", where, _EXPORT_AGAIN)
        return
    folder = name.rpartition("/")[0]
    for tensor, payload in payloads.items():
        if payload.use_pickle or not _CONFIGURATIONS[name].fullmatch(payload.path_name):
            words = f"{tensor} is pickled, so it is not opened: a pickle can run anything"
            yield Issue(words, where, _EXPORT_AGAIN)
        elif f"{folder}/{payload.path_name}" not in entries:
            yield Issue(f"{tensor} has no data in the archive", where, "was it copied completely?")
    if "expr_str" in str(document):
        yield Issue("holds a tensor of open size", where, _EXPORT_AGAIN)
