"""The formats that can be opened: ours, and those of other packages (`poet.loaders`)."""

import logging
from pathlib import Path
from types import MappingProxyType
from typing import Final

from solver.graph import TrainingGraph
from solver.loaders.base import Loader
from solver.loaders.options import LoadOptions
from solver.loaders.sniff import refusal, sniff
from solver.network import Network
from solver.plugins import Plugins

_log = logging.getLogger(__name__)

LOADERS: Final[Plugins[Loader]] = Plugins(
    "loader",
    "poet.loaders",
    MappingProxyType({
        "onnx": "solver.loaders.built_in:ONNX",
        "schedule-graph": "solver.loaders.built_in:SCHEDULE_GRAPH",
        "poet.graph": "solver.loaders.built_in:POET_GRAPH",
        "pt2": "solver.loaders.built_in:PT2",
    }),
)  # fmt: skip


def load_file(path: Path, options: LoadOptions) -> Network | TrainingGraph:
    """Read a model file of any known format, told by its content.

    A network is still to be differentiated; a graph file is a training graph already and its
    accounting `given`. A loader of another package that cannot be used is logged and passed over.

    Raises
    ------
    ModelError
        Not there, a folder, no model, or a model with mistakes, all of which are named.
    """
    kind = sniff(path)
    loaders, issues = LOADERS.usable()
    for issue in issues:
        _log.warning("%s", issue)
    for loader in loaders:
        if loader.accepts(path):
            return loader.load(path, options)
    raise refusal(kind, path)
