"""What the card beside the pointer says about a bar, and what a selected range sums up to."""

import numpy as np

from poet_gui.viewmodels.details import subtitle
from poet_gui.viewmodels.resident import place_text
from poet_gui.viewmodels.timeline import NO_TENSOR, TimelineScene
from poet_gui.viewmodels.trace_index import KIND_NAMES, Axis, Kind, TraceIndex
from solver.text import counted
from solver.units import format_bytes, format_joules, format_percent, format_seconds


def bar_text(scene: TimelineScene, bar: int) -> tuple[str, tuple[str, ...]]:
    """Heading and lines for one bar: kind and name, then when, how long, energy, RAM."""
    index = scene.index
    action = int(scene.bars.action[bar])
    kind = Kind(int(index.kind[action]))
    trace = index.trace
    graph = trace.problem.costed.graph
    target = int(index.target[action])
    name = graph.ops[target].name if kind <= Kind.RECOMPUTE else graph.tensors[target].name
    energy = float(trace.energy_j[action])
    whole = trace.total_energy_j
    share = f" ({format_percent(energy / whole)})" if whole > 0 else ""
    lines = [
        f"{place_text(index, action)}, lasts {format_seconds(float(trace.duration_s[action]))}",
        f"energy {format_joules(energy)}{share}",
        f"RAM {format_bytes(int(trace.resident_bytes[action]))}",
    ]
    tensor = int(scene.lane_tensor[scene.bars.row[bar]])
    if tensor != NO_TENSOR:
        value = graph.tensors[tensor]
        lines.insert(0, f"{value.name}, {format_bytes(value.bytes)}")
    return f"{KIND_NAMES[kind]} · {name}", tuple(lines)


def name_text(scene: TimelineScene, lane: int) -> tuple[str, tuple[str, ...]]:
    """Heading and lines for the name of a lane: the whole name, which the lane may shorten."""
    tensor = int(scene.lane_tensor[lane])
    if tensor == NO_TENSOR:
        return scene.lane_names[lane], (scene.lane_notes[lane],)
    value = scene.index.trace.problem.costed.graph.tensors[tensor]
    return value.name, (subtitle(value), f"made by {value.producer}")


def lane_text(scene: TimelineScene, lane: int, x: float, axis: Axis) -> tuple[str, tuple[str, ...]]:
    """Heading and lines for a place in a lane without a bar: the tensor and where it is then."""
    tensor = int(scene.lane_tensor[lane])
    if tensor == NO_TENSOR:
        return scene.lane_names[lane], (scene.lane_notes[lane],)
    where = "not in RAM"
    if _covers(scene.resident.row_start, scene.resident.edges(axis), lane, x):
        where = "in RAM"
    elif _covers(scene.stored.row_start, scene.stored.edges(axis), lane, x):
        where = "in storage"
    return scene.lane_names[lane], (f"{scene.lane_sizes[lane]}, {where}",)


def _covers(
    row_start: np.ndarray, edges: tuple[np.ndarray, np.ndarray], lane: int, x: float
) -> bool:
    low, high = int(row_start[lane]), int(row_start[lane + 1])
    at = low + int(np.searchsorted(edges[0][low:high], x, side="right")) - 1
    return at >= low and x < float(edges[1][at])


def range_text(index: TraceIndex, low: float, high: float, axis: Axis) -> str:
    """Sum up the bars that lie (partly) in [low, high): how many, energy, time, highest RAM."""
    begins, ends = index.begin(axis)[index.step_action], index.end(axis)[index.step_action]
    inside = index.step_action[(begins < high) & (ends > low)]
    if not len(inside):
        return "nothing in this range"
    trace = index.trace
    first, last = int(index.step[inside[0]]) + 1, int(index.step[inside[-1]]) + 1
    energy = format_joules(float(trace.energy_j[inside].sum()))
    seconds = format_seconds(float(trace.duration_s[inside].sum()))
    peak = format_bytes(int(trace.resident_bytes[inside].max()))
    count = counted(len(inside), "action")
    return f"steps {first}–{last}: {count}, {energy}, {seconds}, RAM up to {peak}"
