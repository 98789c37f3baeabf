"""What a loader looks like from outside."""

from pathlib import Path
from typing import Protocol

from solver.graph import TrainingGraph
from solver.loaders.options import LoadOptions
from solver.network import Network


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
