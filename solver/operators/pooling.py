"""Pools: a maximum keeps where it was found (4 B per output element), a mean keeps nothing."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final

from solver.graph import Role
from solver.operators import flop
from solver.operators.base import Extra, Gradient, Rule, Site

_CHANNEL_AXES = 2  # batch and channel stand before the axes that a global pool reduces


class _Pool(Rule):
    """A window of `kernel_shape`, or everything behind the channel axis for the global pools."""

    outputs_modelled: ClassVar[int | None] = 1

    def _window(self, site: Site) -> int:
        if site.layer.op_type.startswith("Global"):
            return math.prod(site.input(0).shape[_CHANNEL_AXES:])
        return math.prod(site.integers("kernel_shape"))


class MaxPool(_Pool):
    """MaxPool and GlobalMaxPool; the gradient goes to the positions that the indices name."""

    def flop(self, site: Site) -> int:
        """One comparison per position of each window."""
        return self._window(site) * site.output().elements

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """Indices of the maxima."""
        return (Extra("indices", site.output().shape, "int32", Role.INDICES),)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the indices: zeros everywhere, one addition per output element."""
        fill = flop.POOL_FILL * site.input(slot).elements
        return Gradient(fill + flop.ADDITION * site.output().elements, self.kept_extras(site))


class AveragePool(_Pool):
    """AveragePool and GlobalAveragePool: a sum over the window and one division."""

    def flop(self, site: Site) -> int:
        """One addition per position of each window, and the division."""
        return (self._window(site) + 1) * site.output().elements

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing: zeros, then per output element a division and its window's additions."""
        fill = flop.POOL_FILL * site.input(slot).elements
        return Gradient(fill + (self._window(site) + 1) * site.output().elements)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "MaxPool": MaxPool(),
    "GlobalMaxPool": MaxPool(),
    "AveragePool": AveragePool(),
    "GlobalAveragePool": AveragePool(),
})  # fmt: skip
