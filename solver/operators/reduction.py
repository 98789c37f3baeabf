"""What makes fewer elements of more along some axes, and sums or products that run along one."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.graph import Role
from solver.operators import flop
from solver.operators.base import Extra, Gradient, Ref, Rule, Site


class _Reduction(Rule):
    """Reduction of the first input; axes are a setting, wherever they are written."""

    def flop(self, site: Site) -> int:
        """FLOP per element of the input, by operator."""
        return flop.REDUCE[site.layer.op_type].forward * site.input(0).elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data."""
        return (0,)

    def _gradient(self, site: Site, *reads: Ref) -> Gradient:
        cost = flop.REDUCE[site.layer.op_type].gradient
        return Gradient(cost * site.input(0).elements, reads)


class SpreadsGradient(_Reduction):
    """ReduceSum and ReduceMean: the gradient is spread over what was summed."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read nothing."""
        return self._gradient(site)


class ReductionByInput(_Reduction):
    """ReduceL1 and ReduceSumSquare: the gradient is a function of each element."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read the input."""
        return self._gradient(site, site.input(0).name)


class ReductionByOutput(_Reduction):
    """ReduceLogSum: the sum, which divides the gradient, is the exponential of the output."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read the output."""
        return self._gradient(site, site.output().name)


class ReductionByBoth(_Reduction):
    """ReduceMax, ReduceMin, ReduceProd, ReduceL2, ReduceLogSumExp: elements against the result."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read the input and the output."""
        return self._gradient(site, site.input(0).name, site.output().name)


class ArgReduction(Rule):
    """ArgMax and ArgMin: positions, which have no gradient."""

    def flop(self, site: Site) -> int:
        """One comparison per element of the input."""
        return flop.ARG_REDUCE * site.input(0).elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """None."""
        return ()


class TopK(Rule):
    """The k largest or smallest along an axis; their positions are the second output.

    Where the file does not name that output, the positions are kept as those of a pool are.
    """

    def flop(self, site: Site) -> int:
        """One comparison per element of the input and halving of the k found so far (a heap)."""
        k = site.output().shape[site.integer("axis", -1)]
        return max(1, math.ceil(math.log2(k + 1))) * site.input(0).elements

    def _positions(self, site: Site) -> Ref:
        if len(site.layer.outputs) > 1 and site.layer.outputs[1]:
            return site.output(1).name
        return Extra("indices", site.output().shape, "int32", Role.INDICES)

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """The positions, where they are no output of the file's own."""
        positions = self._positions(site)
        return (positions,) if isinstance(positions, Extra) else ()

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data; k is a setting."""
        return (0,)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the indices: zeros everywhere, one addition per output element."""
        fill = flop.COPY * site.input(slot).elements
        return Gradient(fill + flop.ADDITION * site.output().elements, (self._positions(site),))


class _Cumulative(Rule):
    """A sum or product that runs along one axis, which is a setting."""

    def flop(self, site: Site) -> int:
        """One operation per element."""
        return flop.CUMULATE[site.layer.op_type].forward * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data."""
        return (0,)


class CumSum(_Cumulative):
    """The gradient is summed from the other end."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - there is one only
        """Read nothing: sums from the other end."""
        return Gradient(flop.CUMULATE["CumSum"].gradient * site.output().elements)


class CumProd(_Cumulative):
    """The gradient is summed from the other end, each element divided out of its products."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the input and the output: three operations per element."""
        cost = flop.CUMULATE["CumProd"].gradient * site.output().elements
        return Gradient(cost, (site.input(slot).name, site.output().name))


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    **dict.fromkeys(("ReduceSum", "ReduceMean"), SpreadsGradient()),
    **dict.fromkeys(("ReduceL1", "ReduceSumSquare"), ReductionByInput()),
    "ReduceLogSum": ReductionByOutput(),
    **dict.fromkeys(
        ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2", "ReduceLogSumExp"), ReductionByBoth()
    ),
    **dict.fromkeys(("ArgMax", "ArgMin"), ArgReduction()),
    "TopK": TopK(),
    "CumSum": CumSum(),
    "CumProd": CumProd(),
})  # fmt: skip
