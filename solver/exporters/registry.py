"""The formats a schedule can be saved in: ours, and other packages' (`poet.exporters`)."""

from types import MappingProxyType
from typing import Final

from solver.exporters.base import Exporter
from solver.plugins import Plugins

EXPORTERS: Final[Plugins[Exporter]] = Plugins(
    "export format",
    "poet.exporters",
    MappingProxyType({
        "csv": "solver.exporters.csv:CSV",
        "chrome-trace": "solver.exporters.chrome_trace:CHROME_TRACE",
        "plan": "solver.exporters.plan:PLAN",
    }),
)  # fmt: skip


def get_exporter(name: str) -> Exporter:
    """The exporter of that name. Raises UsageError with the nearest name when there is none."""
    return EXPORTERS.get(name)
