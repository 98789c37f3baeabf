"""Shapes of normalisations and of Dropout, whose outputs changed with the operator set."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solver.loaders.onnx_rules.base import Fact, Inference, Node, Rule, RuleError, one, text_of

if TYPE_CHECKING:
    from solver.network import AttributeValue

_DROPOUT_INPUTS: Final = 12
_DROPOUT_BOOL_MASK: Final = 10
_TRAINING_MODE: Final = 14
_MODES_IN_FILE: Final = 7  # before it, is_test said which mode was exported
_MOST_OUTPUTS: Final = 5
_INPUTS: Final = 5
_LRN_MIN_RANK: Final = 3


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
    "LRN": lrn,
    "Dropout": dropout,
})  # fmt: skip
