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
    """MaxPool and GlobalMaxPool; the gradient goes to the positions that the indices name.

    Indices that the file declares (int64) exist only where something reads them, MaxUnpool say;
    the gradient then reads them too, else int32 ones of its own.
    """

    def _declared(self, site: Site) -> str | None:
        """The layer's own indices, where a layer or the network's outputs ask for them."""
        name = site.layer.outputs[1] if len(site.layer.outputs) > 1 else ""
        network = site.network
        if not name:
            return None
        asked = name in network.outputs or any(name in other.inputs for other in network.layers)
        return name if asked else None

    def modelled(self, site: Site) -> tuple[str, ...]:
        """The maxima, and declared indices that are read."""
        declared = self._declared(site)
        return super().modelled(site) + ((declared,) if declared else ())

    def flop(self, site: Site) -> int:
        """One comparison per position of each window."""
        return self._window(site) * site.output().elements

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """Indices of the maxima, unless the layer makes them anyway."""
        return () if self._declared(site) else (self._indices(site),)

    def _indices(self, site: Site) -> Extra:
        return Extra("indices", site.output().shape, "int32", Role.INDICES)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the indices: zeros everywhere, one addition per output element."""
        cost = flop.POOL_FILL * site.input(slot).elements + flop.ADDITION * site.output().elements
        return Gradient(cost, (self._declared(site) or self._indices(site),))


class MaxUnpool(Rule):
    """Each element goes to the position that its index names; the gradient comes back from it."""

    def flop(self, site: Site) -> int:
        """Zeros, and a copy of each element."""
        return flop.COPY * (site.output().elements + site.input(0).elements)

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data; indices and size are settings."""
        return (0,)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the indices: a copy for each element."""
        return Gradient(flop.COPY * site.input(slot).elements, (site.input(1).name,))


class AveragePool(_Pool):
    """AveragePool and GlobalAveragePool: a sum over the window and one division."""

    def flop(self, site: Site) -> int:
        """One addition per position of each window, and the division."""
        return (self._window(site) + 1) * site.output().elements

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing: zeros, then per output element a division and its window's additions."""
        fill = flop.POOL_FILL * site.input(slot).elements
        return Gradient(fill + (self._window(site) + 1) * site.output().elements)


class LpPool(_Pool):
    """LpPool and GlobalLpPool: the p-th root of a sum of p-th powers over the window."""

    def flop(self, site: Site) -> int:
        """Absolute value, power and addition per position of each window, and the root."""
        return (flop.LP_POOL.forward * self._window(site) + 1) * site.output().elements

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read input and output: zeros, then dy * sign(x) * (|x| / y)^(p - 1) at each position."""
        fill = flop.POOL_FILL * site.input(slot).elements
        each = flop.LP_POOL.gradient * self._window(site)
        reads = (site.input(slot).name, site.output().name)
        return Gradient(fill + each * site.output().elements, reads)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "MaxPool": MaxPool(),
    "GlobalMaxPool": MaxPool(),
    "MaxUnpool": MaxUnpool(),
    "AveragePool": AveragePool(),
    "GlobalAveragePool": AveragePool(),
    "LpPool": LpPool(),
    "GlobalLpPool": LpPool(),
})  # fmt: skip
