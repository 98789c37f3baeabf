"""Lists of tensors and values that may be absent: followed by name, so that only tensors are left.

What an exporter writes of lists is known before the network runs: which tensors, in which order.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_rules.base import Fact, RuleError, int64_array, plain_axis

Visit = Callable[[Inferred, FileNode], None]

_ATTRIBUTE_AXES: Final = 11
"""The opset of nodes made here: axes and sizes are attributes in it."""

_Answer = Iterator[FileNode]


def rewrite(state: Inferred, node: FileNode, visit: Visit) -> None:
    """Follow a node on lists; visits the nodes on tensors that it stands for.

    Raises RuleError where a list or a place in it is not known before the network runs.
    """
    if not node.outputs or not node.outputs[0]:
        raise RuleError("it has no output")
    for plain in _RULES[node.op_type](state, node):
        visit(state, plain)


def _list(state: Inferred, node: FileNode, position: int = 0) -> tuple[str, ...]:
    name = state.resolve(node.inputs[position]) if position < len(node.inputs) else ""
    if name not in state.sequences:
        raise RuleError(f"input {position + 1} is no list of tensors")
    return state.sequences[name]


def _tensor(state: Inferred, node: FileNode, position: int) -> str:
    name = state.resolve(node.inputs[position]) if position < len(node.inputs) else ""
    if name not in state.facts:
        raise RuleError(f"input {position + 1} is no tensor")
    return name


def _place(
    state: Inferred, node: FileNode, position: int, length: int, *, last: int | None = None
) -> int:
    """A place in a list, counted from the front. `last` where the input is absent."""
    if position >= len(node.inputs) or not node.inputs[position]:
        if last is None:
            raise RuleError(f"input {position + 1} is missing")
        return last
    fact = state.facts[_tensor(state, node, position)]
    if fact.array is None or fact.elements != 1:
        raise fact.unknown("place in the list")
    place = int(fact.array.ravel()[0])
    if not -length <= place < length:
        raise RuleError(f"there is no place {place} in a list of {length}")
    return place + length if place < 0 else place


def _integer(node: FileNode, name: str) -> int:
    value = node.attributes.get(name, 0)
    if not isinstance(value, int):
        raise RuleError(f"attribute {name} must be an integer")
    return value


def _as(node: FileNode, name: str) -> _Answer:
    """The output is the tensor `name` itself."""
    yield FileNode(node.name, "Identity", (name,), (node.outputs[0],))


def _hold(state: Inferred, node: FileNode, names: tuple[str, ...]) -> _Answer:
    state.sequences[node.outputs[0]] = names
    return iter(())


def _construct(state: Inferred, node: FileNode) -> _Answer:
    return _hold(state, node, tuple(_tensor(state, node, k) for k in range(len(node.inputs))))


def _empty(state: Inferred, node: FileNode) -> _Answer:
    return _hold(state, node, ())


def _insert(state: Inferred, node: FileNode) -> _Answer:
    names, added = _list(state, node), _tensor(state, node, 1)
    place = _place(state, node, 2, len(names) + 1, last=len(names))
    return _hold(state, node, (*names[:place], added, *names[place:]))


def _erase(state: Inferred, node: FileNode) -> _Answer:
    names = _list(state, node)
    place = _place(state, node, 1, len(names), last=len(names) - 1)
    return _hold(state, node, (*names[:place], *names[place + 1 :]))


def _at(state: Inferred, node: FileNode) -> _Answer:
    names = _list(state, node)
    return _as(node, names[_place(state, node, 1, len(names))])


def _length(state: Inferred, node: FileNode) -> _Answer:
    count = int64_array([len(_list(state, node))]).reshape(())
    state.facts[node.outputs[0]] = Fact((), "int64", count, constant=True)
    return iter(())


def _concat(state: Inferred, node: FileNode) -> _Answer:
    names, axis = _list(state, node), _integer(node, "axis")
    if not names:
        raise RuleError("it joins an empty list, whose shape nobody knows")
    if _integer(node, "new_axis"):
        axis = plain_axis(axis, state.facts[names[0]].rank + 1)
        parts = tuple(f"{node.outputs[0]}[{k}]" for k in range(1, len(names) + 1))
        for name, part in zip(names, parts, strict=True):
            yield _plain(part, "Unsqueeze", (name,), (part,), axes=(axis,))
        names = parts
    yield _plain(node.name, "Concat", names, (node.outputs[0],), axis=axis)


def _split(state: Inferred, node: FileNode) -> _Answer:
    name = _tensor(state, node, 0)
    fact, keep = state.facts[name], True
    axis = plain_axis(_integer(node, "axis"), fact.rank)
    if len(node.inputs) > 1 and node.inputs[1]:
        split = state.facts[_tensor(state, node, 1)]
        state.effort.afford(_count(split, fact.shape[axis]), node.place)
        sizes = _sizes(split, fact.shape[axis])
    else:
        state.effort.afford(fact.shape[axis], node.place)
        sizes = (1,) * fact.shape[axis]
        keep = bool(node.attributes.get("keepdims", 1))
    if not sizes:
        raise RuleError("it splits nothing into a list")
    parts = tuple(f"{node.outputs[0]}[{k}]" for k in range(1, len(sizes) + 1))
    pieces = parts if keep else tuple(f"{part} of {node.name}" for part in parts)
    yield _plain(node.name, "Split", (name,), pieces, axis=axis, split=sizes)
    if not keep:
        for piece, part in zip(pieces, parts, strict=True):
            yield _plain(part, "Squeeze", (piece,), (part,), axes=(axis,))
    state.sequences[node.outputs[0]] = parts


def _count(split: Fact, length: int) -> int:
    """How many parts: before they are written out, there may be a great many."""
    if split.rank or split.array is None:
        return split.elements
    return -(-length // max(1, int(split.array)))


def _sizes(split: Fact, length: int) -> tuple[int, ...]:
    """A vector of sizes as it is; a number is the size of every part but a smaller last one."""
    if split.array is None:
        raise split.unknown("sizes")
    numbers = tuple(int(item) for item in split.array.ravel())
    if split.rank:
        return numbers
    if numbers[0] < 1:
        raise RuleError(f"it splits into parts of {numbers[0]}")
    whole, rest = divmod(length, numbers[0])
    return (numbers[0],) * whole + ((rest,) if rest else ())


def _plain(
    name: str,
    kind: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    **attributes: int | tuple[int, ...],
) -> FileNode:
    return FileNode(name, kind, inputs, outputs, attributes, opset=_ATTRIBUTE_AXES)


# An optional value is a list of none or one.


def _optional(state: Inferred, node: FileNode) -> _Answer:
    name = state.resolve(node.inputs[0]) if node.inputs else ""
    return _hold(state, node, (name,) if name else ())


def _has_element(state: Inferred, node: FileNode) -> _Answer:
    name = state.resolve(node.inputs[0]) if node.inputs else ""
    there = bool(name) and bool(state.sequences.get(name, (name,)))
    state.facts[node.outputs[0]] = Fact((), "bool", np.array(there), constant=True)
    return iter(())


def _get_element(state: Inferred, node: FileNode) -> _Answer:
    name = state.resolve(node.inputs[0]) if node.inputs else ""
    held = state.sequences.get(name, (name,) if name in state.facts else ())
    if len(held) != 1:
        raise RuleError("there is no element to get")
    if held[0] in state.sequences:
        return _hold(state, node, state.sequences[held[0]])
    return _as(node, held[0])


_RULES: Final[Mapping[str, Callable[[Inferred, FileNode], _Answer]]] = MappingProxyType({
    "SequenceConstruct": _construct,
    "SequenceEmpty": _empty,
    "SequenceInsert": _insert,
    "SequenceErase": _erase,
    "SequenceAt": _at,
    "SequenceLength": _length,
    "ConcatFromSequence": _concat,
    "SplitToSequence": _split,
    "Optional": _optional,
    "OptionalHasElement": _has_element,
    "OptionalGetElement": _get_element,
})  # fmt: skip

SEQUENCE_OPERATORS: Final = frozenset(_RULES)
"""Operators that make, change or read lists and optional values."""
