"""Shapes of operators that draw random numbers: never constants, even where they read nothing."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.graph import Shape
from solver.loaders.onnx_rules.base import Inference, Node, Rule, RuleError, one, text_of
from solver.loaders.onnx_tensors import dtype_of

_FLOAT: Final = 1  # ONNX's numbers of element types
_INT32: Final = 6
_MATRIX: Final = 2


def _made(node: Node, shape: Shape, default: int | None = None) -> Inference:
    """The answer in the type that the attribute `dtype` names; without it as `default` or input."""
    number = node.attributes.get("dtype", default)
    if number is None:
        return one(shape, node.need(0).dtype)
    dtype = dtype_of(number) if isinstance(number, int) else None
    if dtype is None or dtype == "string":
        raise RuleError(f"element type {number!r} is not one of numbers")
    return one(shape, dtype)


def from_shape(node: Node) -> Inference:
    """RandomNormal, RandomUniform: numbers in a shape that the node names."""
    shape = node.integers("shape")
    if shape is None or min(shape, default=0) < 0:
        raise RuleError(f"its shape {shape} is not a shape")
    return _made(node, shape, _FLOAT)


def like(node: Node) -> Inference:
    """RandomNormalLike, RandomUniformLike, Bernoulli: as many numbers as the input has."""
    return _made(node, node.need(0).shape)


def multinomial(node: Node) -> Inference:
    """Multinomial: class numbers drawn for each row of chances."""
    x = node.need(0)
    if x.rank != _MATRIX:
        raise RuleError(f"{text_of(x.shape)} is not (batch, classes)")
    return _made(node, (x.shape[0], node.integer("sample_size", 1)), _INT32)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "RandomNormal": from_shape,
    "RandomUniform": from_shape,
    "RandomNormalLike": like,
    "RandomUniformLike": like,
    "Bernoulli": like,
    "Multinomial": multinomial,
})  # fmt: skip
