"""What a file holds for its own batch besides the shapes of Reshapes: target sizes, constants.

A constant whose numbers are the same for each sample (a class token, an initial state of zeros) is
read once more for each sample of a larger batch. The size that Expand or Resize gives a dimension
is the dimension's own where it was so at the exported batch: neither mixes samples.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from solver.loaders.onnx_batch import BatchError, OtherBatch
from solver.loaders.onnx_rules.base import Fact, Node, int64_array, plain_axis, text_of

SIZED: Final = frozenset({"Expand", "Resize"})
"""Operators whose target sizes may name the batch."""

_BROADCASTING: Final = frozenset({
    "Add", "Sub", "Mul", "Div", "Pow", "Mod", "Sum", "Mean", "Min", "Max", "Where", "And", "Or",
    "Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
})  # fmt: skip
_RECURRENT: Final = frozenset({"LSTM", "GRU", "RNN"})
_LENGTHS, _STATE, _CELL = 4, 5, 6  # inputs of a recurrent node that have a batch axis
_SIZES: Final = 3  # input of Resize


class _Meeting(NamedTuple):
    """An axis of a constant input that must be as long as one of a data input; both by slot."""

    slot: int
    axis: int
    data: int
    data_axis: int


def resized(other: OtherBatch, node: Node, names: tuple[str, ...]) -> Node | None:
    """An Expand or Resize with the wanted batch for the exported one, None for no change."""
    position = 1 if node.op_type == "Expand" else _SIZES
    given, source = node.given(position), node.given(0)
    before = other.facts.get(names[0])
    if given is None or given.array is None or source is None or before is None:
        return None
    target = [int(size) for size in given.array.ravel()]
    if source.rank != before.rank or len(target) != len(axes := _axes(node, target)):
        return None
    copied = 1 if node.op_type == "Expand" else None  # leaves a dimension what it is, as no size
    rewritten = [
        source.shape[axis] if axis >= 0 and before.shape[axis] == size != copied else size
        for axis, size in zip(axes, target, strict=True)
    ]
    if rewritten == target:
        return None
    fact = Fact(given.shape, given.dtype, int64_array(rewritten), constant=True)
    return replace(node, inputs=(*node.inputs[:position], fact, *node.inputs[position + 1 :]))


def _axes(node: Node, target: list[int]) -> list[int]:
    """The input's axis for each target size, below zero where it has none."""
    rank = node.need(0).rank
    if node.op_type == "Expand":
        return [k + rank - len(target) for k in range(len(target))]
    named = node.integers("axes")
    return list(range(rank)) if named is None else [plain_axis(axis, rank) for axis in named]


def spread(other: OtherBatch, node: Node, names: tuple[str, ...]) -> Node | None:
    """The node with constants of the exported batch as long as the wanted one, None for no change.

    Raises BatchError where a constant may hold other numbers for each sample.
    """
    inputs = list(node.inputs)
    for meeting in _meetings(node):
        constant, data = inputs[meeting.slot], node.need(meeting.data)
        before = other.facts.get(names[meeting.data])
        if constant is None or before is None or before.rank != data.rank:
            continue
        then, now = before.shape[meeting.data_axis], data.shape[meeting.data_axis]
        if then == now or constant.shape[meeting.axis] != then:
            continue
        if not _is_alike(constant, meeting.axis):
            raise BatchError(
                f"{names[meeting.slot]} {text_of(constant.shape)}, which it reads, may hold other "
                f"numbers for each of {then} samples; export with a dynamic batch, or keep batch "
                f"{other.own}"
            )
        shape = (*constant.shape[: meeting.axis], now, *constant.shape[meeting.axis + 1 :])
        inputs[meeting.slot] = Fact(shape, constant.dtype, constant=True)
    changed = any(a is not b for a, b in zip(inputs, node.inputs, strict=True))
    return replace(node, inputs=tuple(inputs)) if changed else None


def _is_alike(constant: Fact, axis: int) -> bool:
    """Whether it is known to hold the same numbers at each place along the axis."""
    if constant.shape[axis] == 1 or axis in constant.alike:
        return True
    array = constant.array
    return array is not None and bool((array == np.take(array, [0], axis=axis)).all())


def _meetings(node: Node) -> Iterator[_Meeting]:
    constants = [k for k, fact in enumerate(node.inputs) if fact is not None and fact.constant]
    data = [k for k, fact in enumerate(node.inputs) if fact is not None and not fact.constant]
    if not constants or not data:
        return
    if node.op_type in _RECURRENT:
        yield from _of_recurrent(node, constants)
    elif node.op_type == "GridSample" and constants == [1]:
        yield _Meeting(1, 0, 0, 0)
    elif node.op_type == "Concat":
        yield from _of_concat(node, constants, data)
    elif node.op_type in _BROADCASTING:
        for slot in constants:
            for other in data:
                yield from _of_broadcast(node, slot, other)


def _of_recurrent(node: Node, constants: list[int]) -> Iterator[_Meeting]:
    batch = 0 if node.integer("layout", 0) else 1
    for slot, axis in ((_LENGTHS, 0), (_STATE, batch), (_CELL, batch)):
        if slot in constants and node.need(slot).rank > axis and node.need(0).rank > batch:
            yield _Meeting(slot, axis, 0, batch)


def _of_concat(node: Node, constants: list[int], data: list[int]) -> Iterator[_Meeting]:
    rank = node.need(data[0]).rank
    joined = plain_axis(node.integer("axis", 1), rank)
    for slot in constants:
        if node.need(slot).rank == rank:
            for axis in range(rank):
                if axis != joined:
                    yield _Meeting(slot, axis, data[0], axis)


def _of_broadcast(node: Node, slot: int, data: int) -> Iterator[_Meeting]:
    ranks = node.need(slot).rank, node.need(data).rank
    for back in range(1, min(ranks) + 1):
        axis = ranks[0] - back
        if node.need(slot).shape[axis] > 1:  # 1 is spread anyway
            yield _Meeting(slot, axis, data, ranks[1] - back)
