"""The parts of a .pt2 program that are looked at, field by field as PyTorch writes them.

The format: PyTorch, torch/_export/serde/schema.py.
"""

from typing import Any, Final

import msgspec

DTYPES: Final = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32",
    8: "float64", 12: "bool", 13: "bfloat16",
}  # fmt: skip
"""Numbers of the element types that can be scheduled, and their names."""


class Expression(msgspec.Struct, frozen=True):
    """An expression of sizes, as text."""

    expr_str: str


class Size(msgspec.Struct, frozen=True):
    """One size of a tensor: a number, or an expression of open sizes."""

    as_int: int | None = None
    as_expr: Expression | None = None


class Meta(msgspec.Struct, frozen=True):
    """A tensor without its data; `dtype` as in DTYPES."""

    dtype: int
    sizes: list[Size]


class Named(msgspec.Struct, frozen=True):
    """A tensor by its name."""

    name: str


class Given(msgspec.Struct, frozen=True):
    """What a user gives: a tensor, or something that is none."""

    as_tensor: Named | None = None


class UserInput(msgspec.Struct, frozen=True):
    """An input that a user gives."""

    arg: Given


class InputSpec(msgspec.Struct, frozen=True):
    """An input of the graph; all None where it is a weight or a buffer."""

    user_input: UserInput | None = None
    constant_input: dict[str, Any] | None = None


class Signature(msgspec.Struct, frozen=True):
    """The inputs of a graph, in order."""

    input_specs: list[InputSpec]


class NodeInput(msgspec.Struct, frozen=True):
    """An argument of a call: one key says its kind."""

    name: str
    arg: dict[str, Any]


class Node(msgspec.Struct, frozen=True):
    """A call of an operator."""

    target: str
    inputs: list[NodeInput]


class Graph(msgspec.Struct, frozen=True):
    """The calls in order, and what is known of each tensor."""

    nodes: list[Node]
    tensor_values: dict[str, Meta]


class CallSpecs(msgspec.Struct, frozen=True):
    """What a module takes and gives, each as JSON text of a Container."""

    in_spec: str
    out_spec: str


class ModuleCall(msgspec.Struct, frozen=True):
    """How a module is called; `fqn` is empty for the network itself."""

    fqn: str
    signature: CallSpecs | None = None


class GraphModule(msgspec.Struct, frozen=True):
    """A graph and how it is called."""

    graph: Graph
    signature: Signature
    module_call_graph: list[ModuleCall]


class Range(msgspec.Struct, frozen=True):
    """The least and the largest that an open size may be, in elements; None = unbounded."""

    min_val: int | None = None
    max_val: int | None = None


class Program(msgspec.Struct, frozen=True):
    """The whole of models/model.json that matters here."""

    graph_module: GraphModule
    range_constraints: dict[str, Range]
    torch_version: str = "of an unknown version"


class Container(msgspec.Struct, frozen=True):
    """How tensors are packed together; a leaf has no type."""

    type: str | None
    context: str | None
    children_spec: list["Container"]
