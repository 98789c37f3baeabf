"""Comparisons, logic and choice: truth values carry no gradient, a choice passes one on."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.operators import flop
from solver.operators.arithmetic import reduction_flop
from solver.operators.base import Gradient, Rule, Site

_CONDITION, _YES, _NO = range(3)


class Truth(Rule):
    """Comparisons and operations of logic or bits: what they make has no gradient."""

    def flop(self, site: Site) -> int:
        """One operation per element of the output."""
        return flop.ELEMENTWISE[site.layer.op_type].forward * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """None."""
        return ()


class Where(Rule):
    """A choice, element by element, between two operands that are not kept."""

    def flop(self, site: Site) -> int:
        """A copy of one operand or the other."""
        return flop.ELEMENTWISE["Where"].forward * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The two operands, not the condition."""
        return (_YES, _NO)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the condition; a sum besides where the operand was broadcast."""
        chosen = flop.ELEMENTWISE["Where"].gradient * site.output().elements
        return Gradient(chosen + reduction_flop(site, slot), (site.input(_CONDITION).name,))


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    **dict.fromkeys(
        (
            "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor", "Not",
            "IsNaN", "IsInf", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot",
        ),
        Truth(),
    ),
    "Where": Where(),
})  # fmt: skip
