"""Random numbers: drawn once in a step and never again, since others would be other numbers."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.graph import Role
from solver.operators import flop
from solver.operators.base import Part, Rule, Site


class Draw(Rule):
    """Numbers that depend on nothing in the network, or on its shapes alone.

    The output is what must be remembered, as Dropout's mask is: its role is `mask`.
    """

    def reads(self, site: Site) -> tuple[str, ...]:  # noqa: ARG002 - one shape for all
        """Values that the draw depends on."""
        return ()

    def flop(self, site: Site) -> int:
        """A draw, a factor and a shift for each number."""
        return flop.DRAW[site.layer.op_type] * site.output().elements

    def parts(self, site: Site) -> tuple[Part, ...]:
        """One op that never runs twice."""
        made = (site.output().name,)
        cost, kind = self.flop(site), site.layer.op_type
        return (Part("", kind, self.reads(site), made, cost, recomputable=False, role=Role.MASK),)

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """Nothing: a choice has no slope."""
        return ()


class DrawFrom(Draw):
    """Bernoulli, Multinomial: the input says how likely each outcome is."""

    def reads(self, site: Site) -> tuple[str, ...]:
        """The probabilities."""
        return (site.input(0).name,)

    def flop(self, site: Site) -> int:
        """One draw and comparison for each number; Multinomial also weighs each class, 5."""
        weighed = flop.MULTINOMIAL_WEIGHING if site.layer.op_type == "Multinomial" else 0
        return super().flop(site) + weighed * site.input(0).elements


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "RandomNormal": Draw(),
    "RandomNormalLike": Draw(),
    "RandomUniform": Draw(),
    "RandomUniformLike": Draw(),
    "Bernoulli": DrawFrom(),
    "Multinomial": DrawFrom(),
})  # fmt: skip
