"""Pricing: a training graph on a device becomes arrays of seconds, joules and bytes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solver.cost_table import costs_of, sentences
from solver.device import Device
from solver.graph import TrainingGraph

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CostedGraph:
    """A training graph priced on a device; arrays are read-only, in the graph's order.

    op_duration_s, op_energy_j : shape (ops,), one run of each op.
    page_in_s, page_in_j, page_out_s, page_out_j : shape (tensors,), one transfer of each tensor.
    tensor_bytes : exact Python integers, one per tensor.
    """

    graph: TrainingGraph
    device: Device
    op_duration_s: FloatArray
    op_energy_j: FloatArray
    page_in_s: FloatArray
    page_in_j: FloatArray
    page_out_s: FloatArray
    page_out_j: FloatArray
    tensor_bytes: tuple[int, ...]

    @cached_property
    def told(self) -> tuple[str, ...]:
        """What is told of the graph, and of what its prices come from: `warnings` of documents."""
        return (*self.graph.told, *self.priced)

    @cached_property
    def priced(self) -> tuple[str, ...]:
        """What the device's cost table prices of the graph, in sentences; none without a table."""
        table = self.device.profile
        return () if table is None else sentences(table, self.graph)

    @cached_property
    def baseline_energy_j(self) -> float:
        """Energy of every op once, joules, rounded once: equal terms in any order give it."""
        return math.fsum(self.op_energy_j)

    @cached_property
    def baseline_runtime_s(self) -> float:
        """Duration of every op once, seconds."""
        return math.fsum(self.op_duration_s)

    @cached_property
    def plain_peak_bytes(self) -> int:
        """Peak of the baseline: everything kept until its last reader, fixed bytes included."""
        graph = self.graph
        last_use = [
            max(readers, default=graph.producer[i]) for i, readers in enumerate(graph.readers)
        ]
        dying: list[int] = [0] * len(graph.ops)
        for i, last in enumerate(last_use):
            dying[last] += self.tensor_bytes[i]
        live = peak = 0
        for k, op in enumerate(graph.ops):
            live += sum(self.tensor_bytes[i] for i in graph.op_outputs[k])
            peak = max(peak, live + op.workspace_bytes)
            live -= dying[k]
        return peak + graph.fixed_bytes

    @cached_property
    def working_set_bytes(self) -> tuple[int, ...]:
        """Per op, what must be in RAM together: fixed bytes + inputs + outputs + workspace."""
        graph = self.graph
        return tuple(
            graph.fixed_bytes
            + op.workspace_bytes
            + sum(self.tensor_bytes[i] for i in {*graph.op_inputs[k], *graph.op_outputs[k]})
            for k, op in enumerate(graph.ops)
        )

    @cached_property
    def floor_bytes(self) -> int:
        """The largest working set: no schedule needs less."""
        return max(self.working_set_bytes, default=self.graph.fixed_bytes)

    @cached_property
    def floor_op(self) -> int:
        """Position of the op that sets the floor; the first in order on ties."""
        return self.working_set_bytes.index(self.floor_bytes)

    @property
    def floor_op_name(self) -> str | None:
        """Name of the op that sets the floor; None when no op needs more than the fixed bytes."""
        graph = self.graph
        return graph.ops[self.floor_op].name if self.floor_bytes > graph.fixed_bytes else None


def price(graph: TrainingGraph, device: Device) -> CostedGraph:
    """Price every op and every transfer of `graph` on `device`.

    compute = FLOP / (FLOP per joule); transfer = (latency + bytes / rate) * power
    (POET, ICML 2022, section 4). What the device's cost table says of an op takes the place of
    FLOP over rate.
    """
    flop = np.array([op.flop for op in graph.ops], dtype=np.float64)
    sizes = tuple(tensor.bytes for tensor in graph.tensors)
    size = np.array(sizes, dtype=np.float64)
    page_in_s = device.page_in.latency_s + size / device.page_in.bytes_per_s
    page_out_s = device.page_out.latency_s + size / device.page_out.bytes_per_s
    op_s, op_j = flop / device.flop_per_s, flop / device.flop_per_j
    if device.profile is not None:
        found = costs_of(device.profile, graph)
        op_s, op_j = _replaced(op_s, found.seconds), _replaced(op_j, found.joules)
    arrays = (
        op_s,
        op_j,
        page_in_s,
        page_in_s * device.page_in.power_w,
        page_out_s,
        page_out_s * device.page_out.power_w,
    )
    for array in arrays:
        array.setflags(write=False)
    return CostedGraph(graph, device, *arrays, sizes)


def _replaced(worked_out: FloatArray, given: Sequence[float | None]) -> FloatArray:
    """What was worked out, but for the numbers that are given."""
    numbers = np.array([np.nan if number is None else number for number in given], np.float64)
    return np.where(np.isnan(numbers), worked_out, numbers)
