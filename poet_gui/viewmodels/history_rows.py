"""Rows of the history: one what-if each, newest first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from poet_gui.explorer import HistoryRow
from poet_gui.viewmodels.device_words import device_title
from poet_gui.viewmodels.solve_words import Tone, outcome_words
from solver.apart import bytes_apart
from solver.outcome import Feasible, Optimal
from solver.units import format_bytes_exactly, format_joules, format_seconds

COLUMNS = ("memory", "runtime", "energy", "answer")


@dataclass(frozen=True, slots=True)
class HistoryText:
    """The cells of a row in the order of COLUMNS, its tone and its tooltip.

    has_limit : the runtime was limited.
    """

    cells: tuple[str, str, str, str]
    tone: Tone
    tooltip: str
    has_limit: bool


def history_rows(rows: Sequence[HistoryRow]) -> tuple[HistoryText, ...]:
    """The rows as text, newest first."""
    sizes = bytes_apart(row.problem.budgets.ram_bytes for row in rows)
    return tuple(_row(row, sizes) for row in reversed(rows))


def _row(row: HistoryRow, sizes: Mapping[int, str]) -> HistoryText:
    budgets, switches = row.problem.budgets, row.problem.switches
    words = outcome_words(row.outcome, row.problem)
    found = row.outcome if isinstance(row.outcome, Optimal | Feasible) else None
    off = [
        name
        for name, on in (("paging", switches.paging), ("recompute", switches.recompute))
        if not on
    ]
    graph = row.problem.costed.graph
    tooltip = "\n".join((
        f"{graph.name} on {device_title(row.problem.costed.device)}",
        f"budget {format_bytes_exactly(budgets.ram_bytes)}, transfers {switches.io.value}"
        + (f", without {' and '.join(off)}" if off else ""),
        row.outcome.message,
    ))  # fmt: skip
    return HistoryText(
        (
            sizes[budgets.ram_bytes],
            "no limit" if budgets.runtime_s is None else format_seconds(budgets.runtime_s),
            format_joules(found.trace.total_energy_j) if found else "–",
            words.text,
        ),
        words.tone,
        tooltip,
        budgets.runtime_s is not None,
    )
