"""Shapes of reductions, of the largest elements along an axis, and of running sums."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

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
from solver.loaders.onnx_rules.constants import reduction

_K_INPUT: Final = 10  # opset from which TopK takes k as an input


def arg_reduction(node: Node) -> Inference:
    """ArgMax, ArgMin: the position along one axis, the first unless named."""
    x = node.need(0)
    axis = plain_axis(node.integer("axis", 0), x.rank)
    kept = (1,) if node.integer("keepdims", 1) else ()
    return one((*x.shape[:axis], *kept, *x.shape[axis + 1 :]), "int64", axis=axis)


def top_k(node: Node) -> Inference:
    """TopK: the k largest or smallest along one axis, and their positions."""
    x = node.need(0)
    axis = plain_axis(node.integer("axis", -1), x.rank)
    if node.opset < _K_INPUT:
        k = node.integer("k")
    else:
        numbers = node.constant_integers(1, "number k")
        if numbers is None or len(numbers) != 1:
            raise RuleError("k must be one number")
        k = numbers[0]
    if not 0 <= k <= x.shape[axis]:
        raise RuleError(f"k is {k}, axis {axis} of {text_of(x.shape)} has {x.shape[axis]}")
    shape = (*x.shape[:axis], k, *x.shape[axis + 1 :])
    found = (Fact(shape, x.dtype), Fact(shape, "int64"))
    return Inference(found[: node.outputs], {"axis": axis})


def cumulative(node: Node) -> Inference:
    """CumSum, CumProd: like the input; the axis is an input."""
    x = node.need(0)
    node.need(1)
    return one(x.shape, x.dtype)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    **dict.fromkeys(
        (
            "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
            "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp",
        ),
        reduction,
    ),
    **dict.fromkeys(("ArgMax", "ArgMin"), arg_reduction),
    "TopK": top_k,
    **dict.fromkeys(("CumSum", "CumProd"), cumulative),
})  # fmt: skip
