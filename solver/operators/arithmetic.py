"""Arithmetic on several operands; the gradient of one that was broadcast is summed up."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.operators import flop
from solver.operators.base import Gradient, Part, Rule, Site
from solver.operators.movement import Copy

_CHANNEL = 1  # axis of the channels in ONNX's own layout


def reduction_flop(site: Site, slot: int) -> int:
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
    last = len(shape) == 1 and "axis" not in site.layer.attributes
    axis = len(whole) - 1 if last else _CHANNEL
    # Up to opset 6 the file says in `axis` where the second operand's dimensions stand.
    before = site.integer("axis", len(whole) - len(shape)) if slot else len(whole) - len(shape)
    padded = (1,) * before + shape + (1,) * (len(whole) - len(shape) - before)
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
        reduced = reduction_flop(site, slot)
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
        return Gradient(product + reduction_flop(site, slot), (site.input(1 - slot).name,))


class Div(_Elementwise):
    """The divisor is kept; for its own gradient the quotient too."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the divisor, and for its own gradient the quotient."""
        elements, divisor = site.output().elements, site.input(1).name
        reduced = reduction_flop(site, slot)
        if slot == 0:
            return Gradient(flop.ELEMENTWISE["Div"].gradient * elements + reduced, (divisor,))
        return Gradient(flop.DIV_DIVISOR * elements + reduced, (site.output().name, divisor))


class Pow(_Elementwise):
    """The base is kept; for the gradient of the exponent the power too."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read base and exponent; for the gradient of the exponent, base and output."""
        elements, base = site.output().elements, site.input(0).name
        reduced = reduction_flop(site, slot)
        if slot == 0:
            cost = flop.ELEMENTWISE["Pow"].gradient
            return Gradient(cost * elements + reduced, (base, site.input(1).name))
        return Gradient(flop.POW_EXPONENT * elements + reduced, (base, site.output().name))


class Mod(_Elementwise):
    """The remainder moves as the dividend does."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing; for the gradient of the divisor, both operands."""
        elements, reduced = site.output().elements, reduction_flop(site, slot)
        if slot == 0:
            return Gradient(reduced or flop.ELEMENTWISE["Mod"].gradient * elements)
        operands = (site.input(0).name, site.input(1).name)
        return Gradient(flop.MOD_DIVISOR * elements + reduced, operands)


_PAIR: Final = 2


class Extreme(_Elementwise):
    """Max and Min: the gradient goes to the operand that was taken."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read both operands; of more than two, the operand itself and the output."""
        cost = flop.ELEMENTWISE[site.layer.op_type].gradient * site.output().elements
        names = tuple(site.input(k).name for k in site.slots())
        compared = names if len(names) <= _PAIR else (site.input(slot).name, site.output().name)
        return Gradient(cost + reduction_flop(site, slot), compared)


class Mean(_Elementwise):
    """A sum and one division."""

    def flop(self, site: Site) -> int:
        """One operation per element of the output and operand."""
        return flop.ELEMENTWISE["Mean"].forward * site.output().elements * len(site.slots())

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing; a sum besides where the operand was broadcast."""
        divided = flop.ELEMENTWISE["Mean"].gradient * site.input(slot).elements
        return Gradient(divided + reduction_flop(site, slot))


class CastLike(Copy):
    """A Cast whose type is that of a second input, of which no element is read."""

    def parts(self, site: Site) -> tuple[Part, ...]:
        """One op, of the data alone."""
        reads, makes = (site.input(0).name,), (site.output().name,)
        return (Part("", site.layer.op_type, reads, makes, self.flop(site)),)

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data."""
        return (0,)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Add": Add(),
    "Sum": Sum(),
    "Sub": Sum(),
    "Mul": Mul(),
    "Div": Div(),
    "Pow": Pow(),
    "Mod": Mod(),
    "Max": Extreme(),
    "Min": Extreme(),
    "Mean": Mean(),
    "Cast": Copy(),
    "CastLike": CastLike(),
})  # fmt: skip
