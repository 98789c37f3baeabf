"""Einstein sums: each operand's gradient is such a sum itself, of the other operands."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.contraction import MOST_OPERANDS, Contraction, EquationError, parse
from solver.operators import flop
from solver.operators.base import Gradient, Rule, Site


class Einsum(Rule):
    """A product of any number of operands, summed over the labels that the answer lacks.

    Costs as `Contraction.count` tells: the cheapest pair of operands first. Any operand may be
    the trained constant.
    """

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType(
        dict.fromkeys(range(MOST_OPERANDS), "weight")
    )

    def flop(self, site: Site) -> int:
        """2 per multiply-add, 1 per multiplication, addition or copy alone."""
        return _flop(_contraction(site))

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the other operands: as an Einsum of them and the output's gradient."""
        others = tuple(site.input(other).name for other in site.slots() if other != slot)
        return Gradient(_flop(_contraction(site).gradient(slot)), others)


def _contraction(site: Site) -> Contraction:
    equation = site.layer.attributes.get("equation", "")
    try:
        return parse(str(equation), [site.input(slot).shape for slot in site.slots()])
    except EquationError as error:
        raise site.error(str(error)) from error


def _flop(contraction: Contraction) -> int:
    macs, single = contraction.count()
    return flop.MULTIPLY_ADD * macs + single


RULES: Final[Mapping[str, Rule]] = MappingProxyType({"Einsum": Einsum()})
