"""Nodes of an ONNX file as plain values: unique names, plain attributes, one order."""

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from solver.errors import Issue, ModelError
from solver.loaders.onnx_rules.base import Fact, RuleError
from solver.loaders.onnx_tensors import read_tensor
from solver.network import AttributeValue

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True, slots=True, eq=False)
class FileNode:
    """One node of the file.

    `name` is unique; `op_type` carries the domain where it is not ONNX's own ("com.x::Op").
    """

    name: str
    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    tensors: Mapping[str, Fact] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """How messages name this node."""
        return f"node {self.name} ({self.op_type})"


def _text(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")


# The message class has no common type for its values: Any, checked by the field that is read.
_READERS: Final[Mapping[int, Callable[[Any], AttributeValue]]] = MappingProxyType({
    1: lambda a: float(a.f),
    2: lambda a: int(a.i),
    3: lambda a: _text(a.s),
    6: lambda a: tuple(float(item) for item in a.floats),
    7: lambda a: tuple(int(item) for item in a.ints),
    8: lambda a: tuple(_text(item) for item in a.strings),
})  # fmt: skip
_TENSOR: Final = 4


def _old_type(attribute: "onnx.AttributeProto") -> int:
    """IR version 1 wrote no attribute types: the filled field tells."""
    fields = {"f": 1, "i": 2, "s": 3, "t": 4}
    lists = {"floats": 6, "ints": 7, "strings": 8}
    for name, number in fields.items():
        if attribute.HasField(name):
            return number
    return next((number for name, number in lists.items() if getattr(attribute, name)), 0)


def _node(node: "onnx.NodeProto", name: str, folder: Path) -> FileNode:
    plain: dict[str, AttributeValue] = {}
    tensors: dict[str, Fact] = {}
    for attribute in node.attribute:
        kind = attribute.type or _old_type(attribute)
        if kind in _READERS:
            plain[attribute.name] = _READERS[kind](attribute)
        elif kind == _TENSOR:
            tensors[attribute.name] = read_tensor(attribute.t, folder)
    own = node.domain in {"", "ai.onnx"}
    op_type = node.op_type if own else f"{node.domain}::{node.op_type}"
    return FileNode(name, op_type, tuple(node.input), tuple(node.output), plain, tensors)


def _unique(wanted: str, taken: set[str]) -> str:
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted} {count}"
    taken.add(name)
    return name


def read_nodes(graph: "onnx.GraphProto", folder: Path, file: str) -> tuple[FileNode, ...]:
    """The nodes in the file's order, each with a unique name: its own or its first output's.

    Raises ModelError naming every node whose tensors contradict themselves.
    """
    taken: set[str] = set()
    nodes, issues = [], []
    for position, node in enumerate(graph.node):
        output = next((name for name in node.output if name), f"{node.op_type} {position}")
        own = node.name if node.name and node.name not in taken else output
        name = _unique(own, taken)
        try:
            nodes.append(_node(node, name, folder))
        except RuleError as error:
            issues.append(Issue(str(error), f"{file}: node {name} ({node.op_type})"))
    if issues:
        raise ModelError(issues)
    return tuple(nodes)


def _producers(nodes: Sequence[FileNode], known: Iterable[str], file: str) -> dict[str, int]:
    """Tensor name -> position of its node, -1 for inputs and initialisers."""
    made = dict.fromkeys(known, -1)
    issues = []
    for position, node in enumerate(nodes):
        for name in node.outputs:
            if name in made:
                other = nodes[made[name]].name if made[name] >= 0 else "the graph's own inputs"
                issues.append(
                    Issue(f"tensor {name} is made twice, first by {other}", f"{file}: {node.place}")
                )
            elif name:
                made[name] = position
    if issues:
        raise ModelError(issues)
    return made


def sort_nodes(
    nodes: Sequence[FileNode], known: Iterable[str], outputs: Iterable[str], file: str
) -> tuple[tuple[FileNode, ...], bool]:
    """The nodes, producers before readers, ties by place in the file; True if they stood so.

    `known` are the tensors that nothing has to make. Raises ModelError for tensors that nothing
    makes, tensors made twice and cycles.
    """
    made = _producers(nodes, known, file)
    issues = [
        Issue(f"reads {name}, which nothing makes", f"{file}: {node.place}")
        for node in nodes
        for name in node.inputs
        if name and name not in made
    ]
    issues += [
        Issue(f"output {name} is made by nothing", file) for name in outputs if name not in made
    ]
    if issues:
        raise ModelError(issues)
    needs = [{made[name] for name in node.inputs if name} - {-1} for node in nodes]
    order = _order(needs)
    if len(order) < len(nodes):
        cycle = " -> ".join(nodes[k].name for k in _cycle(needs, set(order)))
        raise ModelError(Issue(f"the nodes {cycle} form a cycle", file))
    return tuple(nodes[k] for k in order), order == list(range(len(nodes)))


def _order(needs: Sequence[set[int]]) -> list[int]:
    """Positions in topological order, the least first among those that are ready."""
    readers: list[list[int]] = [[] for _ in needs]
    for k, sources in enumerate(needs):
        for source in sources:
            readers[source].append(k)
    waiting = [len(sources) for sources in needs]
    ready = [k for k, count in enumerate(waiting) if not count]
    order = []
    while ready:
        k = heapq.heappop(ready)
        order.append(k)
        for reader in readers[k]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    return order


def _cycle(needs: Sequence[set[int]], done: set[int]) -> list[int]:
    """One cycle among the nodes that never became ready, along the data, first node repeated."""
    k = min(set(range(len(needs))) - done)
    seen: dict[int, int] = {}
    path: list[int] = []
    while k not in seen:
        seen[k] = len(path)
        path.append(k)
        k = min(needs[k] - done)
    loop = path[seen[k] :][::-1]
    start = loop.index(min(loop))
    loop = loop[start:] + loop[:start]
    return [*loop, loop[0]]
