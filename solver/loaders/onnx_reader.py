"""From the messages of an ONNX file to plain nodes: the model's own functions written out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solver.errors import Issue, ModelError
from solver.loaders.onnx_fused import written_out
from solver.loaders.onnx_nodes import (
    GRAPH,
    OWN_DOMAINS,
    SPARSE,
    TENSOR,
    Body,
    FileNode,
    Renaming,
    attribute_kind,
    plain_value,
)
from solver.loaders.onnx_order import body_in_order, unique_name
from solver.loaders.onnx_rules.base import Fact, RuleError
from solver.loaders.onnx_straight import can_simulate, simulated
from solver.loaders.onnx_tensors import read_sparse, read_tensor

if TYPE_CHECKING:
    import onnx

    from solver.network import AttributeValue

MOST_NODES: Final = 100_000
"""A file that says more, its functions and loops written out, is a bomb and no network."""

_DEEPEST: Final = 32
"""Calls within calls, bodies within bodies: real files have three or four."""

_Attributes = Mapping[str, "onnx.AttributeProto"]
_NONE: Final[_Attributes] = MappingProxyType({})


def same_name(name: str) -> str:
    """The renaming of a graph whose names are the file's own."""
    return name


@dataclass(frozen=True, slots=True)
class _Place:
    """Where nodes are read: in the graph itself, in a function's body, in a body of a node.

    `prefix` stands before node names. `rename` is from the names written there to the file's.
    `given` are the attributes of the call. `calls` are the functions being written out, outermost
    first.
    """

    prefix: str = ""
    rename: Renaming = same_name
    given: _Attributes = field(default_factory=lambda: _NONE)
    opset: int | None = None
    calls: tuple[str, ...] = ()
    depth: int = 0


@dataclass(eq=False)
class NodeReader:
    """Reads nodes of one file; collects `issues` instead of stopping at the first.

    `folder` is the model's, `file` its name for messages. `inlined` counts calls per function.
    `straight_through`: quantised operators become those that simulate them; `simulated` counts them
    by their names in the file.
    """

    folder: Path
    file: str
    functions: Mapping[str, "onnx.FunctionProto"]
    straight_through: bool = False
    issues: list[Issue] = field(default_factory=list)
    inlined: dict[str, int] = field(default_factory=dict)
    simulated: dict[str, int] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)
    _count: int = 0

    def graph(self, nodes: Iterable["onnx.NodeProto"]) -> tuple[FileNode, ...]:
        """The nodes of the file's graph in its order, each with a unique name.

        A node is called by its own name or its first output's. Raises ModelError naming every node
        whose tensors contradict themselves, and calls that never end.
        """
        found = tuple(self._nodes(nodes, _Place()))
        if self.issues:
            raise ModelError(self.issues)
        return found

    def _nodes(self, nodes: Iterable["onnx.NodeProto"], place: _Place) -> Iterator[FileNode]:
        for position, node in enumerate(nodes):
            self._count += 1
            if self._count > MOST_NODES:
                raise ModelError(Issue(f"more than {MOST_NODES:,} nodes: damaged", self.file))
            name = self._name(node, position, place)
            kind = _op_type(node)
            function = self.functions.get(function_key(node.domain, node.op_type, node.overload))
            if function is not None:
                yield from self._call(node, name, function, place)
                continue
            try:
                parts = tuple(self._written_out(self._node(node, name, kind, place)))
            except RuleError as error:
                self.issues.append(Issue(str(error), f"{self.file}: node {name} ({kind})"))
                continue
            yield from parts

    def _written_out(self, node: FileNode) -> Iterator[FileNode]:
        def fresh(wanted: str) -> str:
            return unique_name(wanted, self._taken)

        if self.straight_through and can_simulate(node.op_type):
            self.simulated[node.op_type] = self.simulated.get(node.op_type, 0) + 1
            yield from simulated(node, fresh)
        else:
            yield from written_out(node, fresh)

    def _name(self, node: "onnx.NodeProto", position: int, place: _Place) -> str:
        output = next(filter(None, node.output), f"{node.op_type} {position}")
        own = f"{place.prefix}{node.name}"
        # An output's name is unique in the file, whatever stands before it there.
        wanted = own if node.name and own not in self._taken else place.rename(output)
        return unique_name(wanted, self._taken)

    def _node(self, node: "onnx.NodeProto", name: str, kind: str, place: _Place) -> FileNode:
        plain: dict[str, AttributeValue] = {}
        tensors: dict[str, Fact] = {}
        bodies: dict[str, Body] = {}
        for key, attribute in _attributes(node, place.given):
            value = plain_value(attribute)
            if value is not None:
                plain[key] = value
            elif attribute_kind(attribute) == TENSOR:
                tensors[key] = read_tensor(attribute.t, self.folder)
            elif attribute_kind(attribute) == SPARSE:
                # Constant alone has one: "sparse_value", which is its value stored otherwise.
                tensors[key.removeprefix("sparse_")] = read_sparse(
                    attribute.sparse_tensor, self.folder
                )
            elif attribute_kind(attribute) == GRAPH:
                bodies[key] = self._body(attribute.g, f"{name}/", place)
        return FileNode(
            name,
            kind,
            _renamed(node.input, place.rename),
            _renamed(node.output, place.rename),
            plain,
            tensors,
            bodies,
            place.opset,
            origin=name,
        )

    def _deeper(self, place: _Place, name: str) -> int:
        if place.depth >= _DEEPEST:
            message = f"more than {_DEEPEST} graphs stand inside each other: damaged"
            raise ModelError(Issue(message, f"{self.file}: node {name}"))
        return place.depth + 1

    def _body(self, graph: "onnx.GraphProto", prefix: str, place: _Place) -> Body:
        """A graph inside a node. Its own names are put under the node's: they may shadow others."""
        stored = {
            f"{prefix}{tensor.name}": read_tensor(tensor, self.folder)
            for tensor in graph.initializer
        }
        stored |= {
            f"{prefix}{sparse.values.name}": read_sparse(sparse, self.folder)
            for sparse in graph.sparse_initializer
        }
        own = {entry.name for entry in graph.input} | {item.name for item in graph.initializer}
        own |= {sparse.values.name for sparse in graph.sparse_initializer}
        own |= {name for node in graph.node for name in node.output}

        def rename(name: str) -> str:
            return f"{prefix}{name}" if name in own else place.rename(name)

        depth = self._deeper(place, prefix)
        inside = _Place(prefix, rename, place.given, place.opset, place.calls, depth)
        read = list(self._nodes(graph.node, inside))
        nodes = body_in_order(read, f"{self.file}: node {prefix.removesuffix('/')}")
        # One weight, however often the body runs.
        stored |= {
            node.outputs[0]: node.tensors["value"]
            for node in nodes
            if node.op_type == "Constant" and "value" in node.tensors and any(node.outputs[:1])
        }
        return Body(
            tuple(rename(entry.name) for entry in graph.input),
            tuple(rename(entry.name) for entry in graph.output),
            tuple(node for node in nodes if not set(node.outputs) & stored.keys()),
            stored,
        )

    def _call(
        self, node: "onnx.NodeProto", name: str, function: "onnx.FunctionProto", place: _Place
    ) -> Iterator[FileNode]:
        """The nodes of a function in place of its call."""
        key = function_key(node.domain, node.op_type, node.overload)
        if key in place.calls:
            chain = " -> ".join([*place.calls, key])
            raise ModelError(Issue(f"the functions {chain} call each other", self.file))
        self.inlined[key] = self.inlined.get(key, 0) + 1
        prefix = f"{name}/"
        inputs = [*_renamed(node.input, place.rename), *[""] * len(function.input)]
        outputs = [*_renamed(node.output, place.rename), *[""] * len(function.output)]
        names: dict[str, str] = dict(zip(function.input, inputs, strict=False))
        through = [entry for entry in function.output if entry in names]
        names |= {
            inner: outer
            for inner, outer in zip(function.output, outputs, strict=False)
            if outer and inner not in through
        }

        def rename(inner: str) -> str:
            return names.get(inner, f"{prefix}{inner}")

        given = {entry.name: entry for entry in function.attribute_proto}
        given |= dict(_attributes(node, place.given))
        versions = [item.version for item in function.opset_import if item.domain in OWN_DOMAINS]
        inside = _Place(
            prefix,
            rename,
            given,
            max(versions, default=place.opset),
            (*place.calls, key),
            self._deeper(place, name),
        )
        yield from self._nodes(function.node, inside)
        for inner, outer in zip(function.output, outputs, strict=False):
            if inner in through and outer and names[inner]:
                own = unique_name(f"{prefix}{outer}", self._taken)
                yield FileNode(own, "Identity", (names[inner],), (outer,))


def function_key(domain: str, name: str, overload: str = "") -> str:
    """How functions are told apart: "domain::name", with ":overload" where there is one."""
    return f"{domain}::{name}{f':{overload}' if overload else ''}"


def functions_of(model: "onnx.ModelProto") -> dict[str, "onnx.FunctionProto"]:
    """The functions that the model itself holds, by `function_key`."""
    return {
        function_key(entry.domain, entry.name, entry.overload): entry for entry in model.functions
    }


def _op_type(node: "onnx.NodeProto") -> str:
    kind = str(node.op_type)
    return kind if node.domain in OWN_DOMAINS else f"{node.domain}::{kind}"


def _renamed(names: Sequence[str], rename: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(rename(name) if name else "" for name in names)


def _attributes(
    node: "onnx.NodeProto", given: _Attributes
) -> Iterator[tuple[str, "onnx.AttributeProto"]]:
    """Name and value of each attribute; those of a function's body may be the call's."""
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            yield attribute.name, attribute
        elif attribute.ref_attr_name in given:
            yield attribute.name, given[attribute.ref_attr_name]
