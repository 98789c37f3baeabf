"""Elements of small constants that our own arithmetic does not know: ONNX's reference says them.

One node at a time, on numbers that are all known and few, in the process that reads the file. Only
operators whose work and answer grow with their inputs are run: none that a number can make large.
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from solver.loaders.onnx_rules.base import DATA_LIMIT, Elements, Fact, Inference, Node, RuleError

if TYPE_CHECKING:
    import onnx

_KNOWN: Final = frozenset({
    "Abs", "Acos", "Acosh", "ArgMax", "ArgMin", "Asin", "Asinh", "Atan", "Atanh", "BitShift",
    "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Celu", "Clip", "Compress", "Cos",
    "Cosh", "CumProd", "CumSum", "DepthToSpace", "Elu", "Erf", "Exp", "GatherND", "Gelu", "Gemm",
    "HardSigmoid", "HardSwish", "Hardmax", "IsInf", "IsNaN", "LeakyRelu", "Log", "LogSoftmax",
    "MatMul", "Mean", "Mish", "PRelu", "Pad", "ReduceL1", "ReduceL2", "ReduceLogSum",
    "ReduceLogSumExp", "ReduceMean", "ReduceSumSquare", "Relu", "ReverseSequence",
    "ScatterElements", "ScatterND", "Selu", "Shrink", "Sigmoid", "Sin", "Sinh", "Softmax",
    "Softplus", "Softsign", "SpaceToDepth", "Tan", "Tanh", "ThresholdedRelu",
})  # fmt: skip
"""Operators with a rule of shapes of ours: their answers have been found to be small before."""


def elements_of(node: Node) -> Sequence[Elements] | None:
    """What the node gives for its known inputs, None where the reference does not say either."""
    return _run(node) if node.op_type in _KNOWN else None


def by_reference(node: Node) -> Inference:
    """Unique, NonMaxSuppression, Det: of constants, whose answer tells its own shape."""
    for position, fact in enumerate(node.inputs, start=1):
        if fact is not None and fact.array is None:
            raise RuleError(f"input {position} is not known before the network runs")
    found = _run(node)
    if found is None or any(array.size > DATA_LIMIT for array in found):
        raise RuleError("what it makes of its constants is not known")
    return Inference(tuple(Fact(array.shape, array.dtype.name, array, True) for array in found))


RULES: Final = MappingProxyType(dict.fromkeys(("Unique", "NonMaxSuppression", "Det"), by_reference))


def _run(node: Node) -> Sequence[Elements] | None:
    if any(fact is not None and fact.array is None for fact in node.inputs):
        return None
    from onnx.reference import ReferenceEvaluator  # noqa: PLC0415 - slow, and hardly ever needed

    feeds = {
        f"i{k}": fact.array
        for k, fact in enumerate(node.inputs)
        if fact is not None and fact.array is not None
    }
    try:
        with np.errstate(all="ignore"):
            found = ReferenceEvaluator(_model(node)).run(None, feeds)
    except Exception:  # noqa: BLE001 - written for valid nodes, it raises anything for others
        return None
    arrays = [np.asarray(array) for array in found]
    return arrays if all(array.dtype.kind in "biuf" for array in arrays) else None


def _model(node: Node) -> "onnx.ModelProto":
    from onnx import helper, numpy_helper  # noqa: PLC0415 - onnx is loaded only for its files

    inputs = [f"i{k}" if fact is not None else "" for k, fact in enumerate(node.inputs)]
    outputs = [f"o{k}" for k in range(node.outputs)]
    made = helper.make_node(node.op_type, inputs, outputs)
    for name, value in node.attributes.items():
        made.attribute.append(
            helper.make_attribute(name, list(value) if isinstance(value, tuple) else value)
        )
    for name, fact in node.tensors.items():
        if fact.array is not None:
            made.attribute.append(
                helper.make_attribute(name, numpy_helper.from_array(fact.array, name))
            )
    known = [helper.make_value_info(name, _any_type()) for name in inputs if name]
    graph = helper.make_graph(
        [made], "constants", known, [helper.make_value_info(name, _any_type()) for name in outputs]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", node.opset)])


def _any_type() -> "onnx.TypeProto":
    """A type that says nothing: the reference asks the arrays themselves."""
    from onnx import TypeProto  # noqa: PLC0415 - as above

    return TypeProto()
