"""Small training graphs for tests, written as one line per op."""

from collections.abc import Iterable
from typing import NamedTuple

from solver.costs import CostedGraph, price
from solver.device import Device, IoMode, Transfer
from solver.graph import Op, Phase, Tensor, TrainingGraph
from solver.problem import Budgets, Problem, Switches


class Line(NamedTuple):
    """An op with one output tensor of its own name; `size` in bytes; phase "f" or "b"."""

    name: str
    phase: str
    size: int
    flop: float
    inputs: tuple[str, ...] = ()
    recomputable: bool = True
    pageable: bool = True
    workspace: int = 0
    stored: bool = False


def graph_of(lines: Iterable[Line], *, fixed_bytes: int = 0) -> TrainingGraph:
    lines = tuple(lines)
    phases = {"f": Phase.FORWARD, "b": Phase.BACKWARD}
    return TrainingGraph(
        name="test",
        ops=tuple(
            Op(
                line.name,
                "test",
                phases[line.phase],
                line.inputs,
                (line.name,),
                line.flop,
                workspace_bytes=line.workspace,
                recomputable=line.recomputable and line.phase == "f",
            )
            for line in lines
        ),
        tensors=tuple(
            Tensor(
                line.name,
                line.size,
                line.name,
                pageable=line.pageable,
                in_storage_at_start=line.stored,
            )
            for line in lines
        ),
        fixed_bytes=fixed_bytes,
    )


def device_of(
    *,
    joule_per_byte_in: float = 1e-5,
    joule_per_byte_out: float = 1e-5,
    joule_per_flop: float = 1e-6,
) -> Device:
    """A device of round numbers: 1 MFLOP/s, 1 W transfers, no latency."""
    return Device(
        "test",
        "test",
        1e6,
        1 / joule_per_flop,
        10**12,
        IoMode.BLOCKING,
        Transfer(0.0, 1 / joule_per_byte_in, 1.0),
        Transfer(0.0, 1 / joule_per_byte_out, 1.0),
    )


def chain(depth: int = 5, *, size: int = 1000, flop: float = 1e6) -> TrainingGraph:
    """f1 .. fn, loss, bn .. b1: a chain in which each gradient reads the activation before it."""
    lines = [Line("f1", "f", size, flop)]
    lines += [Line(f"f{k}", "f", size, flop, (f"f{k - 1}",)) for k in range(2, depth + 1)]
    lines += [Line("loss", "f", 4, 1.0, (f"f{depth}",))]
    lines += [Line(f"b{depth}", "b", size, 2 * flop, ("loss", f"f{depth}"))]
    lines += [
        Line(f"b{k}", "b", size, 2 * flop, (f"b{k + 1}", f"f{k}")) for k in range(depth - 1, 0, -1)
    ]
    return graph_of(lines)


def problem_of(
    graph: TrainingGraph | CostedGraph,
    ram_bytes: int,
    *,
    runtime_s: float | None = None,
    device: Device | None = None,
    paging: bool = True,
    recompute: bool = True,
    io: IoMode = IoMode.BLOCKING,
) -> Problem:
    costed = graph if isinstance(graph, CostedGraph) else price(graph, device or device_of())
    return Problem(costed, Budgets(ram_bytes, runtime_s), Switches(paging, recompute, io))
