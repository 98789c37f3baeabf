"""A warning before the first solve: one tensor sets the floor, and a setting would lower it."""

from dataclasses import dataclass
from typing import Final

from solver.costs import CostedGraph
from solver.graph import Accounting, Role, Tensor, TrainingGraph, WeightGradients, Weights
from solver.units import format_bytes, format_percent

_HIGH: Final = 0.4
"""Part of the plain peak from which a floor leaves little to choose."""
_MOST: Final = 0.5
"""Part of the floor from which one tensor sets it."""


@dataclass(frozen=True, slots=True)
class FloorWarning:
    """`title` says what sets the floor, `text` what it means and which setting changes it."""

    title: str
    text: str


def floor_warning(costed: CostedGraph) -> FloorWarning | None:
    """The warning, None where no single tensor sets the floor or the floor is low anyway."""
    graph, floor, peak = costed.graph, costed.floor_bytes, costed.plain_peak_bytes
    if not graph.ops or floor < _HIGH * peak:
        return None
    share = f"{format_percent(floor / peak)} of what the plain schedule needs"
    low = f"The floor is {format_bytes(floor)}, {share}: with less, nothing works."
    if graph.fixed_bytes >= _MOST * floor:
        title = f"Fixed bytes of {format_bytes(graph.fixed_bytes)} set the floor"
        return FloorWarning(title, f"{low} {_fixed_setting(graph)}".strip())
    op = costed.floor_op
    together = dict.fromkeys((*graph.op_inputs[op], *graph.op_outputs[op]))
    largest = max(together, key=lambda i: graph.tensors[i].bytes, default=None)
    if largest is None or graph.tensors[largest].bytes < _MOST * floor:
        return None
    tensor = graph.tensors[largest]
    title = f"{tensor.name} ({format_bytes(tensor.bytes)}) sets the floor"
    return FloorWarning(title, f"{low} {_setting(costed, tensor)}".strip())


def _setting(costed: CostedGraph, tensor: Tensor) -> str:
    """What to change, in a sentence; empty where nothing is known to help."""
    settings = costed.graph.settings
    if tensor.role is Role.WEIGHT_GRADIENT:
        given = settings.accounting is Accounting.GIVEN  # then there is nothing to choose
        if given or settings.weight_gradients is not WeightGradients.BUFFERED:
            return ""
        applied = format_bytes(_floor_when_applied(costed))
        return f"Weight gradients “applied at once” (Model) lower the floor to {applied}."
    if settings.accounting is Accounting.GIVEN:
        return "The file says so; a smaller batch would have to be exported."
    if settings.accounting is Accounting.POET:
        return "The accounting “differentiated” (Model) counts no copies for views."
    if (settings.batch or 1) > 1:
        return f"A batch (Model) smaller than {settings.batch} lowers the floor."
    return "At batch 1 only a smaller input or network lowers it."


def _fixed_setting(graph: TrainingGraph) -> str:
    if graph.settings.weights is Weights.RESIDENT and graph.weight_bytes:
        lower = format_bytes(graph.weight_bytes)
        return f"Weights “not counted” (Model) lower the floor by {lower}."
    return ""


def _floor_when_applied(costed: CostedGraph) -> int:
    """The floor without weight gradients: an op that applies its own has no output, bytes."""
    graph = costed.graph
    buffered = [
        sum(
            graph.tensors[i].bytes for i in outputs if graph.tensors[i].role is Role.WEIGHT_GRADIENT
        )
        for outputs in graph.op_outputs
    ]
    needs = zip(costed.working_set_bytes, buffered, strict=True)
    return max(need - less for need, less in needs)
