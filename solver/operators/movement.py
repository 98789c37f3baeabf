"""What moves elements: copies and resizing keep nothing, looking up keeps the indices."""

import math
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
        """Copy back."""
        return Gradient(flop.COPY * site.input(slot).elements)


class CopyFirst(Copy):
    """As Copy, but only the first input is data (Pad, Split): the others are settings."""

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


class Resize(CopyFirst):
    """Sums of neighbouring elements with fixed factors; nearest neighbours are copies."""

    def _taps(self, site: Site) -> int:
        """Elements of the input that one element of the output reads."""
        mode = site.layer.attributes.get("mode", "nearest")
        if not isinstance(mode, str) or mode not in flop.RESIZE_TAPS:
            raise site.error(f"mode {mode!r} of Resize is none of {', '.join(flop.RESIZE_TAPS)}")
        sizes = zip(site.input(0).shape, site.output().shape, strict=True)
        return math.prod(flop.RESIZE_TAPS[mode] for before, after in sizes if before != after)

    def flop(self, site: Site) -> int:
        """A copy, or a multiply-add per element read."""
        taps = self._taps(site)
        return (flop.COPY if taps == 1 else flop.MULTIPLY_ADD * taps) * site.output().elements

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing: zeros, then every element of the output goes back to those that made it."""
        taps = self._taps(site)
        each = flop.ADDITION if taps == 1 else flop.MULTIPLY_ADD * taps
        return Gradient(flop.COPY * site.input(slot).elements + each * site.output().elements)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Concat": Copy(),
    "Split": CopyFirst(),
    "Pad": CopyFirst(),
    "Transpose": Copy(),
    "Gather": Gather(),
    "Resize": Resize(),
    "Reshape": View(),
    "Flatten": View(),
    "Squeeze": View(),
    "Unsqueeze": View(),
    "Identity": View(),
})  # fmt: skip
