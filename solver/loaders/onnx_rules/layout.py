"""Shapes of operators that move elements or only rename their positions."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from solver.graph import Shape
from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    one,
    plain_axes,
    plain_axis,
    text_of,
)

_RESHAPE_INPUT: Final = 5  # opset from which the target is an input
_AXES_INPUT: Final = 13  # opset from which Squeeze, Unsqueeze and Split take a second input
_PADS_INPUT: Final = 11
_PAD_MODES: Final = frozenset({"constant", "edge", "reflect", "wrap"})


def _filled(target: Sequence[int], shape: Shape, *, allow_zero: bool) -> Shape:
    """The target with 0 (copy) and -1 (fill) replaced."""
    sizes = []
    for i, size in enumerate(target):
        if size == 0 and not allow_zero:
            if i >= len(shape):
                raise RuleError(f"0 at position {i} of its shape copies no dimension of the input")
            sizes.append(shape[i])
        else:
            sizes.append(size)
    holes = [i for i, size in enumerate(sizes) if size == -1]
    if len(holes) > 1 or min(sizes, default=0) < -1:
        raise RuleError(f"its shape {tuple(target)} is not a shape")
    if holes:
        rest = math.prod(size for size in sizes if size != -1)
        sizes[holes[0]] = math.prod(shape) // rest if rest else 0
    if math.prod(sizes) != math.prod(shape):
        raise RuleError(f"{text_of(shape)} does not fit into its shape {tuple(target)}")
    return tuple(sizes)


def reshape_target(node: Node) -> tuple[int, ...]:
    """The target of a Reshape as written: an input, or an attribute before opset 5."""
    if node.opset < _RESHAPE_INPUT:
        target = node.integers("shape")
    else:
        target = node.constant_integers(1, "target shape")
    if target is None:
        raise RuleError("its target shape is missing")
    return target


def reshape(node: Node) -> Inference:
    """Reshape: 0 copies a dimension (unless allowzero), -1 takes what is left."""
    x = node.need(0)
    allow_zero = node.integer("allowzero", 0)
    shape = _filled(reshape_target(node), x.shape, allow_zero=allow_zero == 1)
    return one(shape, x.dtype, allowzero=allow_zero)


def flatten(node: Node) -> Inference:
    """Flatten: a matrix, `axis` dimensions in front, the others behind."""
    x = node.need(0)
    axis = node.integer("axis", 1)
    if not -x.rank <= axis <= x.rank:
        raise RuleError(f"axis {axis} does not exist in {x.rank} dimensions")
    axis += x.rank if axis < 0 else 0
    return one((math.prod(x.shape[:axis]), math.prod(x.shape[axis:])), x.dtype, axis=axis)


def _axes(node: Node) -> tuple[int, ...] | None:
    if node.opset < _AXES_INPUT:
        return node.integers("axes")
    return node.constant_integers(1, "list of axes")


def squeeze(node: Node) -> Inference:
    """Squeeze: drop the named dimensions of size 1, or all of them."""
    x = node.need(0)
    given = _axes(node)
    if given is None:
        axes = tuple(i for i, size in enumerate(x.shape) if size == 1)
    else:
        axes = plain_axes(given, x.rank)
    wide = [axis for axis in axes if x.shape[axis] != 1]
    if wide:
        raise RuleError(f"dimension {wide[0]} of {text_of(x.shape)} is not 1 and cannot be dropped")
    shape = tuple(size for i, size in enumerate(x.shape) if i not in axes)
    return one(shape, x.dtype, axes=axes)


def unsqueeze(node: Node) -> Inference:
    """Unsqueeze: new dimensions of size 1 at the named places of the output."""
    x = node.need(0)
    given = _axes(node)
    if given is None:
        raise RuleError("its axes are missing")
    axes = plain_axes(given, x.rank + len(given))
    shape = list(x.shape)
    for axis in axes:
        shape.insert(axis, 1)
    return one(shape, x.dtype, axes=axes)


def transpose(node: Node) -> Inference:
    """Transpose: reversed without `perm`."""
    x = node.need(0)
    perm = node.integers("perm") or tuple(reversed(range(x.rank)))
    if sorted(perm) != list(range(x.rank)):
        raise RuleError(f"perm {perm} does not order {x.rank} dimensions")
    return one([x.shape[axis] for axis in perm], x.dtype, perm=perm)


def concat(node: Node) -> Inference:
    """Concat: alike but for the size along `axis`."""
    parts = node.present()
    first = parts[0]
    axis = plain_axis(node.integer("axis", 1 if node.opset < 4 else None), first.rank)  # noqa: PLR2004 - the opset that made it required
    for part in parts[1:]:
        if part.rank != first.rank or any(
            a != b
            for i, (a, b) in enumerate(zip(part.shape, first.shape, strict=True))
            if i != axis
        ):
            raise RuleError(
                f"{text_of(part.shape)} does not continue {text_of(first.shape)} along axis {axis}"
            )
    shape = list(first.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    return one(shape, first.dtype, axis=axis)


def _even_split(size: int, parts: int, *, ragged: bool) -> tuple[int, ...]:
    if parts < 1 or (size % parts and not ragged):
        raise RuleError(f"{size} does not split into {parts} equal parts")
    part = -(-size // parts)
    sizes = (*(part,) * (parts - 1), size - part * (parts - 1))
    if sizes[-1] < 0:
        raise RuleError(f"{size} does not split into {parts} parts")
    return sizes


def split(node: Node) -> Inference:
    """Split: sizes from attribute, input, or even ones; the last may be smaller since opset 18."""
    x = node.need(0)
    axis = plain_axis(node.integer("axis", 0), x.rank)
    if 1 < node.opset < _AXES_INPUT or "split" in node.attributes:
        sizes = node.integers("split")
    else:
        sizes = node.constant_integers(1, "list of sizes")
    if sizes is None:
        parts = node.integer("num_outputs", node.outputs)
        sizes = _even_split(x.shape[axis], parts, ragged="num_outputs" in node.attributes)
    if len(sizes) != node.outputs or sum(sizes) != x.shape[axis] or min(sizes) < 0:
        raise RuleError(f"sizes {sizes} do not split {x.shape[axis]} into {node.outputs} outputs")
    shapes = [(*x.shape[:axis], size, *x.shape[axis + 1 :]) for size in sizes]
    outputs = tuple(Fact(shape, x.dtype) for shape in shapes)
    return Inference(outputs, {"axis": axis, "split": sizes})


def _pads(node: Node, rank: int) -> tuple[int, ...]:
    """All begins, then all ends, for every dimension."""
    if node.opset < _PADS_INPUT:
        pads = node.integers("pads") or node.integers("paddings")
        named = None
    else:
        pads = node.constant_integers(1, "list of pads")
        named = node.constant_integers(3, "list of axes")
    if pads is None:
        raise RuleError("its pads are missing")
    axes = tuple(range(rank)) if named is None else tuple(plain_axis(i, rank) for i in named)
    if len(pads) != 2 * len(axes) or len(set(axes)) != len(axes):
        raise RuleError(f"pads {pads} do not fit {len(axes)} dimensions")
    full = [0] * (2 * rank)
    for i, axis in enumerate(axes):
        full[axis], full[axis + rank] = pads[i], pads[i + len(axes)]
    return tuple(full)


def pad(node: Node) -> Inference:
    """Pad: grows each dimension at both ends; negative pads cut.

    All modes but "constant" take what they add from the input: "reflect" has one less to take from.
    """
    x, mode = node.need(0), node.text("mode", "constant")
    if mode not in _PAD_MODES:
        raise RuleError(f"mode {mode!r} is not one of {', '.join(sorted(_PAD_MODES))}")
    pads = _pads(node, x.rank)
    least = {"constant": 0, "reflect": 2}.get(mode, 1)
    for i, size in enumerate(x.shape):
        if size < least and max(pads[i], pads[i + x.rank]) > 0:
            raise RuleError(f"mode {mode!r} cannot add to a dimension of {size}")
    shape = [size + pads[i] + pads[i + x.rank] for i, size in enumerate(x.shape)]
    if min(shape, default=0) < 0:
        raise RuleError(f"pads {pads} cut more than there is of {text_of(x.shape)}")
    return one(shape, x.dtype, pads=pads, mode=mode)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Reshape": reshape,
    "Flatten": flatten,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Transpose": transpose,
    "Concat": concat,
    "Split": split,
    "Pad": pad,
})  # fmt: skip
