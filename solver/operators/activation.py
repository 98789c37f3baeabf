"""Functions whose gradient reads output or input, and Dropout, whose gradient reads its mask."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.graph import Role
from solver.operators import flop
from solver.operators.base import Extra, Gradient, Part, Rule, Site


class KeepsOutput(Rule):
    """Relu, Sigmoid, Tanh, Clip, Softmax: the output is all that the gradient needs."""

    def flop(self, site: Site) -> int:
        """FLOP per element of the output, by operator."""
        return flop.ELEMENTWISE[site.layer.op_type].forward * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The first input; the others are limits (Clip)."""
        return (0,)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the output."""
        per_element = flop.ELEMENTWISE[site.layer.op_type].gradient
        return Gradient(per_element * site.input(slot).elements, (site.output().name,))


class KeepsInput(KeepsOutput):
    """Gelu, Erf: not monotone or saturated, so the input is what the gradient reads."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the input."""
        per_element = flop.ELEMENTWISE[site.layer.op_type].gradient
        source = site.input(slot)
        return Gradient(per_element * source.elements, (source.name,))


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

    def parts(self, site: Site) -> tuple[Part, ...]:
        """Forward ops: the mask, then the output."""
        elements, mask = site.output().elements, self._mask(site)
        reads = (site.input(0).name, mask)
        apply_flop = flop.ELEMENTWISE["Dropout"].forward * elements
        return (
            Part("mask", "mask", (), (mask,), flop.DROPOUT_MASK * elements, recomputable=False),
            Part("apply", "apply", reads, (site.output().name,), apply_flop),
        )

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data; ratio and mode are settings."""
        return (0,)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the mask."""
        per_element = flop.ELEMENTWISE["Dropout"].gradient
        return Gradient(per_element * site.input(slot).elements, (self._mask(site),))


RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    dict.fromkeys(("Relu", "Sigmoid", "Tanh", "Clip", "Softmax"), KeepsOutput())
    | dict.fromkeys(("Gelu", "Erf"), KeepsInput())
    | {"Dropout": Dropout()}
)
