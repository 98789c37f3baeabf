"""Convolutions other than the plain one: transposed, and of positions that data moves."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.operators import flop
from solver.operators.base import Gradient, Rule, Site
from solver.operators.linear import Conv

_INPUT, _WEIGHT = 0, 1
_OFFSET, _MOVED_BIAS, _MASK = 2, 3, 4  # slots of DeformConv behind input and weight


class ConvTranspose(Conv):
    """The input gradient of a convolution as a layer: every element is spread over a kernel."""

    def flop(self, site: Site) -> int:
        """Two per input element, output channel of its group and kernel position."""
        # The weight is (in channels, out channels / groups, *kernel). What pads cut off is made.
        spread = math.prod(site.input(_WEIGHT).shape[1:])
        return flop.MULTIPLY_ADD * site.input(_INPUT).elements * spread

    def macs(self, site: Site) -> int:  # noqa: ARG002 - one shape for all
        """None: `forward_macs` counts Conv, Gemm and MatMul."""
        return 0


class DeformConv(Rule):
    """A convolution of samples between the input's elements; samples are made again, not kept."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType(
        {_WEIGHT: "weight", _MOVED_BIAS: "bias"}
    )

    def _products(self, site: Site) -> int:
        """FLOP of the convolution itself."""
        weight = site.input(_WEIGHT).shape
        return flop.MULTIPLY_ADD * site.output().elements * math.prod(weight[1:])

    def _samples(self, site: Site) -> int:
        """Sampled elements: one per input channel, kernel position and output position."""
        batch, channels = site.input(_INPUT).shape[:2]
        kernel = math.prod(site.input(_WEIGHT).shape[2:])
        return batch * channels * kernel * math.prod(site.output().shape[2:])

    def flop(self, site: Site) -> int:
        """The samples and the convolution of them."""
        return flop.DEFORM_SAMPLE * self._samples(site) + self._products(site)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read input, offsets and mask, but for its own operand: samples and their product."""
        if slot == _MOVED_BIAS:
            return Gradient(flop.BROADCAST * site.output().elements)
        steps = {_INPUT: flop.DEFORM_SCATTER, _OFFSET: flop.DEFORM_SLOPE}
        each = steps.get(slot, flop.DEFORM_SAMPLE)
        cost = self._products(site) + each * self._samples(site)
        # The mask is a factor: only its own gradient does not read it, nor the input's the input.
        leaves_out = {_INPUT: {_INPUT}, _WEIGHT: {_WEIGHT}, _MASK: {_MASK}}.get(slot, set())
        read = [other for other in (_INPUT, _WEIGHT, _OFFSET, _MASK) if other not in leaves_out]
        return Gradient(cost, tuple(site.input(i).name for i in read if site.has_input(i)))


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "ConvTranspose": ConvTranspose(),
    "DeformConv": DeformConv(),
})  # fmt: skip
