"""Normalisation: input and statistics are kept; those of a batch are an op that runs once."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.graph import Role
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

    def parts(self, site: Site) -> tuple[Part, ...]:
        """Forward ops: the statistics, then the normalised output."""
        source, statistics = site.input(_INPUT), self._statistics(site)
        stats_flop = flop.BATCH_STATISTICS * source.elements
        apply_flop = flop.BATCH_APPLY * source.elements
        reads = (source.name, *statistics)
        return (
            Part("stats", "stats", (source.name,), statistics, stats_flop, recomputable=False),
            Part("apply", "apply", reads, (site.output().name,), apply_flop),
        )

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The input, scale and bias."""
        return (_INPUT, _SCALE, _BIAS)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read input and statistics; for the bias, sum the output's gradient."""
        elements = site.input(_INPUT).elements
        if slot == _BIAS:
            return Gradient(flop.BATCH_BIAS * elements)
        per_element = flop.BATCH_INPUT if slot == _INPUT else flop.BATCH_SCALE
        return Gradient(per_element * elements, (site.input(_INPUT).name, *self._statistics(site)))


class LayerNormalization(Rule):
    """One op, recomputable: its statistics are of each sample alone and update nothing.

    Mean and inverse standard deviation, float32, are outputs that only the gradients read.
    """

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({_SCALE: "scale", _BIAS: "bias"})
    outputs_modelled: ClassVar[int | None] = 1

    def flop(self, site: Site) -> int:
        """Statistics and their use, per element."""
        return flop.LAYER_NORM * site.input(_INPUT).elements

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """Two numbers for each position before the normalised axes."""
        shape = site.input(_INPUT).shape
        axis = site.integer("axis", -1)
        if not -len(shape) <= axis < len(shape):
            raise site.error(f"axis {axis} does not exist in {len(shape)} dimensions")
        outer = shape[: axis if axis >= 0 else len(shape) + axis]
        return tuple(
            Extra(name, outer, "float32", Role.STATISTICS) for name in ("mean", "inverse_std")
        )

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read input and statistics; for the bias, sum the output's gradient."""
        elements = site.input(_INPUT).elements
        if slot == _BIAS:
            return Gradient(flop.LAYER_BIAS * elements)
        per_element = flop.LAYER_INPUT if slot == _INPUT else flop.LAYER_SCALE
        return Gradient(per_element * elements, (site.input(_INPUT).name, *self.kept_extras(site)))


class LRN(Rule):
    """Local response normalisation: its gradient makes the window sums again from the input."""

    def flop(self, site: Site) -> int:
        """Per element of the output, and the sum over the window."""
        window = flop.ADDITION * site.integer("size", 1)
        return (flop.LRN.forward + window) * site.output().elements

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the input."""
        window = flop.ADDITION * site.integer("size", 1)
        source = site.input(slot)
        return Gradient((flop.LRN.gradient + 2 * window) * source.elements, (source.name,))


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "BatchNormalization": BatchNormalization(),
    "LayerNormalization": LayerNormalization(),
    "LRN": LRN(),
})  # fmt: skip
