"""The embeddings of a BERT as ONNX Runtime's optimiser joins them: written out in parts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from solver.loaders.onnx_nodes import FileNode

_AXES_ATTRIBUTE: Final = 11
"""The opset of nodes made here whose axes are an attribute in it."""


def embedding_parts(node: FileNode, fresh: Callable[[str], str]) -> tuple[FileNode, ...]:
    """EmbedLayerNormalization: rows of up to three tables, their sum, its norm; a count per mask.

    Where the positions are not given they are 0, 1, ... for each sample.
    """
    names = (*node.inputs, *("",) * 9)[:9]
    ids, segments, words, positions, kinds, scale, bias, mask, places = names
    made = (*node.outputs, "", "", "")[:3]
    if made[1] and not mask:
        return (node,)  # counts of nothing: finds no rule

    def part(word: str, op_type: str, *inputs: str, **attributes: int | tuple[int, ...]) -> str:
        name = fresh(f"{node.name}/{word}")
        parts.append(
            replace(
                node,
                name=name,
                op_type=op_type,
                inputs=inputs,
                outputs=(name,),
                attributes=attributes,
                opset=_AXES_ATTRIBUTE,
            )
        )
        return name

    parts: list[FileNode] = []
    total = part("words", "Gather", words, ids)
    if not places:
        zero, one = (part(f"{number}", "Constant", value_int=number) for number in (0, 1))
        sizes = part("sizes", "Shape", ids)
        length = part("length", "Gather", sizes, one)
        places = part("places", "Range", zero, length, one)
    total = part("sum", "Add", total, part("positions", "Gather", positions, places))
    if segments and kinds:
        total = part("sum", "Add", total, part("segments", "Gather", kinds, segments))
    if made[1]:
        count = part("mask", "ReduceSum", mask, axes=(1,), keepdims=0)
        parts[-1] = replace(parts[-1], outputs=(made[1],), name=count)
    if made[2]:
        parts.append(replace(node, name=fresh(f"{node.name}/total"), op_type="Identity",
                             inputs=(total,), outputs=(made[2],), attributes={}))  # fmt: skip
    norm = replace(
        node, op_type="LayerNormalization", inputs=(total, scale, bias), outputs=made[:1]
    )
    return (*parts, norm)
