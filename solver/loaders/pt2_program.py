"""What an exported PyTorch program computes: the JSON of a .pt2 archive, checked before it is used.

PyTorch evaluates expressions of sizes and guards as Python, imports modules that containers name,
and calls whatever function of PyTorch's a node names. Here sizes are worked out, guards and notes
left out, and only operators of ATen accepted. The format: PyTorch, torch/_export/serde/schema.py.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from solver.errors import Issue, ModelError
from solver.import_report import names_of
from solver.loaders.pt2_sizes import is_known, size_of, symbol_of
from solver.torch_program import FILE_OPERATORS

_ATEN: Final = re.compile(
    r"torch\.ops\.(aten\.(?:_?[a-z]\w*|__i?(?:and|or|xor|lshift|rshift)__)\.[A-Za-z]\w*)"
)
_ARITHMETIC: Final = frozenset(
    f"_operator.{name}"
    for name in (
        "getitem", "add", "sub", "mul", "floordiv", "mod", "neg", "eq", "ne", "lt", "le", "gt",
        "ge",
    )
)  # fmt: skip
_OBJECTS: Final = frozenset({"as_operator", "as_graph", "as_custom_obj", "custom_obj", "token"})
"""Arguments that are functions, programs or objects."""
_CONTAINERS: Final = frozenset({None, "builtins.tuple", "builtins.list", "builtins.dict"})
_DTYPES: Final = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32",
    8: "float64", 12: "bool", 13: "bfloat16",
}  # fmt: skip
_PASSIVE: Final = {"torch.ops.aten.batch_norm.default": "training",
                   "torch.ops.aten.dropout.default": "train"}  # fmt: skip
_FIXED: Final = "export it with fixed sizes"


class _Expression(msgspec.Struct, frozen=True):
    expr_str: str


class _Size(msgspec.Struct, frozen=True):
    as_int: int | None = None
    as_expr: _Expression | None = None


class _Meta(msgspec.Struct, frozen=True):
    dtype: int
    sizes: list[_Size]


class _Named(msgspec.Struct, frozen=True):
    name: str


class _Given(msgspec.Struct, frozen=True):
    as_tensor: _Named | None = None


class _UserInput(msgspec.Struct, frozen=True):
    arg: _Given


class _InputSpec(msgspec.Struct, frozen=True):
    user_input: _UserInput | None = None
    constant_input: dict[str, Any] | None = None


class _Signature(msgspec.Struct, frozen=True):
    input_specs: list[_InputSpec]


class _NodeInput(msgspec.Struct, frozen=True):
    name: str
    arg: dict[str, Any]


class _Node(msgspec.Struct, frozen=True):
    target: str
    inputs: list[_NodeInput]


class _Graph(msgspec.Struct, frozen=True):
    nodes: list[_Node]
    tensor_values: dict[str, _Meta]


class _CallSpecs(msgspec.Struct, frozen=True):
    in_spec: str
    out_spec: str


class _ModuleCall(msgspec.Struct, frozen=True):
    fqn: str
    signature: _CallSpecs | None = None


class _GraphModule(msgspec.Struct, frozen=True):
    graph: _Graph
    signature: _Signature
    module_call_graph: list[_ModuleCall]


class _Range(msgspec.Struct, frozen=True):
    min_val: int | None = None
    max_val: int | None = None


class _Program(msgspec.Struct, frozen=True):
    graph_module: _GraphModule
    range_constraints: dict[str, _Range]
    torch_version: str = "of an unknown version"


class _Container(msgspec.Struct, frozen=True):
    type: str | None
    context: str | None
    children_spec: list["_Container"]


@dataclass(frozen=True, slots=True)
class ExportedInput:
    """A tensor that a user gives; each size is a number or the name of what is open."""

    name: str
    dtype: str
    dims: tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class ExportedStep:
    """A checked program. ranges : open size -> the least and the largest it may be, in elements.

    inputs : the tensors that a user gives. targets : the operator of each node. passive : layers
    that were exported for inference. torch : the version that exported it.
    """

    document: Mapping[str, Any]
    inputs: tuple[ExportedInput, ...]
    ranges: Mapping[str, tuple[int, int | None]]
    targets: tuple[str, ...]
    passive: tuple[str, ...]
    torch: str

    def sizes_for(self, shapes: Sequence[Sequence[int]]) -> Mapping[str, int]:
        """Open size -> elements, where the inputs have those shapes."""
        return {
            name: size
            for entry, shape in zip(self.inputs, shapes, strict=True)
            for name, size in zip(entry.dims, shape, strict=True)
            if isinstance(name, str)
        }

    def with_sizes(self, sizes: Mapping[str, int]) -> object:
        """The document with its open sizes settled, in elements, and nothing left to evaluate."""
        module = self.document["graph_module"]
        calls = [call for call in module["module_call_graph"] if not call["fqn"]]
        return {
            **self.document,
            "graph_module": _settled({**module, "module_call_graph": calls, "metadata": {}}, sizes),
            "range_constraints": {},
            "guards_code": [],
        }


def step_of(document: object, file: str) -> ExportedStep:
    """Check the program of an archive.

    Raises ModelError naming everything that is damaged, could run, or cannot be traced.
    """
    where = f"{file}: models/model.json"
    try:
        program = msgspec.convert(document, _Program)
    except msgspec.ValidationError as error:
        words = f"is not as PyTorch writes it: {error}"
        raise ModelError(Issue(words, where, "export it again with torch 2.9 or newer")) from error
    module = program.graph_module
    issues = [
        *_target_issues(module.graph, where),
        *_object_issues(document, where),
        *_call_issues(module.module_call_graph, where),
        *_input_issues(module, where),
        *_size_issues(document, where),
    ]
    if issues or not isinstance(document, dict):
        raise ModelError(issues)
    return ExportedStep(
        document=document,
        inputs=tuple(_inputs(module)),
        ranges={
            name: (limits.min_val or 0, limits.max_val)
            for name, limits in program.range_constraints.items()
        },
        targets=tuple(node.target for node in module.graph.nodes),
        passive=tuple(_passive(module.graph)),
        torch=program.torch_version,
    )


def _target_issues(graph: _Graph, where: str) -> Iterator[Issue]:
    """Only operators of ATen that touch no files, and arithmetic of sizes."""
    refused = []
    for node in graph.nodes:
        found = _ATEN.fullmatch(node.target)
        if node.target in _ARITHMETIC:
            continue
        if found is None or found[1].rpartition(".")[0] in FILE_OPERATORS:
            refused.append(node.target)
    if refused:
        words = f"calls {names_of(list(dict.fromkeys(refused)))}"
        yield Issue(words, where, "only operators of ATen that touch no files are accepted")


def _object_issues(document: object, where: str) -> Iterator[Issue]:
    found = {key for held in _dicts(document) for key in held.keys() & _OBJECTS if held[key]}
    if found:
        words = f"holds functions or objects ({names_of(sorted(found))}), which no plan can hold"
        yield Issue(words, where, "export a program of tensors and operators only")


def _call_issues(calls: list[_ModuleCall], where: str) -> Iterator[Issue]:
    """Inputs by position, and containers that PyTorch needs to import nothing for."""
    own = next((call.signature for call in calls if not call.fqn), None)
    if own is None:
        yield Issue("does not say what it takes and gives", where)
        return
    try:
        specs = [
            msgspec.json.decode(spec, type=tuple[int, _Container])[1]
            for spec in (own.in_spec, own.out_spec)
        ]
    except (msgspec.DecodeError, RecursionError) as error:
        yield Issue(f"does not say what it takes and gives: {error}", where)
        return
    types = [found.type for spec in specs for found in _containers(spec)]
    strange = sorted({kind for kind in types if kind is not None and kind not in _CONTAINERS})
    if strange or any("{" in (found.context or "") for s in specs for found in _containers(s)):
        words = f"takes or gives {names_of(strange) or 'containers'}, which would be imported"
        yield Issue(words, where, "export a network that takes and gives tensors, tuples, dicts")
    elif not _is_flat(specs[0]):
        words = "takes inputs by name, or nested ones"
        yield Issue(words, where, "export it with one tensor after the other: args=(x, y)")


def _containers(spec: _Container) -> Iterator[_Container]:
    yield spec
    for child in spec.children_spec:
        yield from _containers(child)


def _is_flat(spec: _Container) -> bool:
    """Whether it is ((tensor, ...), {})."""
    if len(spec.children_spec) != 2:  # noqa: PLR2004 - positional and named
        return False
    given, named = spec.children_spec
    return not named.children_spec and all(child.type is None for child in given.children_spec)


def _input_issues(module: _GraphModule, where: str) -> Iterator[Issue]:
    for spec in module.signature.input_specs:
        if spec.constant_input is not None:
            yield Issue("takes an input that is no tensor", where, "export it with tensors only")
        if spec.user_input is None:
            continue
        named = spec.user_input.arg.as_tensor
        meta = None if named is None else module.graph.tensor_values.get(named.name)
        if named is None or meta is None:
            yield Issue("takes an input that is no tensor", where, "export it with tensors only")
        elif meta.dtype not in _DTYPES:
            yield Issue(f"input {named.name} has numbers of no known type", where)
        else:
            for size in meta.sizes:
                text = size.as_expr.expr_str if size.as_expr else ""
                if size.as_int is None and symbol_of(text) is None:
                    yield Issue(f"input {named.name} has a size of {text!r}", where, _FIXED)


def _size_issues(document: object, where: str) -> Iterator[Issue]:
    texts = {str(held["expr_str"]) for held in _dicts(document) if "expr_str" in held}
    strange = sorted(text for text in texts if not is_known(text))
    if strange:
        yield Issue(f"has sizes that cannot be worked out: {names_of(strange)}", where, _FIXED)


def _inputs(module: _GraphModule) -> Iterator[ExportedInput]:
    for spec in module.signature.input_specs:
        named = spec.user_input.arg.as_tensor if spec.user_input else None
        if named is not None:
            meta = module.graph.tensor_values[named.name]
            sizes = tuple(_size(size) for size in meta.sizes)
            yield ExportedInput(named.name, _DTYPES[meta.dtype], sizes)


def _size(size: _Size) -> int | str:
    open_size = symbol_of(size.as_expr.expr_str) if size.as_expr else None
    return open_size or int(size.as_int or 0)


def _passive(graph: _Graph) -> Iterator[str]:
    """Kinds of layers that were exported for inference, each once."""
    found = {
        node.target.split(".")[3]
        for node in graph.nodes
        for entry in node.inputs
        if entry.name == _PASSIVE.get(node.target) and entry.arg.get("as_bool") is False
    }
    found |= {"batch_norm" for node in graph.nodes if "batch_norm_legit_no_training" in node.target}
    yield from sorted(found)


def _dicts(value: object) -> Iterator[dict[str, Any]]:
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, dict):
            yield found
            stack.extend(found.values())
        elif isinstance(found, list):
            stack.extend(found)


def _settled(value: object, sizes: Mapping[str, int]) -> object:
    """The same with sizes for expressions, and without the notes of nodes."""
    if isinstance(value, list):
        return [_settled(item, sizes) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("as_expr"), dict):
        return {"as_int": size_of(str(value["as_expr"].get("expr_str")), sizes)}
    return {key: {} if key == "metadata" else _settled(item, sizes) for key, item in value.items()}
