"""Quantisation as training simulates it: rounded forward, straight through on the way back.

Jacob et al., "Quantization and training of neural networks for efficient integer-arithmetic-only
inference" (CVPR 2018), and Bengio, Leonard, Courville, "Estimating or propagating gradients through
stochastic neurons" (2013).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.operators import flop
from solver.operators.base import Gradient, Rule, Site


class Quantize(Rule):
    """Rounding to the grid of the integers; scale and zero point have no gradient."""

    def flop(self, site: Site) -> int:
        """Seven per element: / scale, rounded, + zero point, min, max, and back, two."""
        return flop.QUANTIZE * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data."""
        return (0,)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing: copied, as if nothing had been rounded."""
        return Gradient(flop.COPY * site.input(slot).elements)


class Dequantize(Rule):
    """Integers to floats; what was rounded in floats is the number itself, a view."""

    def is_view(self, site: Site) -> bool:
        """Whether the input holds floats."""
        return site.input(0).is_float

    def flop(self, site: Site) -> int:
        """Two per element: - zero point, * scale; of rounded floats 0, a view."""
        return flop.DEQUANTIZE * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """None: integers that the network is given."""
        return ()


class DynamicRange(Rule):
    """Scale and zero point from the smallest and the largest number, taken as constants."""

    def flop(self, site: Site) -> int:
        """Two comparisons per element of the input."""
        return flop.DYNAMIC_RANGE * site.input(0).elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """None."""
        return ()


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "straight-through::QuantizeLinear": Quantize(),
    "straight-through::DequantizeLinear": Dequantize(),
    "straight-through::DynamicQuantizeLinear": DynamicRange(),
})  # fmt: skip
