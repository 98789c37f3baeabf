"""What is said after the open file was read again."""

from dataclasses import dataclass

from solver.costs import CostedGraph
from solver.units import format_bytes, format_count


@dataclass(frozen=True, slots=True)
class ReloadWords:
    """`title` says whether anything is different, `text` what."""

    title: str
    text: str


def reload_words(before: CostedGraph, now: CostedGraph) -> ReloadWords:
    """Compare the model as it was with the model as it is now."""
    if now is before or now.graph == before.graph:
        return ReloadWords("Read again: nothing has changed", "")
    figures = (
        ("ops", format_count(len(before.graph.ops)), format_count(len(now.graph.ops))),
        ("plain peak", format_bytes(before.plain_peak_bytes), format_bytes(now.plain_peak_bytes)),
        ("floor", format_bytes(before.floor_bytes), format_bytes(now.floor_bytes)),
        (
            "weights",
            format_bytes(before.graph.weight_bytes),
            format_bytes(now.graph.weight_bytes),
        ),
    )
    changes = [f"{name} {old} → {new}" for name, old, new in figures if old != new]
    text = ", ".join(changes) or "Ops and sizes are the same; names or order differ."
    return ReloadWords("Read again: the model has changed", text)
