"""Shapes of matrix products and of the sums of products that generalise them."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from solver.contraction import EquationError, parse
from solver.loaders.onnx_rules.base import (
    Inference,
    Node,
    Rule,
    RuleError,
    broadcast,
    one,
    text_of,
)

_MATRIX: Final = 2


def gemm(node: Node) -> Inference:
    """Gemm: alpha A' B' + beta C on matrices; C is spread over the product."""
    a, b, c = node.need(0), node.need(1), node.given(2)
    if a.rank != _MATRIX or b.rank != _MATRIX:
        raise RuleError(f"{text_of(a.shape)} and {text_of(b.shape)} are not both matrices")
    trans_a, trans_b = node.integer("transA", 0), node.integer("transB", 0)
    rows, inner = a.shape[::-1] if trans_a else a.shape
    inner_b, columns = b.shape[::-1] if trans_b else b.shape
    if inner != inner_b:
        raise RuleError(f"{inner} columns of the input do not fit {inner_b} rows of the weight")
    shape = (rows, columns)
    if c is not None and broadcast((shape, c.shape)) != shape:
        raise RuleError(f"bias {text_of(c.shape)} does not fit {text_of(shape)}")
    return one(
        shape,
        a.dtype,
        alpha=node.number("alpha", 1.0),
        beta=node.number("beta", 1.0),
        transA=trans_a,
        transB=trans_b,
    )


def matmul(node: Node) -> Inference:
    """MatMul as numpy's: any rank, vectors are lifted to matrices and lowered again."""
    a, b = node.need(0), node.need(1)
    if not a.rank or not b.rank:
        raise RuleError("a scalar is not a matrix")
    left = a.shape if a.rank > 1 else (1, *a.shape)
    right = b.shape if b.rank > 1 else (*b.shape, 1)
    if left[-1] != right[-2]:
        raise RuleError(f"{text_of(a.shape)} and {text_of(b.shape)} do not multiply")
    shape = broadcast((left[:-2], right[:-2]))
    rows = (left[-2],) if a.rank > 1 else ()
    columns = (right[-1],) if b.rank > 1 else ()
    return one((*shape, *rows, *columns), a.dtype)


def fused_matmul(node: Node) -> Inference:
    """FusedMatMul of ONNX Runtime: a MatMul that reads its operands turned; alpha is part of it."""
    a, b = node.need(0), node.need(1)
    if node.integer("transBatchA", 0) or node.integer("transBatchB", 0):
        raise RuleError("it turns whole stacks of matrices; export with fewer optimisations")
    flags = {name: node.integer(name, 0) for name in ("transA", "transB")}
    operands = tuple(
        replace(fact, shape=(*fact.shape[:-2], *fact.shape[:-3:-1])) if flag else fact
        for fact, flag in zip((a, b), flags.values(), strict=True)
    )
    made = matmul(replace(node, inputs=operands))
    return replace(made, attributes=dict(flags))


def einsum(node: Node) -> Inference:
    """Einsum: what the equation says of the operands' shapes."""
    operands = node.present()
    equation = node.text("equation", "")
    try:
        contraction = parse(equation, [fact.shape for fact in operands])
    except EquationError as error:
        raise RuleError(str(error)) from error
    return one(contraction.shape, operands[0].dtype, equation=equation)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Gemm": gemm,
    "MatMul": matmul,
    "com.microsoft::FusedMatMul": fused_matmul,
    "Einsum": einsum,
})  # fmt: skip
