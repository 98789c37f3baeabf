"""What an exported PyTorch program computes: the JSON of a .pt2 archive, checked before it is used.

PyTorch evaluates expressions of sizes and guards as Python, imports modules that containers name,
and calls whatever function of PyTorch's a node names. Here sizes are worked out, guards and notes
left out, and only operators of ATen accepted.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from solver.errors import Issue, ModelError
from solver.loaders.pt2_checks import program_issues
from solver.loaders.pt2_format import DTYPES, Graph, GraphModule, Program, Size
from solver.loaders.pt2_sizes import size_of, symbol_of

_PASSIVE: Final = {"torch.ops.aten.batch_norm.default": "training",
                   "torch.ops.aten.dropout.default": "train"}  # fmt: skip


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
        program = msgspec.convert(document, Program)
    except msgspec.ValidationError as error:
        words = f"is not as PyTorch writes it: {error}"
        raise ModelError(Issue(words, where, "export it again with torch 2.9 or newer")) from error
    module = program.graph_module
    issues = list(program_issues(program, document, where))
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


def _inputs(module: GraphModule) -> Iterator[ExportedInput]:
    for spec in module.signature.input_specs:
        named = spec.user_input.arg.as_tensor if spec.user_input else None
        if named is not None:
            meta = module.graph.tensor_values[named.name]
            sizes = tuple(_size(size) for size in meta.sizes)
            yield ExportedInput(named.name, DTYPES[meta.dtype], sizes)


def _size(size: Size) -> int | str:
    open_size = symbol_of(size.as_expr.expr_str) if size.as_expr else None
    return open_size or int(size.as_int or 0)


def _passive(graph: Graph) -> Iterator[str]:
    """Kinds of layers that were exported for inference, each once."""
    found = {
        node.target.split(".")[3]
        for node in graph.nodes
        for entry in node.inputs
        if entry.name == _PASSIVE.get(node.target) and entry.arg.get("as_bool") is False
    }
    found |= {"batch_norm" for node in graph.nodes if "batch_norm_legit_no_training" in node.target}
    yield from sorted(found)


def _settled(value: object, sizes: Mapping[str, int]) -> object:
    """The same with sizes for expressions, and without the notes of nodes."""
    if isinstance(value, list):
        return [_settled(item, sizes) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("as_expr"), dict):
        return {"as_int": size_of(str(value["as_expr"].get("expr_str")), sizes)}
    return {key: {} if key == "metadata" else _settled(item, sizes) for key, item in value.items()}
