"""Shapes of operators that pick, spread or replace elements by their place."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    one,
    plain_axis,
    text_of,
)
from solver.loaders.onnx_rules.constants import expand, gather, slice_, tile
from solver.loaders.onnx_tensors import dtype_of

_REPEATS: Final = 6  # opset from which Tile takes one count per axis
_MATRIX: Final = 2
_SCATTERED: Final = ("none", "add", "mul", "max", "min")


def gather_elements(node: Node) -> Inference:
    """GatherElements: one element per index, all of them along one axis."""
    data, indices = node.need(0), node.need(1)
    if data.rank != indices.rank:
        raise RuleError(f"{text_of(indices.shape)} indices do not fit {text_of(data.shape)}")
    axis = plain_axis(node.integer("axis", 0), data.rank)
    return one(indices.shape, data.dtype, axis=axis)


def gather_nd(node: Node) -> Inference:
    """GatherND: the last axis of the indices is a place in the data behind the batch axes."""
    data, indices = node.need(0), node.need(1)
    batched = node.integer("batch_dims", 0)
    depth = _depth(data, indices, batched)
    shape = (*indices.shape[:-1], *data.shape[batched + depth :])
    return one(shape, data.dtype, batch_dims=batched)


def _depth(data: Fact, indices: Fact, batched: int = 0) -> int:
    """How many axes of the data an index names."""
    depth = indices.shape[-1] if indices.rank else 0
    fits = data.shape[:batched] == indices.shape[:batched] and batched < indices.rank
    if batched < 0 or not fits or not 1 <= depth <= data.rank - batched:
        raise RuleError(f"{text_of(indices.shape)} indices do not fit {text_of(data.shape)}")
    return depth


def _reduction(node: Node) -> str:
    reduction = node.text("reduction", "none")
    if reduction not in _SCATTERED:
        raise RuleError(f"reduction {reduction} is none of {', '.join(_SCATTERED)}")
    return reduction


def scatter_elements(node: Node) -> Inference:
    """ScatterElements and Scatter: an update per index, placed along one axis of the data."""
    data, indices, updates = node.need(0), node.need(1), node.need(2)
    if indices.shape != updates.shape or indices.rank != data.rank:
        raise RuleError(
            f"{text_of(updates.shape)} updates and {text_of(indices.shape)} indices do not fit "
            f"{text_of(data.shape)}"
        )
    axis = plain_axis(node.integer("axis", 0), data.rank)
    return one(data.shape, data.dtype, axis=axis, reduction=_reduction(node))


def scatter_nd(node: Node) -> Inference:
    """ScatterND: an update, which may be a whole part of the data, per place in the data."""
    data, indices, updates = node.need(0), node.need(1), node.need(2)
    expected = (*indices.shape[:-1], *data.shape[_depth(data, indices) :])
    if updates.shape != expected:
        raise RuleError(f"updates are {text_of(updates.shape)}, not {text_of(expected)}")
    return one(data.shape, data.dtype, reduction=_reduction(node))


def one_hot(node: Node) -> Inference:
    """OneHot: a new axis, as long as there are classes."""
    indices, values = node.need(0), node.need(2)
    classes = _number(node, 1, "number of classes")
    if classes < 1:
        raise RuleError(f"{classes} classes, there must be at least one")
    axis = plain_axis(node.integer("axis", -1), indices.rank + 1)
    shape = (*indices.shape[:axis], classes, *indices.shape[axis:])
    return one(shape, values.dtype, axis=axis)


def trilu(node: Node) -> Inference:
    """Trilu: the part of each matrix on one side of a diagonal, zeros on the other."""
    x = node.need(0)
    if x.rank < _MATRIX:
        raise RuleError(f"{text_of(x.shape)} is no matrix")
    return one(x.shape, x.dtype, upper=node.integer("upper", 1))


def reverse_sequence(node: Node) -> Inference:
    """ReverseSequence: each sample's first positions in reverse."""
    x = node.need(0)
    return one(x.shape, x.dtype)


def compress(node: Node) -> Inference:
    """Compress: the entries along an axis, or of all, where a condition known at load time is."""
    x, condition = node.need(0), node.need(1)
    if condition.array is None:
        raise RuleError(_how_many("entries it keeps"))
    kept = int(np.count_nonzero(condition.array))
    if "axis" not in node.attributes:
        return one((kept,), x.dtype)
    axis = plain_axis(node.integer("axis"), x.rank)
    return one((*x.shape[:axis], kept, *x.shape[axis + 1 :]), x.dtype, axis=axis)


def repeated(node: Node) -> Inference:
    """Tile: a count per axis; in the first operator set one count and the axis that it is for."""
    if node.opset >= _REPEATS:
        return tile(node)
    x = node.need(0)
    count, axis = _number(node, 1, "count"), plain_axis(_number(node, 2, "axis"), x.rank)
    if count < 0:
        raise RuleError(f"its count is {count}")
    return one((*x.shape[:axis], x.shape[axis] * count, *x.shape[axis + 1 :]), x.dtype)


def _number(node: Node, position: int, what: str) -> int:
    """A whole number that is known at load time, whatever type it is written in."""
    fact = node.need(position)
    array = fact.array
    if array is None or array.size != 1:
        raise fact.unknown(what)
    number = float(array.ravel()[0])
    if not number.is_integer():
        raise RuleError(f"its {what} is {number}, not a whole number")
    return int(number)


def eye_like(node: Node) -> Inference:
    """EyeLike: ones on a diagonal, in the shape of the input and the type that `dtype` names."""
    x = node.need(0)
    number = node.attributes.get("dtype")
    dtype = x.dtype if number is None else dtype_of(node.integer("dtype"))
    if dtype is None or dtype == "string":
        raise RuleError(f"element type {number!r} is not one of numbers")
    if x.rank != _MATRIX:
        raise RuleError(f"{text_of(x.shape)} is no matrix")
    return one(x.shape, dtype)


def _how_many(what: str) -> str:
    return f"the number of {what} depends on the data and is not known before the network runs"


def depends_on_data(node: Node) -> Inference:
    """Refuse an operator whose answer has a size that only running it tells."""
    raise RuleError(_how_many(_COUNTED[node.op_type]))


_COUNTED: Final[Mapping[str, str]] = MappingProxyType({
    "NonZero": "elements it finds",
    "Unique": "different elements",
    "NonMaxSuppression": "boxes it keeps",
    "Range": "elements from start to limit",
    "ConstantOfShape": "elements it makes",
})  # fmt: skip

RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Gather": gather,
    "Slice": slice_,
    "Expand": expand,
    "Tile": repeated,
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Scatter": scatter_elements,
    "ScatterElements": scatter_elements,
    "ScatterND": scatter_nd,
    "OneHot": one_hot,
    "Trilu": trilu,
    "ReverseSequence": reverse_sequence,
    "Compress": compress,
})  # fmt: skip

CONSTANT_RULES: Final[Mapping[str, Rule]] = MappingProxyType({"EyeLike": eye_like})
"""Operators that answer the same whatever the data are."""

REFUSED: Final[Mapping[str, Rule]] = MappingProxyType(dict.fromkeys(_COUNTED, depends_on_data))
"""Operators that may work on constants, but never on data."""


def looks_up_weights(node: Node) -> bool:
    """Whether a Gather takes rows of a table of weights: such a table is trained.

    True also where the row numbers are constant, as those of positions in a text are: the rows
    are then no constant, they change with the table.
    """
    table, rows = node.given(0), node.given(1)
    return (
        node.op_type == "Gather"
        and table is not None
        and rows is not None
        and table.constant
        and table.dtype in {"float16", "bfloat16", "float32", "float64"}
        and table.rank == _MATRIX
        and rows.rank > 0
        and node.attributes.get("axis", 0) == 0
    )
