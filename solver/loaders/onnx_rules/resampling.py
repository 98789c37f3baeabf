"""Shapes of operators that make another resolution: resizing, sampling at points, rearranging."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    one,
    plain_axis,
    text_of,
)

_SCALES_INPUT: Final = 9  # opset from which Upsample reads its scales
_NAMED_SCALES: Final = 7  # before it, Upsample had height_scale and width_scale
_ROI_INPUT: Final = 11  # opset from which Resize takes a region, scales and sizes
_IMAGE_RANK: Final = 4
_MODES: Final[Mapping[str, str]] = MappingProxyType({
    "nearest": "nearest",
    "linear": "linear",
    "bilinear": "linear",
    "cubic": "cubic",
    "bicubic": "cubic",
})  # fmt: skip
"""How a mode is called -> which of the three it is."""

_POLICIES: Final = frozenset({"stretch", "not_larger", "not_smaller"})
_CROP: Final = "tf_crop_and_resize"


def _mode(node: Node, default: str) -> str:
    written = node.text("mode", default)
    if written not in _MODES:
        raise RuleError(f"mode {written!r} is not one of {', '.join(_MODES)}")
    return _MODES[written]


def _constant_numbers(node: Node, position: int, what: str) -> tuple[float, ...] | None:
    """The elements of a small constant of floats; None where it is absent or empty."""
    fact = node.given(position)
    if fact is None or not fact.elements:
        return None
    if fact.array is None:
        raise fact.unknown(what)
    return tuple(float(item) for item in fact.array.ravel())


def _scaled(size: int, scale: float) -> int:
    """The size times the scale, rounded down, in float32 as runtimes compute it.

    Raises RuleError for a scale that is no positive number or makes none of the size.
    """
    with np.errstate(over="ignore"):
        product = float(np.float32(size) * np.float32(scale))
    if not scale > 0 or not math.isfinite(product):
        raise RuleError(f"scale {scale:g} of {size} makes no size")
    return math.floor(product)


def upsample(node: Node) -> Inference:
    """Upsample: a scale per dimension, in attributes up to opset 8, an input in opset 9."""
    x, scales = node.need(0), _upsample_scales(node)
    if scales is None:
        raise RuleError("its scales are missing")
    if len(scales) != x.rank:
        raise RuleError(f"{len(scales)} scales do not fit {text_of(x.shape)}")
    shape = [_scaled(size, scale) for size, scale in zip(x.shape, scales, strict=True)]
    return one(shape, x.dtype, mode=_mode(node, "nearest"))


def _upsample_scales(node: Node) -> tuple[float, ...] | None:
    if node.opset >= _SCALES_INPUT:
        return _constant_numbers(node, 1, "scales")
    if node.opset < _NAMED_SCALES:
        return (1.0, 1.0, node.number("height_scale", 0.0), node.number("width_scale", 0.0))
    written = node.attributes.get("scales")
    if not isinstance(written, tuple):
        return None
    return tuple(float(item) for item in written if isinstance(item, int | float))


@dataclass(frozen=True, slots=True)
class _Resized:
    """The dimensions that a Resize names, in its own order, and their sizes before it."""

    axes: tuple[int, ...]
    before: tuple[int, ...]


def _named(node: Node, x: Fact) -> _Resized:
    written = node.integers("axes")
    if written is None:
        return _Resized(tuple(range(x.rank)), x.shape)
    axes = tuple(plain_axis(axis, x.rank) for axis in written)
    if len(set(axes)) != len(axes):
        raise RuleError(f"axes {written} name a dimension twice")
    return _Resized(axes, tuple(x.shape[axis] for axis in axes))


def _by_sizes(node: Node, named: _Resized, sizes: Sequence[int]) -> tuple[int, ...]:
    """The wanted sizes, or the nearest that keep the aspect ratio where the file asks for that."""
    if len(sizes) != len(named.axes) or min(sizes, default=1) < 1:
        raise RuleError(f"sizes {tuple(sizes)} are not {len(named.axes)} numbers above zero")
    policy = node.text("keep_aspect_ratio_policy", "stretch")
    if policy not in _POLICIES:
        raise RuleError(f"keep_aspect_ratio_policy {policy!r} is none of {sorted(_POLICIES)}")
    if policy == "stretch" or 0 in named.before:
        return tuple(sizes)
    choose = min if policy == "not_larger" else max
    ratios = [wanted / size for wanted, size in zip(sizes, named.before, strict=True)]
    ratio = choose(ratios)
    return tuple(math.floor(ratio * size + 0.5) for size in named.before)


def _extents(node: Node, count: int) -> tuple[float, ...]:
    """Which part of each named dimension is resized: all of it unless a region crops it."""
    if node.text("coordinate_transformation_mode", "half_pixel") != _CROP:
        return (1.0,) * count
    region = _constant_numbers(node, 1, "regions")
    if region is None or len(region) != 2 * count:
        raise RuleError(f"its region must be {2 * count} numbers")
    return tuple(end - start for start, end in zip(region[:count], region[count:], strict=True))


def resize(node: Node) -> Inference:
    """Resize: by scales or to sizes, of all dimensions or those in `axes` (opset 18)."""
    x = node.need(0)
    named = _named(node, x)
    with_region = node.opset >= _ROI_INPUT
    scales = _constant_numbers(node, 2 if with_region else 1, "scales")
    sizes = node.constant_integers(3, "sizes") if with_region else None
    if sizes:
        after = _by_sizes(node, named, sizes)
    elif scales is None:
        raise RuleError("its scales and sizes are both missing")
    elif len(scales) != len(named.axes):
        raise RuleError(f"{len(scales)} scales do not fit {len(named.axes)} dimensions")
    else:
        parts = _extents(node, len(scales))
        after = tuple(
            _scaled(size, scale * part)
            for size, scale, part in zip(named.before, scales, parts, strict=True)
        )
    shape = list(x.shape)
    for axis, size in zip(named.axes, after, strict=True):
        shape[axis] = size
    antialias = node.integer("antialias", 0)
    return one(shape, x.dtype, mode=_mode(node, "nearest"), antialias=antialias)


def depth_to_space(node: Node) -> Inference:
    """DepthToSpace: blocksize^2 channels become blocksize x blocksize positions."""
    x, block = _blocks(node)
    batch, channels, height, width = x.shape
    if channels % block**2:
        raise RuleError(f"{channels} channels are no multiple of {block} x {block}")
    shape = (batch, channels // block**2, height * block, width * block)
    return one(shape, x.dtype, blocksize=block, mode=node.text("mode", "DCR"))


def space_to_depth(node: Node) -> Inference:
    """SpaceToDepth: blocksize x blocksize positions become blocksize^2 channels."""
    x, block = _blocks(node)
    batch, channels, height, width = x.shape
    if height % block or width % block:
        raise RuleError(f"{height} x {width} is no multiple of {block} x {block}")
    shape = (batch, channels * block**2, height // block, width // block)
    return one(shape, x.dtype, blocksize=block)


def _blocks(node: Node) -> tuple[Fact, int]:
    x, block = node.need(0), node.integer("blocksize")
    if x.rank != _IMAGE_RANK or block < 1:
        raise RuleError(f"blocks of {block} do not fit {text_of(x.shape)}")
    return x, block


def grid_sample(node: Node) -> Inference:
    """GridSample: input [N, C, ...], a grid [N, ..., rank - 2] of points; one value per point."""
    x, grid = node.need(0), node.need(1)
    space = x.rank - 2
    if space < 1 or grid.rank != x.rank or (grid.shape[0], grid.shape[-1]) != (x.shape[0], space):
        raise RuleError(f"grid {text_of(grid.shape)} does not fit input {text_of(x.shape)}")
    shape = (*x.shape[:2], *grid.shape[1:-1])
    return one(shape, x.dtype, mode=_mode(node, "linear"))


def affine_grid(node: Node) -> Inference:
    """AffineGrid: the points of an output of `size` [N, C, ...] under one matrix per sample."""
    theta, size = node.need(0), node.constant_integers(1, "size")
    if size is None or len(size) not in {4, 5} or min(size) < 1:
        raise RuleError(f"its size {size} is not that of an image or a volume")
    space = len(size) - 2
    if theta.shape != (size[0], space, space + 1):
        raise RuleError(f"matrices {text_of(theta.shape)} do not fit size {text_of(size)}")
    return one((size[0], *size[2:], space), theta.dtype)


def col2im(node: Node) -> Inference:
    """Col2Im: columns [N, C x block, L] are added up to images [N, C, ...]."""
    x = node.need(0)
    image, block = node.constant_integers(1, "image shape"), node.constant_integers(2, "block")
    if image is None or block is None or not image or len(image) != len(block) or x.rank != 3:  # noqa: PLR2004 - batch, columns, positions
        raise RuleError(f"image {image} and block {block} do not fit {text_of(x.shape)}")
    if min(block) < 1 or min(image) < 1 or x.shape[1] % math.prod(block):
        raise RuleError(f"block {block} does not fit {x.shape[1]} rows of columns")
    return one((x.shape[0], x.shape[1] // math.prod(block), *image), x.dtype)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Resize": resize,
    "Upsample": upsample,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
    "GridSample": grid_sample,
    "AffineGrid": affine_grid,
    "Col2Im": col2im,
})  # fmt: skip
