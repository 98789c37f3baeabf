"""Exported PyTorch programs that differ from a real one in a single thing."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

TINY_CNN: Final = Path(__file__).parents[1] / "data" / "torch" / "tiny_cnn_train.pt2"
"""Convolution, batch norm, ReLU, residual convolution, max pool, dropout and a linear layer in
training mode on x, s77 x 3 x 16 x 16 with 2 <= s77 <= 64; torch 2.13.0."""
MODEL: Final = "models/model.json"
WEIGHTS: Final = "data/weights/model_weights_config.json"


def entries() -> dict[str, bytes]:
    """The entries of TINY_CNN, by their names below its root."""
    with zipfile.ZipFile(TINY_CNN) as archive:
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def program() -> Any:
    """The program of TINY_CNN as a document that may be changed."""
    return json.loads(entries()[MODEL])


def changed(folder: Path, **new: object) -> Path:
    """TINY_CNN with another `program`, `weights` configuration, or with more `entries`."""
    found = entries()
    for name, key in ((MODEL, "program"), (WEIGHTS, "weights")):
        if key in new:
            found[name] = json.dumps(new[key]).encode()
    more = new.get("entries", {})
    assert isinstance(more, Mapping)
    return write(folder / "changed.pt2", {**found, **more})


def write(path: Path, found: Mapping[str, bytes]) -> Path:
    """An archive of those entries."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in found.items():
            archive.writestr(f"net/{name}", data)
    return path
