"""ONNX files to networks: constants folded, every shape told, or one sentence why not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solver.errors import Issue, ModelError
from solver.import_report import names_of
from solver.loaders.onnx_account import import_report
from solver.loaders.onnx_batch import OtherBatch
from solver.loaders.onnx_infer import Inferred, infer
from solver.loaders.onnx_inputs import BoundInputs, bind_inputs, read_inputs
from solver.loaders.onnx_nodes import FileNode, read_nodes, sort_nodes
from solver.loaders.onnx_read import default_opset, read_model
from solver.loaders.onnx_report import import_warnings
from solver.loaders.onnx_rules.base import INTEGERS, Fact, RuleError
from solver.loaders.onnx_tensors import read_tensor
from solver.loaders.options import LoadOptions
from solver.network import Network, Value

if TYPE_CHECKING:
    import onnx

_REPLACE: Final = (
    "export the part that is trained without it, or write it with supported operators "
    "(Conv, Gemm, MatMul, arithmetic, activations, pools, norms, Concat, Split, Pad, views)"
)
_INLINE: Final = "inline the model's own functions first: onnx.inliner.inline_local_functions"


def load_onnx(path: Path, options: LoadOptions) -> Network:
    """Read the ONNX model at `path` as a network whose shapes are all known.

    Weights stay sizes: external data are not opened, but for a handful of numbers that decide a
    shape and lie in the model's own folder. Raises ModelError for a file that is no whole model or
    uses what has no rule, UsageError where `options` leave a size open or name one that does not
    exist.
    """
    model = read_model(path)
    graph, file = model.graph, path.name
    stored = _stored(graph, path)
    inputs = bind_inputs(read_inputs(graph, list(stored), file), options, file)
    outputs = tuple(output.name for output in graph.output)
    if not outputs:
        raise ModelError(Issue("the graph has no output", file))
    nodes, sorted_already = sort_nodes(
        read_nodes(graph, path.parent, file), {*stored, *inputs.facts}, outputs, file
    )
    opset = default_opset(model) or 1
    found = _infer_at_batch(nodes, stored, inputs, opset=opset, file=file)
    _refuse(found, model)
    return replace(
        _network(path.stem, found, inputs, outputs),
        dims=MappingProxyType(dict(options.dims)),
        warnings=import_warnings(graph, found, sorted_already=sorted_already),
        report=import_report(model, nodes, inputs, found),
    )


def _stored(graph: "onnx.GraphProto", path: Path) -> dict[str, Fact]:
    """Initialisers by name. Raises ModelError naming every one that cannot be used."""
    facts, issues = {}, []
    for tensor in graph.initializer:
        try:
            facts[tensor.name] = read_tensor(tensor, path.parent)
        except RuleError as error:
            issues.append(Issue(str(error), f"{path.name}: initialiser {tensor.name}"))
    for sparse in graph.sparse_initializer:
        where = f"{path.name}: initialiser {sparse.values.name}"
        issues.append(Issue("is stored sparsely, only dense tensors are supported", where))
    if issues:
        raise ModelError(issues)
    return facts


def _infer_at_batch(
    nodes: Sequence[FileNode],
    stored: Mapping[str, Fact],
    inputs: BoundInputs,
    *,
    opset: int,
    file: str,
) -> Inferred:
    """Infer at the wanted batch, compared node by node with the file's own where they differ."""
    other, wanted, own = None, inputs.batch, inputs.own_batch
    if wanted is not None and own is not None and wanted != own:
        before = infer(nodes, {**stored, **inputs.own_facts}, opset=opset, file=file)
        if inputs.fixed and (before.issues or before.unsupported):
            return before
        other = OtherBatch(before.facts, own, wanted)
    return infer(nodes, {**stored, **inputs.facts}, opset=opset, file=file, other=other)


def _refuse(found: Inferred, model: "onnx.ModelProto") -> None:
    """Raise ModelError with all that stood in the way: operators without a rule, broken nodes."""
    issues = []
    if found.unsupported:
        functions = {f"{entry.domain}::{entry.name}" for entry in model.functions}
        kinds = [
            f"{kind} (node {names_of(names)})" for kind, names in sorted(found.unsupported.items())
        ]
        plural = "operators" if len(kinds) > 1 else "operator"
        hint = _INLINE if functions & set(found.unsupported) else _REPLACE
        issues.append(Issue(f"unsupported {plural}: {', '.join(kinds)}", found.file, hint))
    issues += found.issues
    if issues:
        raise ModelError(issues)


def _ends(found: Inferred, outputs: Sequence[str]) -> tuple[str, ...]:
    """The outputs that layers make: constants and inputs handed through have no gradient."""
    made = {name for layer in found.layers for name in layer.outputs}
    ends = tuple(name for name in outputs if name in made)
    if not ends:
        raise ModelError(Issue("no output depends on an input: nothing can be trained", found.file))
    return ends


def _network(name: str, found: Inferred, inputs: BoundInputs, outputs: Sequence[str]) -> Network:
    ends = _ends(found, outputs)
    used = {name for layer in found.layers for name in (*layer.inputs, *layer.outputs) if name}
    used |= set(ends)
    values = {name: _value(name, fact) for name, fact in found.facts.items() if name in used}
    return Network(
        name=name,
        inputs=tuple(name for name in inputs.facts if name in used),
        outputs=ends,
        layers=tuple(found.layers),
        values=MappingProxyType(values),
        constants=frozenset(name for name in values if found.facts[name].constant),
        opset=found.opset,
        batch=inputs.batch,
    )


def _value(name: str, fact: Fact) -> Value:
    data = None
    if fact.constant and fact.array is not None and fact.dtype in INTEGERS:
        data = tuple(int(item) for item in fact.array.ravel())
    return Value(name, fact.shape, fact.dtype, data)
