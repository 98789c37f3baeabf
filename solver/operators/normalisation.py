"""Normalisation: input and statistics are kept; those of a batch are an op that runs once."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.graph import Role, Shape
from solver.operators import flop
from solver.operators.base import Extra, Gradient, Part, Ref, Rule, Site

_INPUT, _SCALE, _BIAS, _RUNNING_MEAN, _RUNNING_VARIANCE = range(5)


class BatchNormalization(Rule):
    """Two ops: `stats` (mean, inverse standard deviation; updates the running ones) and `apply`.

    One op makes the gradient through the statistics and the direct one together, so it names its
    input twice: once for each of the two forward ops that read it.
    """

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({_SCALE: "scale", _BIAS: "bias"})
    statistics: ClassVar[tuple[int, ...]] = (_RUNNING_MEAN, _RUNNING_VARIANCE)
    outputs_modelled: ClassVar[int | None] = 1

    def _statistics(self, site: Site) -> tuple[Ref, ...]:
        shape = (site.input(_SCALE).elements,)
        return tuple(
            Extra(name, shape, "float32", Role.STATISTICS) for name in ("mean", "inverse_std")
        )

    def flop(self, site: Site) -> int:
        """4 per element to use the statistics, besides 4 to make them."""
        return flop.BATCH_APPLY * site.input(_INPUT).elements

    def parts(self, site: Site) -> tuple[Part, ...]:
        """Forward ops: the statistics, then the normalised output."""
        source, statistics = site.input(_INPUT), self._statistics(site)
        stats_flop = flop.BATCH_STATISTICS * source.elements
        apply_flop = self.flop(site)
        reads = (source.name, *statistics)
        return (
            Part("stats", "stats", (source.name,), statistics, stats_flop, recomputable=False),
            Part("apply", "apply", reads, (site.output().name,), apply_flop),
        )

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The input, scale and bias."""
        return (_INPUT, _SCALE, _BIAS)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read input and statistics: 9 per element, for the scale 4, for the bias 1 (a sum)."""
        elements = site.input(_INPUT).elements
        if slot == _BIAS:
            return Gradient(flop.BATCH_BIAS * elements)
        per_element = flop.BATCH_INPUT if slot == _INPUT else flop.BATCH_SCALE
        return Gradient(per_element * elements, (site.input(_INPUT).name, *self._statistics(site)))


class _OwnStatistics(Rule):
    """Statistics of each sample alone, which update nothing: one op, and it may run again.

    The statistics, float32, are outputs that only the gradients read.
    """

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({_SCALE: "scale", _BIAS: "bias"})
    outputs_modelled: ClassVar[int | None] = 1

    def flop(self, site: Site) -> int:
        """8 per element: statistics and their use."""
        return flop.LAYER_NORM * site.input(_INPUT).elements

    def statistics_shape(self, site: Site) -> Shape:
        """One mean and one inverse standard deviation for each of these positions."""
        raise NotImplementedError

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """Two numbers for each set of elements that is normalised together."""
        shape = self.statistics_shape(site)
        return tuple(
            Extra(name, shape, "float32", Role.STATISTICS) for name in ("mean", "inverse_std")
        )

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read input and statistics: 10 per element, for the scale 4, for the bias 1 (a sum)."""
        elements = site.input(_INPUT).elements
        if slot == _BIAS:
            return Gradient(flop.LAYER_BIAS * elements)
        per_element = flop.LAYER_INPUT if slot == _INPUT else flop.LAYER_SCALE
        return Gradient(per_element * elements, (site.input(_INPUT).name, *self.kept_extras(site)))


def _outer(site: Site) -> Shape:
    """The dimensions before the attribute `axis`, from which on elements are normalised."""
    shape = site.input(_INPUT).shape
    axis = site.integer("axis", -1)
    if not -len(shape) <= axis < len(shape):
        raise site.error(f"axis {axis} does not exist in {len(shape)} dimensions")
    return shape[: axis if axis >= 0 else len(shape) + axis]


class LayerNormalization(_OwnStatistics):
    """Normalised over the last axes."""

    def statistics_shape(self, site: Site) -> Shape:
        """One for each position before the normalised axes."""
        return _outer(site)


class InstanceNormalization(_OwnStatistics):
    """Normalised over the positions of each channel of each sample."""

    def statistics_shape(self, site: Site) -> Shape:
        """One for each sample and channel."""
        return site.input(_INPUT).shape[:2]


class GroupNormalization(_OwnStatistics):
    """Normalised over the positions of `num_groups` groups of channels of each sample."""

    def statistics_shape(self, site: Site) -> Shape:
        """One for each sample and group."""
        return (site.input(_INPUT).shape[0], site.integer("num_groups", 1))


class RMSNormalization(Rule):
    """Divided by the root of the mean square over the last axes; nothing is subtracted."""

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({_SCALE: "scale"})
    outputs_modelled: ClassVar[int | None] = 1

    def flop(self, site: Site) -> int:
        """4 per element: the mean square and its use."""
        return flop.RMS_NORM * site.input(_INPUT).elements

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """One number for each position before the normalised axes."""
        return (Extra("inverse_rms", _outer(site), "float32", Role.STATISTICS),)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read input and statistics: 7 per element, for the scale 3."""
        per_element = flop.RMS_INPUT if slot == _INPUT else flop.RMS_SCALE
        source = site.input(_INPUT)
        return Gradient(per_element * source.elements, (source.name, *self.kept_extras(site)))


class LpNormalization(Rule):
    """Divided by the norm along one axis."""

    def flop(self, site: Site) -> int:
        """3 per element: the norm and its use."""
        return flop.LP_NORM.forward * site.output().elements

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """The norms, one for each position outside the axis."""
        shape = list(site.input(_INPUT).shape)
        shape[site.integer("axis", -1)] = 1
        return (Extra("norm", tuple(shape), "float32", Role.STATISTICS),)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the output and the norms: 5 per element."""
        cost = flop.LP_NORM.gradient * site.input(slot).elements
        return Gradient(cost, (site.output().name, *self.kept_extras(site)))


class MeanVarianceNormalization(Rule):
    """Normalised over `axes`, without scale and bias; the default axes take in the batch.

    Unlike those of batch normalisation its statistics update nothing, so it may run again.
    """

    def flop(self, site: Site) -> int:
        """6 per element: statistics and their use."""
        return flop.MEAN_VARIANCE.forward * site.output().elements

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """One inverse standard deviation for each position outside the axes."""
        axes = set(site.integers("axes"))
        shape = tuple(1 if k in axes else n for k, n in enumerate(site.input(_INPUT).shape))
        return (Extra("inverse_std", shape, "float32", Role.STATISTICS),)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the output and the statistics: 7 per element."""
        cost = flop.MEAN_VARIANCE.gradient * site.input(slot).elements
        return Gradient(cost, (site.output().name, *self.kept_extras(site)))


class LRN(Rule):
    """Local response normalisation: its gradient makes the window sums again from the input."""

    def flop(self, site: Site) -> int:
        """Per element five operations and an addition for each channel of the window."""
        window = flop.ADDITION * site.integer("size", 1)
        return (flop.LRN.forward + window) * site.output().elements

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the input: per element eleven operations and twice the window's additions."""
        window = flop.ADDITION * site.integer("size", 1)
        source = site.input(slot)
        return Gradient((flop.LRN.gradient + 2 * window) * source.elements, (source.name,))


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "BatchNormalization": BatchNormalization(),
    "LayerNormalization": LayerNormalization(),
    "InstanceNormalization": InstanceNormalization(),
    "GroupNormalization": GroupNormalization(),
    "RMSNormalization": RMSNormalization(),
    "SimplifiedLayerNormalization": RMSNormalization(),
    "LpNormalization": LpNormalization(),
    "MeanVarianceNormalization": MeanVarianceNormalization(),
    "LRN": LRN(),
})  # fmt: skip
