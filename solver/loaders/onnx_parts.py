"""Nodes that stand for one node of a file: what an operator is written out in."""

from collections.abc import Callable
from dataclasses import replace

from solver.loaders.onnx_nodes import FileNode
from solver.network import AttributeValue

Fresh = Callable[[str], str]
"""From a wanted node name to one that no other node has."""


def part_of(
    node: FileNode, fresh: Fresh, word: str, op_type: str, inputs: tuple[str, ...]
) -> FileNode:
    """A node inside of `node`, without attributes; its one output bears its own name."""
    name = fresh(f"{node.name}/{word}")
    return replace(node, name=name, op_type=op_type, inputs=inputs, outputs=(name,), attributes={})


class Parts:
    """The nodes inside of one, added in order; `opset` is the one that their attributes follow."""

    def __init__(self, node: FileNode, fresh: Fresh, opset: int) -> None:
        self.nodes: list[FileNode] = []
        self._node, self._fresh, self._opset = node, fresh, opset

    def add(self, word: str, op_type: str, *inputs: str, **attributes: AttributeValue) -> str:
        """One more node, named after `word`; what its output is called."""
        made = part_of(self._node, self._fresh, word, op_type, inputs)
        self.nodes.append(replace(made, attributes=attributes, opset=self._opset))
        return made.name

    def rename_last(self, *outputs: str) -> None:
        """Call the outputs of the node that was added last so."""
        self.nodes[-1] = replace(self.nodes[-1], outputs=outputs)
