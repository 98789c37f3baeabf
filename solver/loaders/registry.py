"""The formats that can be opened: ours, and those of other packages (`poet.loaders`)."""

import logging
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from solver.graph import TrainingGraph
from solver.loaders.options import LoadOptions
from solver.loaders.sniff import FileKind, refusal, sniff
from solver.network import Network

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logging.getLogger(__name__)


class Loader(Protocol):
    """One format that can be opened."""

    @property
    def name(self) -> str:
        """Short name, unique among the loaders."""
        ...

    @property
    def summary(self) -> str:
        """One sentence for lists and the file dialog."""
        ...

    def accepts(self, path: Path) -> bool:
        """Tell by content, never by suffix, whether the existing file `path` is this format."""
        ...

    def load(self, path: Path, options: LoadOptions) -> Network | TrainingGraph:
        """Read `path`. Raises ModelError with every mistake found; has no partial result."""
        ...


@dataclass(frozen=True, slots=True)
class _BuiltIn:
    """One of ours: a function at "module:attr", imported when a file needs it."""

    name: str
    summary: str
    kind: FileKind
    address: str

    def accepts(self, path: Path) -> bool:
        return sniff(path) is self.kind

    def load(self, path: Path, options: LoadOptions) -> Network | TrainingGraph:
        module, _, attribute = self.address.partition(":")
        function = cast(
            "Callable[[Path, LoadOptions], Network | TrainingGraph]",
            getattr(import_module(module), attribute),
        )
        return function(path, options)


BUILT_IN: Final[tuple[Loader, ...]] = (
    _BuiltIn("onnx", "ONNX models (.onnx)", FileKind.ONNX, "solver.loaders.onnx_file:load_onnx"),
    _BuiltIn(
        "schedule-graph",
        "Training graphs written by hand or by a script (.json)",
        FileKind.SCHEDULE_GRAPH,
        "solver.loaders.schedule_graph:load",
    ),
    _BuiltIn(
        "poet.graph",
        "Training graphs saved by this program (.json)",
        FileKind.POET_GRAPH,
        "solver.loaders.poet_graph:load",
    ),
)


def loaders() -> tuple[Loader, ...]:
    """Every loader that can be used, ours first; a broken one is left out and logged."""
    return (*BUILT_IN, *_third_party())


def load_file(path: Path, options: LoadOptions) -> Network | TrainingGraph:
    """Read a model file of any known format, told by its content.

    A network is still to be differentiated; a graph file is a training graph already and its
    accounting `given`.

    Raises
    ------
    ModelError
        Not there, a folder, no model, or a model with mistakes, all of which are named.
    """
    kind = sniff(path)
    for loader in loaders():
        if loader.accepts(path):
            return loader.load(path, options)
    raise refusal(kind, path)


@lru_cache
def _third_party() -> tuple[Loader, ...]:
    found: list[Loader] = []
    for entry in sorted(entry_points(group="poet.loaders"), key=lambda entry: entry.name):
        try:
            found.append(cast("Loader", entry.load()))
        except (ImportError, AttributeError, SyntaxError, OSError) as error:
            _log.warning("the loader %s of another package cannot be used: %s", entry.name, error)
    return tuple(found)
