"""Where a sweep stands, in words."""

from dataclasses import dataclass
from typing import Final, assert_never

from poet_gui.solving.sweep_status import MAIN, SweepPhase, SweepStatus
from poet_gui.viewmodels.frontier_sources import STYLES
from poet_gui.viewmodels.solve_words import Tone
from solver.units import format_bytes, format_count, format_percent, format_seconds

_LABELS: Final = {style.strategy: style.label for style in STYLES}


@dataclass(frozen=True, slots=True)
class SweepWords:
    """`text` is one line, `done` of `total` what a progress bar shows."""

    text: str
    tone: Tone
    done: int
    total: int


def sweep_words(status: SweepStatus) -> SweepWords:
    """Progress of a running sweep, or how the last one ended; empty before the first."""
    total = max(1, status.plan.points * len(status.plan.strategies))
    count = f"{format_count(status.done)} solved"
    match status.phase:
        case SweepPhase.IDLE:
            return SweepWords("", Tone.MUTED, 0, total)
        case SweepPhase.RUNNING:
            return SweepWords(_running(status, total), Tone.ACCENT, status.done, total)
        case SweepPhase.DONE:
            return SweepWords(f"Sweep ended: {count}", Tone.GOOD, total, total)
        case SweepPhase.CANCELLED:
            return SweepWords(
                f"Sweep stopped: {count}, {status.why}", Tone.WARNING, status.done, total
            )
        case SweepPhase.FAILED:
            return SweepWords(
                f"Sweep ended early: {count}, {status.why}", Tone.DANGER, status.done, total
            )
        case _:
            assert_never(status.phase)


def _running(status: SweepStatus, total: int) -> str:
    parts = [f"{format_count(status.done)} of at most {format_count(total)}"]
    if status.budgets is not None:
        limit_s = status.budgets.runtime_s
        parts.append(format_bytes(status.budgets.ram_bytes))
        if limit_s is not None:
            parts.append(f"≤ {format_seconds(limit_s)}")
    if status.strategy != MAIN or len(status.plan.strategies) > 1:
        parts.append(_LABELS[status.strategy])
    if status.open_share is not None:
        parts.append(f"{format_percent(status.open_share)} of the axis open")
    return " · ".join(parts)
