"""Exported programs (.pt2), read without running anything that they hold.

The archive is JSON and raw weights, but it may also hold pickles: example inputs always, weights
and constants where their configuration says so. PyTorch's reader falls back to unpickling without
restraint. So the example inputs are replaced by none, and an archive with other pickles is refused.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn

from solver.errors import EngineError, Issue, ModelError

_SAMPLE: Final = "/data/sample_inputs/"
_CONFIGURATIONS: Final = ("model_weights_config.json", "model_constants_config.json")
_KNOWN: Final = (
    "/data/weights/", "/data/constants/", "/models/", "/archive_format", "/archive_version",
    "/.data/", "/byteorder", "/.format_version", "/.storage_alignment",
)  # fmt: skip


def load_exported(path: Path) -> nn.Module:
    """The module of an exported program, in training mode as exported.

    Raises ModelError for an archive with anything that would be unpickled, or that this PyTorch
    cannot read.
    """
    clean = io.BytesIO(_without_pickles(path))
    try:
        program = torch.export.load(clean)
    except Exception as error:  # torch raises whatever its readers do
        words = f"this PyTorch ({torch.__version__}) cannot read it"
        raise ModelError(Issue(words, path.name, "export it with this version")) from error
    module: nn.Module = program.module(check_guards=False)
    return module


def _without_pickles(path: Path) -> bytes:
    kept = io.BytesIO()
    try:
        with zipfile.ZipFile(path) as archive, zipfile.ZipFile(kept, "w") as copy:
            for name in archive.namelist():
                if _SAMPLE in name:
                    copy.writestr(name, _nothing())
                    continue
                data = archive.read(name)
                _refuse(path.name, name, data)
                copy.writestr(name, data)
    except (OSError, zipfile.BadZipFile, RuntimeError) as error:
        raise ModelError(Issue(f"is no exported program: {error}", path.name)) from error
    return kept.getvalue()


def _refuse(file: str, name: str, data: bytes) -> None:
    if not any(part in f"/{name}" for part in _KNOWN):
        raise ModelError(Issue(f"holds {name}, which no plain exported program does", file))
    if name.endswith(_CONFIGURATIONS):
        try:
            configuration: Any = json.loads(data)
            entries = configuration["config"].values()
            pickled = [entry for entry in entries if entry.get("use_pickle")]
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise ModelError(Issue(f"{name} is damaged", file)) from error
        if pickled:
            words = "holds pickled tensors, which are not opened: a pickle can run anything"
            raise ModelError(Issue(words, file, "export it again with plain tensors only"))


def _nothing() -> bytes:
    """Example inputs: none."""
    data = io.BytesIO()
    torch.save(((), {}), data)
    return data.getvalue()


def shapes_of(path: Path) -> list[tuple[tuple[int, ...], str]]:
    """Shape and torch dtype name of every input that the user gives, from the archive's JSON.

    Raises EngineError where a size is symbolic.
    """
    program = torch.export.load(io.BytesIO(_without_pickles(path)))
    wanted = set(program.graph_signature.user_inputs)
    found = []
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name in wanted:
            fake = node.meta["val"]
            if not all(isinstance(size, int) for size in fake.shape):
                words = f"input {node.name} leaves sizes open: {tuple(map(str, fake.shape))}"
                raise EngineError(Issue(words, path.name, "export it with fixed sizes"))
            found.append((tuple(fake.shape), str(fake.dtype).removeprefix("torch.")))
    return found
