"""Shapes of convolutions, and of windows, over any number of spatial dimensions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from solver.graph import Shape
from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    one,
    text_of,
)
from solver.network import AttributeValue

_MIN_RANK: Final = 3
_SAME: Final = frozenset({"SAME_UPPER", "SAME_LOWER"})
_NO_AUTO_PAD: Final = frozenset({"NOTSET", ""})


@dataclass(frozen=True, slots=True)
class Window:
    """A sliding window with every default resolved; `pads` = all begins, then all ends."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    outputs: tuple[int, ...]

    def attributes(self) -> dict[str, AttributeValue]:
        """The resolved attributes; auto_pad has become pads."""
        return {
            "kernel_shape": self.kernel,
            "strides": self.strides,
            "dilations": self.dilations,
            "pads": self.pads,
            "auto_pad": "NOTSET",
        }


def per_axis(node: Node, name: str, rank: int, default: int) -> tuple[int, ...]:
    """A list of `rank` numbers above zero, all `default` where it is absent.

    Raises RuleError for anything else.
    """
    values = node.integers(name)
    if values is None:
        return (default,) * rank
    if len(values) != rank or min(values) < 1:
        raise RuleError(f"{name} {values} must be {rank} numbers above zero")
    return values


def explicit_pads(node: Node, rank: int) -> tuple[int, ...]:
    """Attribute `pads`: begins of all dimensions, then ends; none below zero."""
    pads = node.integers("pads")
    if pads is None:
        return (0,) * (2 * rank)
    if len(pads) != 2 * rank or min(pads) < 0:
        raise RuleError(f"pads {pads} must be {2 * rank} numbers, none below zero")
    return pads


def _same_pads(
    spatial: Shape,
    outputs: Sequence[int],
    reach: Sequence[int],
    strides: Sequence[int],
    *,
    upper: bool,
) -> tuple[int, ...]:
    """Pads of SAME_UPPER and SAME_LOWER: the odd one stands at the end or at the beginning."""
    begins, ends = [], []
    for size, output, extent, stride in zip(spatial, outputs, reach, strides, strict=True):
        total = max((output - 1) * stride + extent - size, 0)
        small, large = total // 2, total - total // 2
        begins.append(small if upper else large)
        ends.append(large if upper else small)
    return (*begins, *ends)


def _explicit_outputs(
    spatial: Shape, pads: Sequence[int], reach: Sequence[int], strides: Sequence[int], *, ceil: bool
) -> tuple[int, ...]:
    outputs = []
    rank = len(spatial)
    for i, (size, extent, stride) in enumerate(zip(spatial, reach, strides, strict=True)):
        free = size + pads[i] + pads[i + rank] - extent
        if free < 0:
            raise RuleError(f"a window of {extent} does not fit into {size} and its pads")
        count = (-(-free // stride) if ceil else free // stride) + 1
        # A window that would start in the padding behind the input is left out (ceil_mode).
        if ceil and (count - 1) * stride >= size + pads[i]:
            count -= 1
        outputs.append(count)
    return tuple(outputs)


def window_of(node: Node, spatial: Shape, kernel: tuple[int, ...], *, ceil: bool = False) -> Window:
    """The window of a convolution or pool over `spatial`, its defaults and auto_pad resolved."""
    rank = len(spatial)
    strides = per_axis(node, "strides", rank, 1)
    dilations = per_axis(node, "dilations", rank, 1)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    mode = _auto_pad(node)
    if mode in _SAME:
        outputs = tuple(-(-size // stride) for size, stride in zip(spatial, strides, strict=True))
        pads = _same_pads(spatial, outputs, reach, strides, upper=mode == "SAME_UPPER")
    else:
        pads = (0,) * (2 * rank) if mode == "VALID" else explicit_pads(node, rank)
        outputs = _explicit_outputs(spatial, pads, reach, strides, ceil=ceil)
    return Window(kernel, strides, dilations, pads, outputs)


def _auto_pad(node: Node) -> str:
    mode = node.text("auto_pad", "NOTSET")
    if mode not in _SAME | _NO_AUTO_PAD | {"VALID"}:
        raise RuleError(f"auto_pad {mode!r} is not one of NOTSET, SAME_UPPER, SAME_LOWER, VALID")
    return mode


def spatial_of(fact: Fact) -> Shape:
    """The sizes behind batch and channels. Raises RuleError where there are none."""
    if fact.rank < _MIN_RANK:
        raise RuleError(f"the input is {text_of(fact.shape)}; batch, channels and space are needed")
    return fact.shape[2:]


def _kernel(node: Node, x: Fact, weight: Fact) -> tuple[int, ...]:
    """The kernel of a convolution: the weight's, with which the attribute must agree."""
    if weight.rank != x.rank:
        raise RuleError(f"weight {text_of(weight.shape)} does not fit input {text_of(x.shape)}")
    kernel = node.integers("kernel_shape") or weight.shape[2:]
    if kernel != weight.shape[2:] or min(kernel) < 1:
        raise RuleError(f"kernel_shape {kernel} does not fit weight {text_of(weight.shape)}")
    return kernel


def _check_bias(bias: Fact | None, filters: int) -> None:
    if bias is not None and bias.shape != (filters,):
        raise RuleError(f"bias {text_of(bias.shape)} does not fit {filters} filters")


def _groups(node: Node, x: Fact, weight: Fact) -> int:
    """The groups of a convolution whose weight is [M, C / group, ...]."""
    group = node.integer("group", 1)
    if group < 1 or x.shape[1] != weight.shape[1] * group or weight.shape[0] % group:
        raise RuleError(
            f"weight {text_of(weight.shape)} in {group} groups does not fit {x.shape[1]} channels"
        )
    return group


def conv(node: Node) -> Inference:
    """Conv: input [N, C, ...], weight [M, C / group, ...], bias [M]."""
    x, weight, bias = node.need(0), node.need(1), node.given(2)
    spatial, kernel = spatial_of(x), _kernel(node, x, weight)
    group = _groups(node, x, weight)
    _check_bias(bias, weight.shape[0])
    window = window_of(node, spatial, kernel)
    shape = (x.shape[0], weight.shape[0], *window.outputs)
    return one(shape, x.dtype, **window.attributes(), group=group)


def deform_conv(node: Node) -> Inference:
    """DeformConv: as Conv, of positions moved by `offset`, each times `mask` where there is one."""
    x, weight, offset = node.need(0), node.need(1), node.need(2)
    spatial, kernel = spatial_of(x), _kernel(node, x, weight)
    group, parts = _groups(node, x, weight), node.integer("offset_group", 1)
    if parts < 1 or x.shape[1] % parts:
        raise RuleError(f"{parts} groups of offsets do not fit {x.shape[1]} channels")
    _check_bias(node.given(3), weight.shape[0])
    window = window_of(node, spatial, kernel)
    positions = parts * math.prod(kernel)
    for fact, name, each in ((offset, "offset", len(spatial)), (node.given(4), "mask", 1)):
        wanted = (x.shape[0], positions * each, *window.outputs)
        if fact is not None and fact.shape != wanted:
            raise RuleError(f"{name} is {text_of(fact.shape)}, it must be {text_of(wanted)}")
    shape = (x.shape[0], weight.shape[0], *window.outputs)
    return one(shape, x.dtype, **window.attributes(), group=group, offset_group=parts)


@dataclass(frozen=True, slots=True)
class _Spread:
    """A transposed window: how far each dimension grows, and what is cut from both ends."""

    outputs: tuple[int, ...]
    pads: tuple[int, ...]


def _spread(node: Node, full: Sequence[int], scaled: Sequence[int]) -> _Spread:
    """Outputs and pads of a transposed window whose uncut result is `full`.

    `output_shape` wins over pads; SAME_UPPER and SAME_LOWER ask for `scaled`, the input's size
    times the stride. An odd cut is larger at the end for SAME_UPPER, else at the beginning.
    """
    rank, mode = len(full), _auto_pad(node)
    wanted = node.integers("output_shape") or (tuple(scaled) if mode in _SAME else None)
    if wanted is None:
        pads = (0,) * (2 * rank) if mode == "VALID" else explicit_pads(node, rank)
        outputs = tuple(size - pads[i] - pads[i + rank] for i, size in enumerate(full))
    else:
        # Some exporters write batch and channels as well.
        outputs = wanted[2:] if len(wanted) == rank + 2 else wanted
        if len(outputs) != rank:
            raise RuleError(f"output_shape {wanted} does not fit {rank} dimensions")
        cut = [max(size - output, 0) for size, output in zip(full, outputs, strict=True)]
        small, large = [n // 2 for n in cut], [n - n // 2 for n in cut]
        pads = (*small, *large) if mode == "SAME_UPPER" else (*large, *small)
    if min(outputs) < 1:
        raise RuleError(f"pads {pads} cut more than there is of {text_of(tuple(full))}")
    return _Spread(outputs, pads)


def conv_transpose(node: Node) -> Inference:
    """ConvTranspose: input [N, C, ...], weight [C, M / group, ...], bias [M]."""
    x, weight, bias = node.need(0), node.need(1), node.given(2)
    spatial, kernel = spatial_of(x), _kernel(node, x, weight)
    group, rank = node.integer("group", 1), len(spatial)
    if group < 1 or x.shape[1] != weight.shape[0] or x.shape[1] % group:
        raise RuleError(
            f"weight {text_of(weight.shape)} in {group} groups does not fit {x.shape[1]} channels"
        )
    _check_bias(bias, weight.shape[1] * group)
    strides = per_axis(node, "strides", rank, 1)
    dilations = per_axis(node, "dilations", rank, 1)
    more = node.integers("output_padding") or (0,) * rank
    if len(more) != rank or min(more) < 0:
        raise RuleError(f"output_padding {more} must be {rank} numbers, none below zero")
    full = [
        stride * (size - 1) + extra + (k - 1) * dilation + 1
        for size, k, stride, dilation, extra in zip(
            spatial, kernel, strides, dilations, more, strict=True
        )
    ]
    scaled = [size * stride for size, stride in zip(spatial, strides, strict=True)]
    made = _spread(node, full, scaled)
    window = Window(kernel, strides, dilations, made.pads, made.outputs)
    shape = (x.shape[0], weight.shape[1] * group, *window.outputs)
    return one(shape, x.dtype, **window.attributes(), output_padding=more, group=group)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "DeformConv": deform_conv,
})  # fmt: skip
