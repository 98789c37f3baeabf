"""Copies (Concat, Split, Pad, Transpose, Cast) keep nothing; views cost nothing."""

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
