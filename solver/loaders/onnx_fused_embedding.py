"""The embeddings of a BERT as ONNX Runtime's optimiser joins them: written out in parts."""

from dataclasses import replace
from typing import Final

from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_parts import Fresh, Parts, part_of

_AXES_ATTRIBUTE: Final = 11
"""The opset of nodes made here whose axes are an attribute in it."""


def embedding_parts(node: FileNode, fresh: Fresh) -> tuple[FileNode, ...]:
    """EmbedLayerNormalization: rows of up to three tables, their sum, its norm; a count per mask.

    Where the positions are not given they are 0, 1, ... for each sample.
    """
    names = (*node.inputs, *("",) * 9)[:9]
    ids, segments, words, positions, kinds, scale, bias, mask, places = names
    normed, counts, sums = (*node.outputs, "", "", "")[:3]
    if counts and not mask:
        return (node,)  # counts of nothing: finds no rule
    parts = Parts(node, fresh, _AXES_ATTRIBUTE)
    total = parts.add("words", "Gather", words, ids)
    rows = parts.add("positions", "Gather", positions, places or _counted(parts, ids))
    total = parts.add("sum", "Add", total, rows)
    if segments and kinds:
        total = parts.add("sum", "Add", total, parts.add("segments", "Gather", kinds, segments))
    if counts:
        parts.add("mask", "ReduceSum", mask, axes=(1,), keepdims=0)
        parts.rename_last(counts)
    made = list(parts.nodes)
    if sums:
        made.append(replace(part_of(node, fresh, "total", "Identity", (total,)), outputs=(sums,)))
    norm = replace(
        node, op_type="LayerNormalization", inputs=(total, scale, bias), outputs=(normed,)
    )
    return (*made, norm)


def _counted(parts: Parts, ids: str) -> str:
    """0, 1, ... as many as a sample has words."""
    zero, one = (parts.add(f"{number}", "Constant", value_int=number) for number in (0, 1))
    length = parts.add("length", "Gather", parts.add("sizes", "Shape", ids), one)
    return parts.add("places", "Range", zero, length, one)
