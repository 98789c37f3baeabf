"""The formats a schedule can be saved in: ours, and other packages' (`poet.exporters`)."""

import logging
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Final, cast

from solver.errors import Issue, UsageError
from solver.exporters.base import Exporter
from solver.schemas import near

_log = logging.getLogger(__name__)

BUILT_IN: Final[Mapping[str, str]] = MappingProxyType({
    "csv": "solver.exporters.csv:CSV",
    "chrome-trace": "solver.exporters.chrome_trace:CHROME_TRACE",
})  # fmt: skip


def exporters() -> tuple[Exporter, ...]:
    """Every exporter that can be used, ours first; a broken one is left out and logged."""
    return (*(_built_in(name) for name in BUILT_IN), *_third_party())


def get_exporter(name: str) -> Exporter:
    """The exporter of that name. Raises UsageError with the nearest name when there is none."""
    known = {exporter.name: exporter for exporter in exporters()}
    if name not in known:
        hint = near(name, known) or "one of: " + ", ".join(known)
        raise UsageError(Issue(f"no export format is called {name!r}", suggestion=hint))
    return known[name]


def _built_in(name: str) -> Exporter:
    module, _, attribute = BUILT_IN[name].partition(":")
    return cast("Exporter", getattr(import_module(module), attribute))


@lru_cache
def _third_party() -> tuple[Exporter, ...]:
    found: list[Exporter] = []
    for entry in sorted(entry_points(group="poet.exporters"), key=lambda entry: entry.name):
        try:
            found.append(cast("Exporter", entry.load()))
        except (ImportError, AttributeError, SyntaxError, OSError) as error:
            _log.warning("the exporter %s of another package cannot be used: %s", entry.name, error)
    return tuple(found)
