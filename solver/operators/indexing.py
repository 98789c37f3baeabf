"""Picking, spreading and replacing elements: copies that at most remember where they went."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.operators import flop
from solver.operators.base import Gradient, Ref, Rule, Site
from solver.operators.movement import CopyFirst, Gather

_DATA, _INDICES, _UPDATES = range(3)


class Spread(CopyFirst):
    """Expand and Tile: every element is written several times, its gradients are summed."""

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - one shape for all
        """Read nothing: 1 per element of the output."""
        return Gradient(flop.BROADCAST * site.output().elements)


class OneHot(Rule):
    """Rows with one element apart: class numbers have no gradient, the two values are settings."""

    def flop(self, site: Site) -> int:
        """1 per element of the output."""
        return flop.COPY * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """None."""
        return ()


class Scatter(Rule):
    """A copy of the data in which some elements are replaced by, or joined with, the updates.

    Replaced elements get no gradient and added ones share it, so the indices are all that is kept;
    of products the output and the operand are read too, of maxima and minima everything: the
    gradient goes, divided, to all who reached the extreme (as PyTorch's scatter_reduce does).
    """

    def _reduction(self, site: Site) -> str:
        reduction = str(site.layer.attributes.get("reduction", "none"))
        if reduction not in flop.SCATTER:
            known = ", ".join(flop.SCATTER)
            raise site.error(f"reduction {reduction!r} is none of {known}")
        return reduction

    def flop(self, site: Site) -> int:
        """1 per element of the data and of the updates."""
        return flop.COPY * (site.input(_DATA).elements + site.input(_UPDATES).elements)

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """The data and the updates."""
        return (_DATA, _UPDATES)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the indices; for products and extremes also operands and output: a few per element.

        `flop.SCATTER` tells them by reduction; of added updates the data's gradient reads nothing.
        """
        reduction = self._reduction(site)
        data, indices, updates = (site.input(k) for k in (_DATA, _INDICES, _UPDATES))
        costs = flop.SCATTER[reduction][0 if slot == _DATA else 1]
        total = costs.data * data.elements + costs.updates * updates.elements
        reads: tuple[Ref, ...] = (indices.name,)
        match reduction, slot:
            case "add", 0:
                reads = ()
            case "mul", 0:
                reads = (data.name, site.output().name)
            case "mul", _:
                reads = (indices.name, updates.name, site.output().name)
            case "max" | "min", _:
                reads = (data.name, indices.name, updates.name, site.output().name)
        return Gradient(total, reads)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Slice": CopyFirst(),
    "Trilu": CopyFirst(),
    "ReverseSequence": CopyFirst(),
    "Compress": CopyFirst(),
    "Expand": Spread(),
    "Tile": Spread(),
    "GatherElements": Gather(),
    "GatherND": Gather(),
    "Scatter": Scatter(),
    "ScatterElements": Scatter(),
    "ScatterND": Scatter(),
    "OneHot": OneHot(),
})  # fmt: skip
