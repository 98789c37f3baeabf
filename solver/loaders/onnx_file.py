"""ONNX files to networks: constants folded, every shape told, or one sentence why not."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solver.errors import Issue, ModelError
from solver.loaders.onnx_account import import_report, remarks_on_functions, remarks_on_left_out
from solver.loaders.onnx_batch import OtherBatch
from solver.loaders.onnx_infer import infer
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_inputs import BoundInputs, bind_inputs, read_inputs
from solver.loaders.onnx_nodes import ASKED, FileNode, controls, question
from solver.loaders.onnx_order import Needed, order_nodes
from solver.loaders.onnx_read import default_opset, read_model
from solver.loaders.onnx_reader import NodeReader, functions_of
from solver.loaders.onnx_refusal import refuse, refuse_idle_answers
from solver.loaders.onnx_report import (
    import_warnings,
    straight_through_warnings,
    tied_warnings,
)
from solver.loaders.onnx_rules.base import INTEGERS, Fact, RuleError
from solver.loaders.onnx_straight import tables_in_floats
from solver.loaders.onnx_tensors import read_sparse, read_tensor
from solver.loaders.options import LoadOptions
from solver.network import Network, Value

if TYPE_CHECKING:
    import onnx

_TRIED: Final = 4
"""Outputs that are looked at for one that can be trained where the file as a whole cannot."""


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
    outputs = tuple(output.name for output in graph.output)
    if not outputs:
        raise ModelError(Issue("the graph has no output", file))
    reader = NodeReader(path.parent, file, functions_of(model), options.straight_through)
    nodes: Sequence[FileNode] = reader.graph(graph.node)
    if options.straight_through:
        nodes = tables_in_floats(nodes, stored)
    read = {name for node in nodes for name in node.reads} | set(outputs)
    questions = {question(node) for node in controls(nodes) if node.op_type in ASKED}
    answers = {name: size for name, size in options.dims.items() if name in questions}
    sizes = replace(options, dims=_without(options.dims, answers))
    inputs = bind_inputs(read_inputs(graph, list(stored), read, file), sizes, file, questions)
    order = order_nodes(nodes, {*stored, *inputs.facts}, outputs, file)
    walk = _Walk(order.nodes, stored, default_opset(model) or 1, file, answers)
    needed = Needed(order.nodes, dict(zip(outputs, order.outputs, strict=True)))
    found, left_out = _infer_what_is_needed(walk, inputs, needed, options.output)
    refuse_idle_answers(found, answers)
    report = import_report(model, found.walked, inputs, found)
    return replace(
        _network(path.stem, found, inputs, order.outputs),
        dims=MappingProxyType(dict(options.dims)),
        warnings=(
            *import_warnings(graph, found, order),
            *straight_through_warnings(reader.simulated),
            *tied_warnings(graph, found),
        ),
        report=replace(report, open_sizes=(*report.open_sizes, *found.taken)).with_remarks(
            [*remarks_on_functions(reader.inlined), *remarks_on_left_out(left_out)]
        ),
    )


def _without(dims: Mapping[str, int], names: Mapping[str, int]) -> Mapping[str, int]:
    return MappingProxyType({name: size for name, size in dims.items() if name not in names})


def _stored(graph: "onnx.GraphProto", path: Path) -> dict[str, Fact]:
    """Initialisers by name. Raises ModelError naming every one that cannot be used."""
    facts: dict[str, Fact] = {}
    names = [tensor.name for tensor in graph.initializer]
    names += [sparse.values.name for sparse in graph.sparse_initializer]
    issues = [
        Issue(f"is stored {count} times: damaged", f"{path.name}: initialiser {name}")
        for name, count in Counter(names).items()
        if count > 1
    ]
    for tensor in graph.initializer:
        try:
            facts[tensor.name] = read_tensor(tensor, path.parent)
        except RuleError as error:
            issues.append(Issue(str(error), f"{path.name}: initialiser {tensor.name}"))
    for sparse in graph.sparse_initializer:
        try:
            facts[sparse.values.name] = read_sparse(sparse, path.parent)
        except RuleError as error:
            where = f"{path.name}: initialiser {sparse.values.name}"
            issues.append(Issue(str(error), where))
    if issues:
        raise ModelError(issues)
    return facts


@dataclass(frozen=True, slots=True)
class _Walk:
    """What inference walks over: sorted nodes, what the file stores, answers about control flow."""

    nodes: Sequence[FileNode]
    stored: Mapping[str, Fact]
    opset: int
    file: str
    answers: Mapping[str, int]

    def infer(self, inputs: Mapping[str, Fact], other: OtherBatch | None = None) -> Inferred:
        """Infer every tensor from the sizes of the inputs."""
        known = {**self.stored, **inputs}
        return infer(
            self.nodes, known, opset=self.opset, file=self.file, other=other, choices=self.answers
        )


def _infer_what_is_needed(
    walk: _Walk, inputs: BoundInputs, needed: Needed, output: str | None
) -> tuple[Inferred, Sequence[FileNode]]:
    """What is inferred of all nodes, or, where some cannot be imported, of those that are needed.

    With the nodes that were left out: they lead to no output, or not to the chosen one. Raises as
    `refuse`, with an output that can be trained in spite of it, if there is one.
    """

    def only(names: Iterable[str]) -> tuple[Inferred, Sequence[FileNode]]:
        nodes, others = needed.split(names)
        return _infer_at_batch(replace(walk, nodes=nodes), inputs), others

    found = _infer_at_batch(walk, inputs)
    if not found.blocked:
        refuse(found)
        return found, ()
    chosen = [name for name in needed.outputs if name == output]
    found, left_out = only(chosen or needed.outputs)
    others = [] if output is not None else list(needed.outputs)[:_TRIED]
    way_out = next((name for name in others if not only([name])[0].blocked), None)
    refuse(found, inputs.open_sizes, way_out)
    return found, left_out


def _infer_at_batch(walk: _Walk, inputs: BoundInputs) -> Inferred:
    """Infer at the wanted batch, compared node by node with the file's own where they differ."""
    other, wanted, own = None, inputs.batch, inputs.own_batch
    if wanted is not None and own is not None and wanted != own:
        before = walk.infer(inputs.own_facts)
        if inputs.fixed and before.stopped:
            return before
        other = OtherBatch(before.facts, own, wanted)
    return walk.infer(inputs.facts, other)


def _ends(found: Inferred, outputs: Sequence[str]) -> tuple[str, ...]:
    """The outputs that layers make: constants and inputs handed through have no gradient."""
    made = {name for layer in found.layers for name in layer.outputs}
    members = [name for output in outputs for name in found.sequences.get(output, (output,))]
    ends = tuple(name for name in dict.fromkeys(members) if name in made)
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
        copies=MappingProxyType(_tied(found)),
    )


def _tied(found: Inferred) -> dict[str, str]:
    """Constants that layers read in several shapes or orders -> the first of them that is read."""
    first: dict[str, str] = {}
    read = dict.fromkeys(name for layer in found.layers for name in layer.inputs)
    tied = {}
    for name in read:
        original = found.copies.get(name, name)
        if first.setdefault(original, name) != name:
            tied[name] = first[original]
    return tied


def _value(name: str, fact: Fact) -> Value:
    data = None
    if fact.constant and fact.array is not None and fact.dtype in INTEGERS:
        data = tuple(int(item) for item in fact.array.ravel())
    return Value(name, fact.shape, fact.dtype, data)
