"""Attention as ONNX Runtime's optimiser joins it, with its projections: written out in parts."""

from dataclasses import replace

from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_parts import Fresh, part_of

_MASK, _PAST, _BIAS = 3, 4, 5  # inputs after the data, the weight and the projections' bias


def attention_parts(node: FileNode, fresh: Fresh) -> tuple[FileNode, ...]:
    """com.microsoft Attention: one product for queries, keys and values, split, and their meeting.

    A form that also turns its positions (do_rotary) stays what it is and finds no rule.
    """
    if node.attributes.get("do_rotary", 0):
        return (node,)
    names = (*node.inputs, *("",) * 7)[:7]
    source, weight, bias = names[:3]
    product = part_of(node, fresh, "projection", "MatMul", (source, weight))
    parts = [product]
    if bias:
        both = (product.outputs[0], bias)
        parts.append(part_of(node, fresh, "bias", "Add", both))
    sizes = node.attributes.get("qkv_hidden_sizes")
    split = part_of(node, fresh, "split", "Split", parts[-1].outputs)
    if sizes is not None:
        # Sizes are an attribute in old operator sets and an input in new ones.
        written = part_of(node, fresh, "sizes", "Constant", ())
        parts.append(replace(written, attributes={"value_ints": sizes}))
        split = replace(split, inputs=(*split.inputs, *parts[-1].outputs))
    attributes = {"axis": -1} if sizes is None else {"axis": -1, "split": sizes}
    operands = tuple(fresh(f"{node.name}/{word}") for word in ("queries", "keys", "values"))
    parts.append(replace(split, outputs=operands, attributes=attributes))
    more = ("", names[_MASK], names[_BIAS], names[_PAST])
    kept = {key: value for key, value in node.attributes.items() if key != "qkv_hidden_sizes"}
    kind = "com.microsoft::MultiHeadAttention"
    last = replace(node, op_type=kind, inputs=(*operands, *more), attributes=kept)
    return (*parts, last)
