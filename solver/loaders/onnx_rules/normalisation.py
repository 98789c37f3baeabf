"""Shapes of normalisations and of Dropout, whose outputs changed with the operator set."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solver.graph import Shape
from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    broadcast,
    one,
    plain_axes,
    plain_axis,
    text_of,
)

if TYPE_CHECKING:
    from solver.network import AttributeValue

_DROPOUT_INPUTS: Final = 12
_DROPOUT_BOOL_MASK: Final = 10
_TRAINING_MODE: Final = 14
_MODES_IN_FILE: Final = 7  # before it, is_test said which mode was exported
_MOST_OUTPUTS: Final = 5
_INPUTS: Final = 5
_LRN_MIN_RANK: Final = 3
_CHANNELS_RANK: Final = 2
_GROUP_SCALE_BY_CHANNEL: Final = 21
_ALL_BUT_CHANNELS: Final = (0, 2, 3)


def batch_normalization(node: Node) -> Inference:
    """BatchNormalization of X, scale, B, mean, var; `training_mode` says how it was exported."""
    x = node.need(0)
    if node.integer("spatial", 1) != 1:
        raise RuleError("normalisation of every position by itself (spatial = 0) is not supported")
    channels = x.shape[1] if x.rank > 1 else 1
    for position in range(1, _INPUTS):
        slot = node.need(position)
        if slot.shape != (channels,):
            raise RuleError(
                f"input {position + 1} is {text_of(slot.shape)}, the input has {channels} channels"
            )
    if node.outputs > _MOST_OUTPUTS:
        raise RuleError(f"{node.outputs} outputs, there are at most {_MOST_OUTPUTS}")
    if node.opset >= _TRAINING_MODE:
        training = node.integer("training_mode", 0)
    elif node.opset >= _MODES_IN_FILE:
        training = int(node.outputs > 1)
    else:
        training = int(not node.integer("is_test", 0))
    statistics = Fact((channels,), node.need(3).dtype)
    outputs = (Fact(x.shape, x.dtype), *(statistics,) * (node.outputs - 1))
    attributes: dict[str, AttributeValue] = {
        "epsilon": node.number("epsilon", 1e-5),
        "momentum": node.number("momentum", 0.9),
        "training_mode": training,
    }
    return Inference(outputs, attributes)


def _fits(node: Node, position: int, shape: Shape, word: str) -> None:
    """Raise RuleError unless the scale or bias at `position` can be spread over `shape`."""
    fact = node.given(position)
    if fact is not None and broadcast((shape, fact.shape)) != tuple(shape):
        raise RuleError(f"{word} {text_of(fact.shape)} does not fit into {text_of(shape)}")


def _last_axes(node: Node, most: int, *words: str) -> Inference:
    """One answer like the input, and statistics with one element for each normalised set."""
    x = node.need(0)
    axis = plain_axis(node.integer("axis", -1), x.rank)
    node.need(1)
    for position, word in enumerate(words, start=1):
        _fits(node, position, x.shape, word)
    if node.outputs > most:
        raise RuleError(f"{node.outputs} outputs, there are at most {most}")
    statistics = Fact((*x.shape[:axis], *(1,) * (x.rank - axis)), "float32")
    outputs = (Fact(x.shape, x.dtype), *(statistics,) * (node.outputs - 1))
    return Inference(outputs, {"axis": axis, "epsilon": node.number("epsilon", 1e-5)})


def layer_normalization(node: Node) -> Inference:
    """LayerNormalization of X, scale, B over the axes from `axis` on; its statistics besides."""
    return _last_axes(node, 3, "scale", "bias")


def rms_normalization(node: Node) -> Inference:
    """RMSNormalization of X, scale; ONNX Runtime's own one names its statistics besides."""
    return _last_axes(node, 1 if node.op_type == "RMSNormalization" else 2, "scale")


def instance_normalization(node: Node) -> Inference:
    """InstanceNormalization of X, scale, B: each channel of each sample by itself."""
    x = node.need(0)
    if x.rank < _CHANNELS_RANK:
        raise RuleError(f"input {text_of(x.shape)} has no channels")
    _need_shape(node, (x.shape[1],), f"{x.shape[1]} channels")
    return one(x.shape, x.dtype, epsilon=node.number("epsilon", 1e-5))


def group_normalization(node: Node) -> Inference:
    """GroupNormalization of X, scale, bias; these are per group before opset 21."""
    x, groups = node.need(0), node.integer("num_groups")
    channels = x.shape[1] if x.rank >= _CHANNELS_RANK else 0
    if groups < 1 or not channels or channels % groups:
        raise RuleError(f"{channels} channels cannot be divided into {groups} groups")
    size = channels if node.opset >= _GROUP_SCALE_BY_CHANNEL else groups
    _need_shape(node, (size,), f"{channels} channels in {groups} groups")
    return one(x.shape, x.dtype, num_groups=groups, epsilon=node.number("epsilon", 1e-5))


def _need_shape(node: Node, shape: Shape, what: str) -> None:
    """Raise RuleError unless scale and bias have `shape`."""
    for position, word in enumerate(("scale", "bias"), start=1):
        fact = node.need(position)
        if fact.shape != shape:
            raise RuleError(f"{word} is {text_of(fact.shape)}, the input has {what}")


def lp_normalization(node: Node) -> Inference:
    """LpNormalization: divided by the sum of magnitudes or the length along one axis."""
    x, power = node.need(0), node.integer("p", 2)
    if power not in {1, 2}:
        raise RuleError(f"p is {power}, not 1 or 2")
    return one(x.shape, x.dtype, axis=plain_axis(node.integer("axis", -1), x.rank), p=power)


def mean_variance_normalization(node: Node) -> Inference:
    """MeanVarianceNormalization: all but the channels, unless `axes` says otherwise."""
    x = node.need(0)
    axes = node.integers("axes")
    return one(
        x.shape, x.dtype, axes=plain_axes(_ALL_BUT_CHANNELS if axes is None else axes, x.rank)
    )


def lrn(node: Node) -> Inference:
    """LRN: over `size` neighbouring channels."""
    x = node.need(0)
    size = node.integer("size")
    if size < 1 or x.rank < _LRN_MIN_RANK:
        raise RuleError(f"size {size} on input {text_of(x.shape)} makes no neighbourhood")
    return one(
        x.shape,
        x.dtype,
        size=size,
        alpha=node.number("alpha", 1e-4),
        beta=node.number("beta", 0.75),
        bias=node.number("bias", 1.0),
    )


def _ratio(node: Node) -> float | None:
    if node.opset < _DROPOUT_INPUTS:
        return node.number("ratio", 0.5)
    fact = node.given(1)
    if fact is None:
        return 0.5
    return None if fact.array is None else float(fact.array.ravel()[0])


def _dropout_mode(node: Node) -> int:
    """1 where the file says that the mask is drawn, 0 where Dropout was exported as a copy."""
    if node.opset < _MODES_IN_FILE:
        return int(not node.integer("is_test", 0))
    if node.opset < _DROPOUT_INPUTS:
        return 0
    fact = node.given(2)
    return int(fact is not None and fact.array is not None and bool(fact.array.ravel()[0]))


def dropout(node: Node) -> Inference:
    """Dropout: `ratio` where it is constant; the mask has the input's type up to opset 9."""
    x = node.need(0)
    for position, name in ((1, "ratio"), (2, "training_mode")):
        fact = node.given(position)
        if fact is not None and fact.elements != 1:
            raise RuleError(f"{name} must be one value, it is {text_of(fact.shape)}")
    attributes: dict[str, AttributeValue] = {"training_mode": _dropout_mode(node)}
    ratio = _ratio(node)
    if ratio is not None:
        if not 0 <= ratio < 1:
            raise RuleError(f"ratio {ratio} is not between 0 and 1")
        attributes["ratio"] = ratio
    mask = Fact(x.shape, x.dtype if node.opset < _DROPOUT_BOOL_MASK else "bool")
    return Inference((Fact(x.shape, x.dtype), mask)[: node.outputs], attributes)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "BatchNormalization": batch_normalization,
    "LayerNormalization": layer_normalization,
    "RMSNormalization": rms_normalization,
    "SimplifiedLayerNormalization": rms_normalization,
    "InstanceNormalization": instance_normalization,
    "GroupNormalization": group_normalization,
    "LpNormalization": lp_normalization,
    "MeanVarianceNormalization": mean_variance_normalization,
    "LRN": lrn,
    "Dropout": dropout,
})  # fmt: skip
