"""Shapes of pools, and of the way back from a maximum, over any number of spatial dimensions."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.loaders.onnx_rules.base import Fact, Inference, Node, Rule, RuleError, one, text_of
from solver.loaders.onnx_rules.windows import explicit_pads, per_axis, spatial_of, window_of


def _pool_kernel(node: Node, rank: int) -> tuple[int, ...]:
    kernel = per_axis(node, "kernel_shape", rank, 0)
    if 0 in kernel:
        raise RuleError("attribute kernel_shape is missing")
    return kernel


def _p_norm(node: Node) -> float:
    """Which norm LpPool takes: 2 unless the file says otherwise, above 0."""
    p = node.number("p", 2.0)
    if not p > 0:
        raise RuleError(f"p {p:g} makes no norm, it must be above zero")
    return p


def pool(node: Node) -> Inference:
    """MaxPool (with optional int64 indices), AveragePool, LpPool."""
    x = node.need(0)
    spatial = spatial_of(x)
    kernel = _pool_kernel(node, len(spatial))
    ceil = node.integer("ceil_mode", 0)
    window = window_of(node, spatial, kernel, ceil=ceil == 1)
    shape = (*x.shape[:2], *window.outputs)
    attributes = window.attributes() | {"ceil_mode": ceil}
    if node.op_type == "AveragePool":
        attributes["count_include_pad"] = node.integer("count_include_pad", 0)
    if node.op_type == "LpPool":
        attributes["p"] = _p_norm(node)
    outputs = [Fact(shape, x.dtype)]
    if node.op_type == "MaxPool" and node.outputs > 1:
        outputs.append(Fact(shape, "int64"))
    return Inference(tuple(outputs), attributes)


def global_pool(node: Node) -> Inference:
    """GlobalAveragePool, GlobalMaxPool, GlobalLpPool: every spatial dimension becomes 1."""
    x = node.need(0)
    shape = (*x.shape[:2], *(1 for _ in spatial_of(x)))
    if node.op_type == "GlobalLpPool":
        return one(shape, x.dtype, p=_p_norm(node))
    return one(shape, x.dtype)


def max_unpool(node: Node) -> Inference:
    """MaxUnpool: each element goes back to the position that its index names.

    The smallest size that the pool may have had, unless the third input says which.
    """
    x, indices = node.need(0), node.need(1)
    spatial = spatial_of(x)
    if indices.shape != x.shape:
        raise RuleError(f"indices {text_of(indices.shape)} do not fit {text_of(x.shape)}")
    rank = len(spatial)
    kernel, strides = _pool_kernel(node, rank), per_axis(node, "strides", rank, 1)
    pads = explicit_pads(node, rank)
    shape = node.constant_integers(2, "output shape")
    if shape is None:
        grown = (
            (size - 1) * stride + k - pads[i] - pads[i + rank]
            for i, (size, k, stride) in enumerate(zip(spatial, kernel, strides, strict=True))
        )
        shape = (*x.shape[:2], *grown)
    elif len(shape) != x.rank or shape[:2] != x.shape[:2]:
        raise RuleError(f"output shape {shape} does not fit {text_of(x.shape)}")
    if min(shape) < 0:
        raise RuleError(f"pads {pads} cut more than there is of {text_of(x.shape)}")
    return one(shape, x.dtype, kernel_shape=kernel, strides=strides, pads=pads)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "MaxPool": pool,
    "AveragePool": pool,
    "LpPool": pool,
    "GlobalAveragePool": global_pool,
    "GlobalMaxPool": global_pool,
    "GlobalLpPool": global_pool,
    "MaxUnpool": max_unpool,
})  # fmt: skip
