"""Convolutions and matrix products: the other operand is kept, gradients cost what the op costs."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.operators import flop
from solver.operators.base import Gradient, Rule, Site

_A, _B, _BIAS = 0, 1, 2  # slots of Conv (input, weight), Gemm and, less the bias, MatMul


class _Product(Rule):
    """Multiply-adds of two operands."""

    def flop(self, site: Site) -> int:
        """Two per multiply-add."""
        return flop.MULTIPLY_ADD * self.macs(site)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the other operand: as the op."""
        return Gradient(self.flop(site), (site.input(_B if slot == _A else _A).name,))


class _BiasedProduct(_Product):
    """A product whose sums start from an optional bias instead of zero, which costs nothing."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the other operand: as the op; for the bias, a sum of the output's gradient."""
        if slot == _BIAS:
            return Gradient(flop.BROADCAST * site.output().elements)
        return super().gradient(site, slot)


class Conv(_BiasedProduct):
    """Convolution of any rank, grouped or not, with or without bias."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({_B: "weight", _BIAS: "bias"})

    def macs(self, site: Site) -> int:
        """Per output element: input channels of a group times kernel positions."""
        # The weight is (out channels, in channels / groups, *kernel).
        return site.output().elements * math.prod(site.input(_B).shape[1:])


class Gemm(_BiasedProduct):
    """A fully connected layer; the factors alpha and beta are taken as part of the product."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType(
        {_A: "weight", _B: "weight", _BIAS: "bias"}
    )

    def macs(self, site: Site) -> int:
        """Per output element: the inner dimension."""
        inner = site.input(_A).shape[0 if site.integer("transA", 0) else 1]
        return site.output().elements * inner


class MatMul(_Product):
    """A product of matrices or stacks of them; either side may be the trained constant."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({_A: "weight", _B: "weight"})

    def macs(self, site: Site) -> int:
        """Per output element: the inner dimension."""
        shape = site.input(_A).shape
        # ONNX Runtime's FusedMatMul may read its operand turned.
        inner = shape[-2 if site.integer("transA", 0) and len(shape) > 1 else -1]
        return site.output().elements * inner


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Conv": Conv(),
    "Gemm": Gemm(),
    "MatMul": MatMul(),
    "com.microsoft::FusedMatMul": MatMul(),
})  # fmt: skip
