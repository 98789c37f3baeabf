"""Nodes of an ONNX file as plain values: what they read and write, plain attributes, bodies."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from solver.loaders.onnx_rules.base import Fact
from solver.network import AttributeValue

if TYPE_CHECKING:
    import onnx

Renaming = Callable[[str], str]
"""From the name of a tensor (never "") to another one."""

OWN_DOMAINS: Final = frozenset({"", "ai.onnx"})
"""What ONNX's own operators are filed under; those of others carry their domain here."""

TENSOR: Final = 4  # AttributeProto.TENSOR
GRAPH: Final = 5  # AttributeProto.GRAPH
SPARSE: Final = 11  # AttributeProto.SPARSE_TENSOR

ASKED: Final = frozenset({"If", "Loop"})
"""Operators that may leave a question to the user; how often a Scan runs is a size."""

_NO_BODIES: Final[Mapping[str, "Body"]] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Body:
    """A graph inside a node: a branch, or what a loop repeats.

    `nodes` stand in the file's order. `stored` : its own constants by name. Names that neither
    belong to `inputs` or `stored` nor are written by `nodes` come from the graph around it.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple["FileNode", ...]
    stored: Mapping[str, Fact]

    @cached_property
    def local(self) -> frozenset[str]:
        """All that is made anew each time the body runs: not its constants."""
        names = {*self.inputs, *(name for node in self.nodes for name in node.outputs if name)}
        for node in self.nodes:
            for body in node.bodies.values():
                names |= body.local
        return frozenset(names)

    @cached_property
    def captured(self) -> tuple[str, ...]:
        """Tensors of the graph around it that it reads, each once, in order."""
        read = [name for node in self.nodes for name in node.reads]
        read += [name for name in self.outputs if name]
        own = {*self.inputs, *self.stored, *(out for node in self.nodes for out in node.outputs)}
        return tuple(dict.fromkeys(name for name in read if name not in own))

    def renamed(self, rename: Renaming) -> "Body":
        """The same body with every tensor under another name."""
        return Body(
            tuple(map(rename, self.inputs)),
            tuple(rename(name) if name else "" for name in self.outputs),
            tuple(node.renamed(rename) for node in self.nodes),
            {rename(name): fact for name, fact in self.stored.items()},
        )


@dataclass(frozen=True, slots=True, eq=False)
class FileNode:
    """One node of the file.

    `name` is unique; `op_type` carries the domain where it is not ONNX's own ("com.x::Op").
    `opset` is that of the function it comes from, None for the model's. `origin` is the name under
    which the user answers questions about it: the same in every iteration of a loop.
    """

    name: str
    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    tensors: Mapping[str, Fact] = field(default_factory=dict)
    bodies: Mapping[str, Body] = field(default_factory=lambda: _NO_BODIES)
    opset: int | None = None
    origin: str = ""

    @property
    def place(self) -> str:
        """How messages name this node."""
        return f"node {self.name} ({self.op_type})"

    @property
    def reads(self) -> tuple[str, ...]:
        """Tensors that it needs: its inputs, and what its bodies take from around them."""
        if not self.bodies:
            return tuple(name for name in self.inputs if name)
        hidden = (name for body in self.bodies.values() for name in body.captured)
        return tuple(dict.fromkeys([*(name for name in self.inputs if name), *hidden]))

    def renamed(self, rename: Renaming) -> "FileNode":
        """The same node with every tensor, and itself, under another name."""
        return replace(
            self,
            name=rename(self.name),
            inputs=tuple(rename(name) if name else "" for name in self.inputs),
            outputs=tuple(rename(name) if name else "" for name in self.outputs),
            bodies=(
                {key: body.renamed(rename) for key, body in self.bodies.items()}
                if self.bodies
                else self.bodies
            ),
        )


def question(node: FileNode) -> str:
    """The name under which `--dim` answers what a node leaves to run time."""
    return f"{node.origin}.{'branch' if node.op_type == 'If' else 'trips'}"


def controls(nodes: Sequence[FileNode]) -> Iterator[FileNode]:
    """Every node with a body, those inside bodies too."""
    for node in nodes:
        for body in node.bodies.values():
            yield from controls(body.nodes)
        if node.bodies:
            yield node


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


def attribute_kind(attribute: "onnx.AttributeProto") -> int:
    """Its type; IR version 1 wrote none, there the filled field tells. 0 = nothing at all."""
    if attribute.type:
        return int(attribute.type)
    fields = {"f": 1, "i": 2, "s": 3, "t": TENSOR, "g": GRAPH, "sparse_tensor": SPARSE}
    lists = {"floats": 6, "ints": 7, "strings": 8}
    for name, number in fields.items():
        if attribute.HasField(name):
            return number
    return next((number for name, number in lists.items() if getattr(attribute, name)), 0)


def plain_value(attribute: "onnx.AttributeProto") -> AttributeValue | None:
    """A number, a text or a list of them; None for tensors, graphs and types."""
    reader = _READERS.get(attribute_kind(attribute))
    return reader(attribute) if reader is not None else None
