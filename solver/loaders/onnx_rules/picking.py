"""Elements of small constants that are picked, placed or counted by position."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from solver.loaders.onnx_rules.base import (
    Elements,
    Fact,
    Node,
    RuleError,
    int64_array,
    known_arrays,
    plain_axis,
)


def _inside(indices: Elements, length: int) -> Elements:
    """Indices counted from the front. Raises RuleError for one outside of `length` entries."""
    wrong = [int(i) for i in indices.ravel() if not -length <= int(i) < length]
    if wrong:
        raise RuleError(f"it picks entry {wrong[0]} of {length}")
    return np.where(indices < 0, indices + length, indices).astype(np.int64)


def _non_zero(node: Node) -> Elements:
    (x,) = known_arrays(node)
    return np.stack(np.nonzero(np.atleast_1d(x))).astype(np.int64)


def _gather_elements(node: Node) -> Elements:
    data, indices = known_arrays(node)
    axis = plain_axis(node.integer("axis", 0), data.ndim)
    return np.take_along_axis(data, _inside(indices, data.shape[axis]), axis=axis)


def _places(data: Elements, indices: Elements) -> tuple[Elements, ...]:
    """The last axis of `indices`, one array per axis of `data` that it names."""
    return tuple(_inside(indices[..., k], data.shape[k]) for k in range(indices.shape[-1]))


def _gather_nd(node: Node) -> Elements | None:
    data, indices = known_arrays(node)
    return None if node.integer("batch_dims", 0) else np.asarray(data[_places(data, indices)])


def _plain_scatter(node: Node) -> bool:
    return node.text("reduction", "none") == "none"


def _scatter_elements(node: Node) -> Elements | None:
    data, indices, updates = known_arrays(node)
    axis = plain_axis(node.integer("axis", 0), data.ndim)
    result = data.copy()
    np.put_along_axis(result, _inside(indices, data.shape[axis]), updates, axis=axis)
    return result if _plain_scatter(node) else None


def _scatter_nd(node: Node) -> Elements | None:
    data, indices, updates = known_arrays(node)
    result = data.copy()
    result[_places(data, indices)] = updates
    return result if _plain_scatter(node) else None


def _one_hot(node: Node) -> Elements:
    indices, depth, (off, on) = known_arrays(node)
    classes = int(depth.ravel()[0])
    axis = plain_axis(node.integer("axis", -1), indices.ndim + 1)
    # Outside of -classes .. classes - 1 every class is off.
    plain = np.where((indices >= -classes) & (indices < 0), indices + classes, indices)
    hit = np.expand_dims(plain, axis) == np.arange(classes).reshape(
        [-1 if k == axis else 1 for k in range(indices.ndim + 1)]
    )
    return np.asarray(np.where(hit, on, off))


def _cumulative_sum(node: Node) -> Elements | None:
    x, axis = known_arrays(node)
    if node.integer("exclusive", 0) or node.integer("reverse", 0) or x.dtype.kind not in "iu":
        return None
    sums = np.cumsum(x.astype(object), axis=plain_axis(int(axis.ravel()[0]), x.ndim))
    return int64_array(sums.tolist())


def _trilu(node: Node) -> Elements:
    x, *k = known_arrays(node)
    diagonal = int(k[0].ravel()[0]) if k else 0
    return np.triu(x, diagonal) if node.integer("upper", 1) else np.tril(x, diagonal)


def _arg(function: Callable[..., Elements]) -> Callable[[Node], Elements | None]:
    def evaluate(node: Node) -> Elements | None:
        (x,) = known_arrays(node)
        axis = plain_axis(node.integer("axis", 0), x.ndim)
        found = np.asarray(function(x, axis=axis, keepdims=bool(node.integer("keepdims", 1))))
        return None if node.integer("select_last_index", 0) else found

    return evaluate


def _compress(node: Node) -> Elements:
    x, condition = known_arrays(node)
    if "axis" not in node.attributes:
        return np.asarray(np.compress(condition, x))
    axis = plain_axis(node.integer("axis"), x.ndim)
    return np.asarray(np.compress(condition, x, axis=axis))


def _split(node: Node, outputs: Sequence[Fact]) -> Sequence[Elements]:
    x = known_arrays(node)[0]
    axis = plain_axis(node.integer("axis", 0), x.ndim)
    ends = np.cumsum([output.shape[axis] for output in outputs])
    return np.split(x, ends[:-1], axis=axis)


def _top_k(node: Node, outputs: Sequence[Fact]) -> Sequence[Elements]:
    x = known_arrays(node)[0]
    axis = plain_axis(node.integer("axis", -1), x.ndim)
    count = outputs[0].shape[axis]
    # Stable on what is sorted for: of equal elements the first is taken, as ONNX says.
    key = -x.astype(object) if node.integer("largest", 1) else x.astype(object)
    order = np.argsort(key, axis=axis, kind="stable").take(range(count), axis=axis)
    return [np.take_along_axis(x, order, axis=axis), order.astype(np.int64)][: len(outputs)]


FIRST_OUTPUT: Final[Mapping[str, Callable[[Node], Elements | None]]] = MappingProxyType({
    "NonZero": _non_zero,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "OneHot": _one_hot,
    "CumSum": _cumulative_sum,
    "Trilu": _trilu,
    "ArgMax": _arg(np.argmax),
    "ArgMin": _arg(np.argmin),
    "Compress": _compress,
})  # fmt: skip
"""Operators of one output, all of whose inputs are known."""

ALL_OUTPUTS: Final[Mapping[str, Callable[[Node, Sequence[Fact]], Sequence[Elements]]]] = (
    MappingProxyType({"Split": _split, "TopK": _top_k})
)
"""Operators of several outputs, whose shapes are given."""
