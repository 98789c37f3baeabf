"""Normalisation: batch statistics are an op that never runs twice; LRN keeps its input."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

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
