"""Shapes of convolutions and pools, over any number of spatial dimensions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from solver.graph import Shape
from solver.loaders.onnx_rules.base import Fact, Inference, Node, Rule, RuleError, one, text_of
from solver.network import AttributeValue

_MIN_RANK: Final = 3


@dataclass(frozen=True, slots=True)
class _Window:
    """A sliding window with every default resolved; `pads` = all begins, then all ends."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    outputs: tuple[int, ...]

    def attributes(self) -> dict[str, AttributeValue]:
        return {
            "kernel_shape": self.kernel,
            "strides": self.strides,
            "dilations": self.dilations,
            "pads": self.pads,
            "auto_pad": "NOTSET",
        }


def _per_axis(node: Node, name: str, rank: int, default: int) -> tuple[int, ...]:
    values = node.integers(name)
    if values is None:
        return (default,) * rank
    if len(values) != rank or min(values) < 1:
        raise RuleError(f"{name} {values} must be {rank} numbers above zero")
    return values


def _explicit_pads(node: Node, rank: int) -> tuple[int, ...]:
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


def _window(node: Node, spatial: Shape, kernel: tuple[int, ...], *, ceil: bool = False) -> _Window:
    rank = len(spatial)
    strides = _per_axis(node, "strides", rank, 1)
    dilations = _per_axis(node, "dilations", rank, 1)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    mode = node.text("auto_pad", "NOTSET")
    if mode in {"SAME_UPPER", "SAME_LOWER"}:
        outputs = tuple(-(-size // stride) for size, stride in zip(spatial, strides, strict=True))
        pads = _same_pads(spatial, outputs, reach, strides, upper=mode == "SAME_UPPER")
    elif mode in {"NOTSET", "VALID", ""}:
        pads = (0,) * (2 * rank) if mode == "VALID" else _explicit_pads(node, rank)
        outputs = _explicit_outputs(spatial, pads, reach, strides, ceil=ceil)
    else:
        raise RuleError(f"auto_pad {mode!r} is not one of NOTSET, SAME_UPPER, SAME_LOWER, VALID")
    return _Window(kernel, strides, dilations, pads, outputs)


def _spatial(fact: Fact) -> Shape:
    if fact.rank < _MIN_RANK:
        raise RuleError(f"the input is {text_of(fact.shape)}; batch, channels and space are needed")
    return fact.shape[2:]


def conv(node: Node) -> Inference:
    """Conv: input [N, C, ...], weight [M, C / group, ...], bias [M]."""
    x, weight, bias = node.need(0), node.need(1), node.given(2)
    spatial = _spatial(x)
    if weight.rank != x.rank:
        raise RuleError(f"weight {text_of(weight.shape)} does not fit input {text_of(x.shape)}")
    group = node.integer("group", 1)
    channels, filters = x.shape[1], weight.shape[0]
    if group < 1 or channels != weight.shape[1] * group or filters % group:
        raise RuleError(
            f"weight {text_of(weight.shape)} in {group} groups does not fit {channels} channels"
        )
    if bias is not None and bias.shape != (filters,):
        raise RuleError(f"bias {text_of(bias.shape)} does not fit {filters} filters")
    kernel = node.integers("kernel_shape") or weight.shape[2:]
    if kernel != weight.shape[2:] or min(kernel) < 1:
        raise RuleError(f"kernel_shape {kernel} does not fit weight {text_of(weight.shape)}")
    window = _window(node, spatial, kernel)
    shape = (x.shape[0], filters, *window.outputs)
    return one(shape, x.dtype, **window.attributes(), group=group)


def pool(node: Node) -> Inference:
    """MaxPool (with optional int64 indices), AveragePool."""
    x = node.need(0)
    spatial = _spatial(x)
    kernel = _per_axis(node, "kernel_shape", len(spatial), 0)
    if 0 in kernel:
        raise RuleError("attribute kernel_shape is missing")
    ceil = node.integer("ceil_mode", 0)
    window = _window(node, spatial, kernel, ceil=ceil == 1)
    shape = (*x.shape[:2], *window.outputs)
    attributes = window.attributes() | {"ceil_mode": ceil}
    if node.op_type == "AveragePool":
        attributes["count_include_pad"] = node.integer("count_include_pad", 0)
    outputs = [Fact(shape, x.dtype)]
    if node.op_type == "MaxPool" and node.outputs > 1:
        outputs.append(Fact(shape, "int64"))
    return Inference(tuple(outputs), attributes)


def global_pool(node: Node) -> Inference:
    """GlobalAveragePool, GlobalMaxPool: every spatial dimension becomes 1."""
    x = node.need(0)
    shape = (*x.shape[:2], *(1 for _ in _spatial(x)))
    return one(shape, x.dtype)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Conv": conv,
    "MaxPool": pool,
    "AveragePool": pool,
    "GlobalAveragePool": global_pool,
    "GlobalMaxPool": global_pool,
})  # fmt: skip
