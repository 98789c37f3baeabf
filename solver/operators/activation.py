"""Functions of one variable, whose gradient reads output or input, and the random Dropout."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.graph import Role
from solver.operators import flop
from solver.operators.base import Extra, Gradient, Part, Ref, Rule, Site


class _Function(Rule):
    """One output element for each input element. Subclasses say what the gradient reads."""

    def cost(self, site: Site) -> flop.Cost:
        """FLOP per element, by operator."""
        return flop.ELEMENTWISE[site.layer.op_type]

    def flop(self, site: Site) -> int:
        """FLOP per element of the output, by operator."""
        return self.cost(site).forward * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The first input; the others are limits (Clip)."""
        return (0,)

    def _gradient(self, site: Site, *reads: Ref) -> Gradient:
        return Gradient(self.cost(site).gradient * site.input(0).elements, reads)


class KeepsOutput(_Function):
    """Relu, Sigmoid, Tanh, Clip, Softmax, Exp: the output is all that the gradient needs."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read the output."""
        return self._gradient(site, site.output().name)


class KeepsInput(_Function):
    """Erf, Softplus, Sin: not monotone or saturated, so the input is what the gradient reads."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read the input."""
        return self._gradient(site, site.input(0).name)


class KeepsNothing(_Function):
    """Neg, and the step functions Sign, Floor, Ceil, Round, Hardmax, whose gradient is zero."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read nothing."""
        return self._gradient(site)


class Gelu(KeepsInput):
    """Gelu by the error function, or by tanh where the attribute `approximate` says so."""

    def cost(self, site: Site) -> flop.Cost:
        """FLOP per element of that form."""
        tanh = site.layer.attributes.get("approximate", "none") == "tanh"
        return flop.ELEMENTWISE["Gelu, tanh" if tanh else "Gelu"]


class KeepsSign(_Function):
    """LeakyRelu, Elu, Selu, Celu, ThresholdedRelu: the output tells on which side the input was.

    That holds for factors above zero (as by default; a threshold may be zero); for others two
    inputs may have one output, and the input has to be kept.

    Parameters
    ----------
    defaults : the attributes that it depends on, with ONNX's defaults.
    """

    def __init__(self, **defaults: float) -> None:
        self._defaults = MappingProxyType(defaults)

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read the output, or the input where a factor is not above zero."""
        factors = [site.number(name, default) for name, default in self._defaults.items()]
        least = min(factors)
        clear = least > 0 or (least == 0 and site.layer.op_type == "ThresholdedRelu")
        return self._gradient(site, (site.output() if clear else site.input(0)).name)


_SLOPE: Final = 1


class PRelu(_Function):
    """A slope below zero that is trained where it is constant; it may have any sign."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({_SLOPE: "slope"})

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The input and the slope."""
        return (0, _SLOPE)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the input, and for its own gradient the slope too; 3 per element for the slope."""
        source = site.input(0)
        if slot == _SLOPE:
            return Gradient(flop.PRELU_SLOPE * source.elements, (source.name,))
        return self._gradient(site, source.name, site.input(_SLOPE).name)


class Dropout(Rule):
    """Two ops: `mask` draws 1 B per element and never runs twice, `apply` multiplies.

    Ratio 0 is a view. The ratio is the attribute `ratio`, 0.5 where the file leaves it out, as
    ONNX says. The operator's second output is that mask and no tensor of its own.
    """

    outputs_modelled: ClassVar[int | None] = 1

    def is_view(self, site: Site) -> bool:
        """Whether nothing is dropped."""
        return site.number("ratio", 0.5) == 0

    def _mask(self, site: Site) -> Extra:
        return Extra("mask", site.output().shape, "bool", Role.MASK)

    def flop(self, site: Site) -> int:
        """FLOP per element of the output, besides one to draw the mask."""
        return flop.ELEMENTWISE["Dropout"].forward * site.output().elements

    def parts(self, site: Site) -> tuple[Part, ...]:
        """Forward ops: the mask, then the output."""
        elements, mask = site.output().elements, self._mask(site)
        reads = (site.input(0).name, mask)
        return (
            Part("mask", "mask", (), (mask,), flop.DROPOUT_MASK * elements, recomputable=False),
            Part("apply", "apply", reads, (site.output().name,), self.flop(site)),
        )

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data; ratio and mode are settings."""
        return (0,)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the mask."""
        per_element = flop.ELEMENTWISE["Dropout"].gradient
        return Gradient(per_element * site.input(slot).elements, (self._mask(site),))


_BY_OUTPUT: Final = (
    "Relu", "Sigmoid", "Tanh", "Clip", "Softmax", "LogSoftmax", "HardSigmoid", "Exp", "Sqrt",
    "Reciprocal", "Tan",
)  # fmt: skip
_BY_INPUT: Final = (
    "Erf", "Swish", "Mish", "HardSwish", "Shrink", "Softplus", "Softsign", "Log", "Abs", "Sin",
    "Cos", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh",
)  # fmt: skip
_BY_NOTHING: Final = ("Neg", "Sign", "Floor", "Ceil", "Round", "Hardmax")

RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    **dict.fromkeys(_BY_OUTPUT, KeepsOutput()),
    **dict.fromkeys(_BY_INPUT, KeepsInput()),
    **dict.fromkeys(_BY_NOTHING, KeepsNothing()),
    "Gelu": Gelu(),
    "com.microsoft::Gelu": Gelu(),
    "com.microsoft::FastGelu": KeepsInput(),
    "com.microsoft::QuickGelu": KeepsInput(),
    "LeakyRelu": KeepsSign(alpha=0.01),
    "ThresholdedRelu": KeepsSign(alpha=1.0),
    "Elu": KeepsSign(alpha=1.0),
    "Celu": KeepsSign(alpha=1.0),
    "Selu": KeepsSign(alpha=1.67326, gamma=1.0507),
    "PRelu": PRelu(),
    "Dropout": Dropout(),
})  # fmt: skip
