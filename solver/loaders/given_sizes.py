"""Totals of a graph that a file gives, and whether its sizes can still be added up."""

from collections.abc import Sequence
from typing import Final, TypedDict

from solver.errors import Issue
from solver.graph import SAVED_EXTRA, Op, Phase, Role, Tensor
from solver.units import MAX_BYTES, format_bytes

_NOT_MADE: Final = frozenset({Role.INPUT, Role.LABEL})


class ForwardSizes(TypedDict):
    """Fields of a TrainingGraph about its forward half."""

    loss_tensors: tuple[str, ...]
    forward_bytes: int
    saved_extra_bytes: int


def forward_sizes(ops: Sequence[Op], tensors: Sequence[Tensor]) -> ForwardSizes:
    """Totals of the forward half: the last forward op before a backward one is the loss.

    Inputs, labels and the loss do not count as forward bytes; masks, indices and statistics are
    counted apart.
    """
    forward = [op for op in ops if op.phase is Phase.FORWARD]
    loss = forward[-1].outputs if forward and len(forward) < len(ops) else ()
    makers = {op.name for op in forward}
    own = [
        tensor
        for tensor in tensors
        if tensor.producer in makers
        and tensor.name not in loss
        and tensor.role not in _NOT_MADE
        and not tensor.in_storage_at_start
    ]
    return {
        "loss_tensors": loss,
        "forward_bytes": sum(tensor.bytes for tensor in own if tensor.role not in SAVED_EXTRA),
        "saved_extra_bytes": sum(tensor.bytes for tensor in own if tensor.role in SAVED_EXTRA),
    }


def size_issues(
    ops: Sequence[Op], tensors: Sequence[Tensor], fixed_bytes: int, file: str
) -> list[Issue]:
    """Complain when all sizes together pass 2**62 B: sums would no longer be exact everywhere."""
    total = fixed_bytes + sum(tensor.bytes for tensor in tensors)
    total += max((op.workspace_bytes for op in ops), default=0)
    if total <= MAX_BYTES:
        return []
    words = f"all tensors together hold {format_bytes(total)}"
    return [Issue(words, file, f"at most {format_bytes(MAX_BYTES)} can be scheduled")]
