"""What may not stand in a .pt2 program: what is damaged, could run, or cannot be traced."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from solver.errors import Issue
from solver.import_report import names_of
from solver.loaders.pt2_format import DTYPES, Container, Graph, GraphModule, ModuleCall, Program
from solver.loaders.pt2_sizes import is_known, symbol_of
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
_FIXED: Final = "export it with fixed sizes"


def program_issues(program: Program, document: object, where: str) -> Iterator[Issue]:
    """Everything that is wrong with a program, and with the document that it was read from."""
    module = program.graph_module
    yield from _target_issues(module.graph, where)
    yield from _object_issues(document, where)
    yield from _call_issues(module.module_call_graph, where)
    yield from _input_issues(module, where)
    yield from _size_issues(document, where)


def _target_issues(graph: Graph, where: str) -> Iterator[Issue]:
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


def _call_issues(calls: list[ModuleCall], where: str) -> Iterator[Issue]:
    """Inputs by position, and containers that PyTorch needs to import nothing for."""
    own = next((call.signature for call in calls if not call.fqn), None)
    if own is None:
        yield Issue("does not say what it takes and gives", where)
        return
    try:
        specs = [
            msgspec.json.decode(spec, type=tuple[int, Container])[1]
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


def _containers(spec: Container) -> Iterator[Container]:
    yield spec
    for child in spec.children_spec:
        yield from _containers(child)


def _is_flat(spec: Container) -> bool:
    """Whether it is ((tensor, ...), {})."""
    if len(spec.children_spec) != 2:  # noqa: PLR2004 - positional and named
        return False
    given, named = spec.children_spec
    return not named.children_spec and all(child.type is None for child in given.children_spec)


def _input_issues(module: GraphModule, where: str) -> Iterator[Issue]:
    for spec in module.signature.input_specs:
        if spec.constant_input is not None:
            yield Issue("takes an input that is no tensor", where, "export it with tensors only")
        if spec.user_input is None:
            continue
        named = spec.user_input.arg.as_tensor
        meta = None if named is None else module.graph.tensor_values.get(named.name)
        if named is None or meta is None:
            yield Issue("takes an input that is no tensor", where, "export it with tensors only")
        elif meta.dtype not in DTYPES:
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


def _dicts(value: object) -> Iterator[dict[str, Any]]:
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, dict):
            yield found
            stack.extend(found.values())
        elif isinstance(found, list):
            stack.extend(found)
