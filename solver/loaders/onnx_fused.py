"""Operators that ONNX Runtime's optimiser joins from ordinary ones, written out as those.

A fused kernel keeps what its parts keep (the sum and its statistics, the sum before a Gelu), so
nothing is counted otherwise than in the fused form.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from solver.loaders.onnx_fused_attention import attention_parts
from solver.loaders.onnx_fused_embedding import embedding_parts
from solver.loaders.onnx_fused_grouped import grouped_parts
from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_parts import Fresh, part_of
from solver.network import AttributeValue


def _padded(names: tuple[str, ...], count: int) -> tuple[str, ...]:
    return (*names, *("",) * count)[:count]


def _cut(names: tuple[str, ...]) -> tuple[str, ...]:
    """Without the absent ones at the end."""
    while names and not names[-1]:
        names = names[:-1]
    return names


def _skip(norm: str, norm_inputs: int) -> Callable[[FileNode, Fresh], tuple[FileNode, ...]]:
    """Skip + normalisation: of input, skip, `norm_inputs` constants, bias; the sum may be named."""

    def write(node: FileNode, fresh: Fresh) -> tuple[FileNode, ...]:
        source, skip, *constants, bias = _padded(node.inputs, norm_inputs + 3)
        *made, total = _padded(node.outputs, 4)
        adds = [part_of(node, fresh, "skip", "Add", (source, skip))]
        if bias:
            both = (adds[-1].outputs[0], bias)
            adds.append(part_of(node, fresh, "bias", "Add", both))
        if total:
            adds[-1] = replace(adds[-1], outputs=(total,))
        inputs = _cut((adds[-1].outputs[0], *constants))
        last = replace(node, op_type=norm, inputs=inputs, outputs=_cut(tuple(made)))
        return (*adds, last)

    return write


def _biased(gelu: str) -> Callable[[FileNode, Fresh], tuple[FileNode, ...]]:
    """Bias + Gelu; where there is no bias the node stays what it is."""

    def write(node: FileNode, fresh: Fresh) -> tuple[FileNode, ...]:
        source, bias = _padded(node.inputs, 2)
        if not bias:
            return (replace(node, op_type=gelu, inputs=(source,)),)
        added = part_of(node, fresh, "bias", "Add", (source, bias))
        return (added, replace(node, op_type=gelu, inputs=added.outputs))

    return write


_ACTIVATIONS: Final = frozenset({"Relu", "Tanh", "Sigmoid", "LeakyRelu"})
_ADDED: Final = 3  # input of FusedConv that is added to its sums


def _activated(kind: str) -> Callable[[FileNode, Fresh], tuple[FileNode, ...]]:
    """FusedConv, FusedGemm: the product, what is added to it, an activation by name."""

    def write(node: FileNode, fresh: Fresh) -> tuple[FileNode, ...]:
        activation = node.attributes.get("activation", "")
        if activation and activation not in _ACTIVATIONS:
            return (node,)  # stays what it is and finds no rule
        alpha = node.attributes.get("activation_alpha", node.attributes.get("activation_params"))
        more = {} if alpha is None or activation != "LeakyRelu" else {"alpha": _first(alpha)}
        own = {key: value for key, value in node.attributes.items() if "activation" not in key}
        inputs = _padded(node.inputs, _ADDED + 1)
        parts = [replace(node, op_type=kind, inputs=_cut(inputs[:_ADDED]), attributes=own)]
        if kind == "Conv" and inputs[_ADDED]:
            parts.append(replace(node, op_type="Add", inputs=("", inputs[_ADDED]), attributes={}))
        if activation:
            parts.append(replace(node, op_type=str(activation), inputs=("",), attributes=more))
        return tuple(_chained(node, parts, fresh))

    return write


def _first(value: AttributeValue) -> AttributeValue:
    return value[0] if isinstance(value, tuple) and value else value


def _chained(node: FileNode, parts: Sequence[FileNode], fresh: Fresh) -> Iterator[FileNode]:
    """Parts, each of which reads first what the one before makes; the last has `node`'s name."""
    before = ""
    for k, part in enumerate(parts):
        inputs = (before, *part.inputs[1:]) if before else part.inputs
        if k == len(parts) - 1:
            yield replace(part, inputs=inputs)
            return
        before = fresh(f"{node.name}/{part.op_type.lower()}")
        yield replace(part, name=before, inputs=inputs, outputs=(before,))


_FUSED: Final[Mapping[str, Callable[[FileNode, Fresh], tuple[FileNode, ...]]]] = MappingProxyType({
    "com.microsoft::Attention": attention_parts,
    "com.microsoft::SkipLayerNormalization": _skip("LayerNormalization", 2),
    "com.microsoft::SkipSimplifiedLayerNormalization": _skip("SimplifiedLayerNormalization", 1),
    "com.microsoft::EmbedLayerNormalization": embedding_parts,
    "com.microsoft::GroupQueryAttention": grouped_parts,
    "com.microsoft::FusedConv": _activated("Conv"),
    "com.microsoft::FusedGemm": _activated("Gemm"),
    "com.microsoft::BiasGelu": _biased("com.microsoft::Gelu"),
    "com.microsoft::FastGelu": _biased("com.microsoft::FastGelu"),
})  # fmt: skip


def written_out(node: FileNode, fresh: Fresh) -> tuple[FileNode, ...]:
    """The ordinary nodes that a fused one stands for, in order; any other node as it is.

    The last one keeps the node's name and outputs. A sum that the file does not name is called
    after its node, as are the tensors of a function that is written out. Raises RuleError for a
    form of it that has no such parts.
    """
    write = _FUSED.get(node.op_type)
    return (node,) if write is None else write(node, fresh)
