"""The loaders of this program, each told by the kind of file and imported when one is opened."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from solver.graph import TrainingGraph
from solver.loaders.options import LoadOptions
from solver.loaders.sniff import FileKind, sniff
from solver.network import Network
from solver.plugins import named_object

_Function = Callable[[Path, LoadOptions], Network | TrainingGraph]


@dataclass(frozen=True, slots=True)
class BuiltInLoader:
    """A format of ours; `address` is the function that reads `kinds`, as "module:attribute"."""

    name: str
    summary: str
    kinds: frozenset[FileKind]
    address: str

    def accepts(self, path: Path) -> bool:
        """Whether `path` is of these kinds. Raises ModelError as `sniff`."""
        return sniff(path) in self.kinds

    def load(self, path: Path, options: LoadOptions) -> Network | TrainingGraph:
        """Read `path`. Raises ModelError with every mistake found."""
        return cast("_Function", named_object(self.address))(path, options)


ONNX: Final = BuiltInLoader(
    "onnx",
    "ONNX models (.onnx), also as text or JSON",
    frozenset({FileKind.ONNX, FileKind.ONNX_TEXT, FileKind.ONNX_JSON}),
    "solver.loaders.onnx_file:load_onnx",
)
SCHEDULE_GRAPH: Final = BuiltInLoader(
    "schedule-graph",
    "Training graphs written by hand or by a script (.json)",
    frozenset({FileKind.SCHEDULE_GRAPH}),
    "solver.loaders.schedule_graph:load",
)
POET_GRAPH: Final = BuiltInLoader(
    "poet.graph",
    "Training graphs saved by this program (.json)",
    frozenset({FileKind.POET_GRAPH}),
    "solver.loaders.poet_graph:load",
)
PT2: Final = BuiltInLoader(
    "pt2",
    "Exported PyTorch programs (.pt2), traced by PyTorch where it is installed",
    frozenset({FileKind.PT2}),
    "solver.loaders.pt2_file:load",
)
