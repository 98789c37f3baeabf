"""What moves elements: copies keep nothing, looking up keeps the indices."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.operators import flop
from solver.operators.base import Gradient, Rule, Site


class View(Rule):
    """Reshape, Flatten, Squeeze, Unsqueeze, Identity: the same bytes under another shape."""

    def is_view(self, site: Site) -> bool:  # noqa: ARG002 - one shape for all
        """Always."""
        return True


class Copy(Rule):
    """Every element is written once; gradients are copies back, of the input's size."""

    def flop(self, site: Site) -> int:
        """One per element written."""
        values = site.network.values
        return flop.COPY * sum(values[name].elements for name in site.outputs())

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing: copied back."""
        return Gradient(flop.COPY * site.input(slot).elements)


class CopyFirst(Copy):
    """As Copy, but only the first input is data (Split): the others are settings."""

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data."""
        return (0,)


class Gather(CopyFirst):
    """Rows of the data by index; of a constant table (an embedding) the rows are trained."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({0: "weight"})

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the indices: zeros, except for a weight; then one addition per element read."""
        fill = 0 if site.is_constant(slot) else flop.COPY * site.input(slot).elements
        added = flop.ADDITION * site.output().elements
        return Gradient(fill + added, (site.input(1).name,))


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Concat": Copy(),
    "Split": CopyFirst(),
    "Transpose": Copy(),
    "Gather": Gather(),
    "Reshape": View(),
    "Flatten": View(),
    "Squeeze": View(),
    "Unsqueeze": View(),
    "Identity": View(),
})  # fmt: skip
