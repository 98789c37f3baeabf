"""Sums, differences, products, quotients; the gradient of a broadcast operand is summed up."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.operators import flop
from solver.operators.base import Gradient, Rule, Site
from solver.operators.movement import Copy

_CHANNEL = 1  # axis of the channels in ONNX's own layout


def _reduction_flop(site: Site, slot: int) -> int:
    """FLOP of summing the gradient over the axes that the operand at `slot` was spread along."""
    spread = site.input(slot).elements != site.output().elements
    return flop.BROADCAST * site.output().elements if spread else 0


def is_per_channel(site: Site, slot: int) -> bool:
    """Whether the operand at `slot` of two has several elements, all along the other's channels.

    That is [C,1,1] or [1,C,1,1] where channels stand second, [C] where they stand last.
    """
    shape, whole = site.input(slot).shape, site.output().shape
    if site.input(slot).elements <= 1 or site.input(1 - slot).shape != whole:
        return False
    axis = len(whole) - 1 if len(shape) == 1 else _CHANNEL
    padded = (1,) * (len(whole) - len(shape)) + shape
    return all(size == (whole[k] if k == axis else 1) for k, size in enumerate(padded))


class _Elementwise(Rule):
    """Broadcasting arithmetic, one operation per element of the output and pair of operands."""

    def flop(self, site: Site) -> int:
        """One operation per element of the output and operand after the first."""
        cost = flop.ELEMENTWISE[site.layer.op_type].forward
        return cost * site.output().elements * (len(site.slots()) - 1)


class Sum(_Elementwise):
    """Sum, Sub and (with a trained bias besides) Add: gradients are copies, or negated ones."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing; a sum where the operand was broadcast, else a copy."""
        reduced = _reduction_flop(site, slot)
        copied = flop.ELEMENTWISE[site.layer.op_type].gradient * site.input(slot).elements
        return Gradient(reduced or copied)


class Add(Sum):
    """As Sum; a constant along the channels is a trained bias."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({0: "bias", 1: "bias"})

    def trains(self, site: Site, slot: int) -> bool:
        """Whether the constant lies along the channels."""
        return is_per_channel(site, slot)


class Mul(_Elementwise):
    """The other factor is kept; a constant along the channels is a trained scale."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({0: "scale", 1: "scale"})

    def trains(self, site: Site, slot: int) -> bool:
        """Whether the constant lies along the channels."""
        return is_per_channel(site, slot)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the other factor."""
        product = flop.ELEMENTWISE["Mul"].gradient * site.output().elements
        return Gradient(product + _reduction_flop(site, slot), (site.input(1 - slot).name,))


class Div(_Elementwise):
    """The divisor is kept; for its own gradient the quotient too."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the divisor, and for its own gradient the quotient."""
        elements, divisor = site.output().elements, site.input(1).name
        reduced = _reduction_flop(site, slot)
        if slot == 0:
            return Gradient(flop.ELEMENTWISE["Div"].gradient * elements + reduced, (divisor,))
        return Gradient(flop.DIV_DIVISOR * elements + reduced, (site.output().name, divisor))


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Add": Add(),
    "Sum": Sum(),
    "Sub": Sum(),
    "Mul": Mul(),
    "Div": Div(),
    "Cast": Copy(),
})  # fmt: skip
