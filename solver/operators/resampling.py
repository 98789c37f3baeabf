"""Another size of the same image: padding, fixed sums of neighbours, rearranging, grid points."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.operators import flop
from solver.operators.base import Gradient, Rule, Site
from solver.operators.movement import Copy, CopyFirst

_DATA, _GRID = 0, 1


def _taps_per_axis(site: Site, default: str) -> int:
    """Elements that one result reads along one axis, by the attribute `mode`."""
    mode = site.layer.attributes.get("mode", default)
    if not isinstance(mode, str) or mode not in flop.RESIZE_TAPS:
        known = ", ".join(flop.RESIZE_TAPS)
        raise site.error(f"mode {mode!r} of {site.layer.op_type} is none of {known}")
    return flop.RESIZE_TAPS[mode]


class Resize(CopyFirst):
    """Resize and Upsample: sums of neighbours with fixed factors; nearest neighbours are copies."""

    def _taps(self, site: Site) -> int:
        """Elements of the input that one element of the output reads."""
        each = _taps_per_axis(site, "nearest")
        # Antialiasing widens the filter by the factor by which an axis shrinks.
        widened = site.integer("antialias", 0) == 1 and each > 1
        sizes = zip(site.input(_DATA).shape, site.output().shape, strict=True)
        return math.prod(
            -(-each * before // after) if widened and 0 < after < before else each
            for before, after in sizes
            if before != after
        )

    def flop(self, site: Site) -> int:
        """A copy, or a multiply-add per element read."""
        taps = self._taps(site)
        return (flop.COPY if taps == 1 else flop.MULTIPLY_ADD * taps) * site.output().elements

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing: zeros, then every element of the output goes back to those that made it."""
        taps = self._taps(site)
        each = flop.ADDITION if taps == 1 else flop.MULTIPLY_ADD * taps
        return Gradient(flop.COPY * site.input(slot).elements + each * site.output().elements)


class Pad(CopyFirst):
    """A margin of zeros; or of the image's own elements, which then have several gradients."""

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read nothing: copied back; where the margin repeats elements, everything is added up."""
        copied = flop.COPY * site.input(slot).elements
        if site.layer.attributes.get("mode", "constant") == "constant":
            return Gradient(copied)
        return Gradient(copied + flop.ADDITION * site.output().elements)


class GridSample(Rule):
    """Values between the elements of an image, at points that are data themselves.

    The image's gradient reads the points; the points' gradient reads the image and the points, and
    does not exist for the nearest element.
    """

    def _taps(self, site: Site) -> int:
        axes = len(site.input(_DATA).shape) - 2
        return int(_taps_per_axis(site, "linear") ** axes)

    def flop(self, site: Site) -> int:
        """A multiply-add per element read, a copy of the nearest."""
        taps = self._taps(site)
        return (flop.COPY if taps == 1 else flop.MULTIPLY_ADD * taps) * site.output().elements

    def differentiable(self, site: Site) -> tuple[int, ...]:
        """The image, and the points where values change with them."""
        return (_DATA,) if self._taps(site) == 1 else (_DATA, _GRID)

    def gradient(self, site: Site, slot: int) -> Gradient:
        """Read the points, for their own also the image: zeros and sums; slopes along each axis."""
        taps, elements = self._taps(site), site.output().elements
        image, grid = site.input(_DATA), site.input(_GRID)
        if slot == _DATA:
            each = flop.ADDITION if taps == 1 else flop.MULTIPLY_ADD * taps
            return Gradient(flop.COPY * image.elements + each * elements, (grid.name,))
        axes = len(image.shape) - 2
        return Gradient(flop.MULTIPLY_ADD * (taps + 1) * axes * elements, (image.name, grid.name))


class AffineGrid(CopyFirst):
    """Points of a grid under a matrix per sample: a product with positions that nothing keeps."""

    def flop(self, site: Site) -> int:
        """A multiply-add for each coordinate of a position and the shift."""
        return flop.MULTIPLY_ADD * site.output().elements * site.input(_DATA).shape[-1]

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - only the matrices
        """Read nothing: positions are made again."""
        return Gradient(self.flop(site))


class Col2Im(CopyFirst):
    """Columns added up to images: the gradient is a copy of what each column added to."""

    def flop(self, site: Site) -> int:
        """Zeros, then an addition per element of the columns."""
        added = flop.ADDITION * site.input(_DATA).elements
        return flop.COPY * site.output().elements + added


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Pad": Pad(),
    "Resize": Resize(),
    "Upsample": Resize(),
    "DepthToSpace": Copy(),
    "SpaceToDepth": Copy(),
    "GridSample": GridSample(),
    "AffineGrid": AffineGrid(),
    "Col2Im": Col2Im(),
})  # fmt: skip
