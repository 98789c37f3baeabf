"""Actions in words and plain numbers: the rows that every table and document of them is made of."""

from collections.abc import Iterator
from typing import NamedTuple

from solver.schedule import ActionKind
from solver.simulate import Trace


class ActionRow(NamedTuple):
    """One action in words and plain numbers, as in poet.result.

    `op` is empty for transfers and frees, `tensor` for runs of an op. `bytes` are the tensor's, for
    an op the sum of its outputs. `resident_bytes` is RAM when the action is issued, for a free RAM
    after it.
    """

    position: int
    kind: ActionKind
    op: str
    tensor: str
    start_s: float
    duration_s: float
    energy_j: float
    bytes: int
    resident_bytes: int


def action_rows(trace: Trace) -> Iterator[ActionRow]:
    """Rows of all actions in issue order."""
    costed = trace.problem.costed
    graph, sizes = costed.graph, costed.tensor_bytes
    made = [sum(sizes[i] for i in outputs) for outputs in graph.op_outputs]
    columns = zip(
        trace.schedule.actions,
        trace.start_s.tolist(),
        trace.duration_s.tolist(),
        trace.energy_j.tolist(),
        trace.resident_bytes.tolist(),
        strict=True,
    )
    for position, (action, start_s, duration_s, energy_j, resident_bytes) in enumerate(columns):
        target = action.target
        runs = action.kind.runs_op
        yield ActionRow(
            position,
            action.kind,
            graph.ops[target].name if runs else "",
            "" if runs else graph.tensors[target].name,
            start_s,
            duration_s,
            energy_j,
            made[target] if runs else sizes[target],
            resident_bytes,
        )
