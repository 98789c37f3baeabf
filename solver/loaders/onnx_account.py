"""The import report of an ONNX file: what was folded, left aside and assumed on the way in."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from solver.import_report import (
    FileInput,
    ImportReport,
    NodeCounts,
    Remark,
    Topic,
    names_of,
)
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_inputs import BoundInputs
from solver.loaders.onnx_nodes import FileNode
from solver.text import counted, verb

if TYPE_CHECKING:
    import onnx

_EXTERNAL: Final = 1  # TensorProto.EXTERNAL
_OVERRIDABLE: Final = 4
"""From this IR version on, an initialiser that is an input too is a default, no constant."""


def import_report(
    model: "onnx.ModelProto", nodes: Sequence[FileNode], inputs: BoundInputs, found: Inferred
) -> ImportReport:
    """What was made of `model`; `nodes` are those that inference walked over, in that order."""
    layers = found.layers
    kinds = sorted(Counter(layer.op_type for layer in layers).items(), key=_most_first)
    made = {name for layer in layers for name in layer.outputs}
    floats = [
        output.name
        for output in model.graph.output
        if output.name in made and "float" in found.facts[output.name].dtype
    ]
    return ImportReport(
        maker=_maker(model, found.opset),
        nodes=count_nodes(nodes, inputs, found),
        kinds=tuple(kinds),
        inputs=tuple(
            FileInput(entry.name, entry.dtype, entry.dims, inputs.facts[entry.name].shape)
            for entry in inputs.declared
        ),
        outputs=tuple(floats),
        open_sizes=inputs.open_sizes,
    ).with_remarks(
        [
            *_ignored(model, nodes, made, found),
            *_assumed(model, inputs),
            *_sparse(model.graph),
        ]
    )


def count_nodes(nodes: Sequence[FileNode], inputs: BoundInputs, found: Inferred) -> NodeCounts:
    """How many of the sorted `nodes` depend on no input, on its sizes alone, or run."""
    reached = set(inputs.facts)
    kept = {layer.name for layer in found.layers}
    constant = shapes = 0
    for node in nodes:
        if reached.isdisjoint(map(found.resolve, node.inputs)):
            constant += 1
            continue
        reached.update(name for name in node.outputs if name)
        shapes += node.name not in kept
    return NodeCounts(len(nodes), constant, shapes, views=0)


def remarks_on_functions(inlined: Mapping[str, int]) -> tuple[Remark, ...]:
    """What is to be told of the model's own functions; `inlined` counts the calls of each."""
    if not inlined:
        return ()
    calls = counted(sum(inlined.values()), "call")
    text = f"{calls} of the model's own functions written out: {names_of(list(inlined))}"
    return (Remark(Topic.FOLDED, text),)


def remarks_on_left_out(nodes: Sequence[FileNode]) -> tuple[Remark, ...]:
    """What is to be told of `nodes` that nothing needs, and that could not be imported with it."""
    if not nodes:
        return ()
    text = (
        f"{counted(len(nodes), 'node')} {verb(len(nodes), 'leads', 'lead')} to no output that is "
        f"trained, left out because of what cannot be imported there: "
        f"{names_of([node.name for node in nodes])}"
    )
    return (Remark(Topic.IGNORED, text),)


def _most_first(kind: tuple[str, int]) -> tuple[int, str]:
    return -kind[1], kind[0]


def _maker(model: "onnx.ModelProto", opset: int) -> str:
    others = [
        f"{entry.domain} {entry.version}"
        for entry in model.opset_import
        if entry.domain not in {"", "ai.onnx"}
    ]
    sets = f", {', '.join(sorted(others))}" if others else ""
    producer = f"{model.producer_name} {model.producer_version}".strip()
    written = f", written by {producer}" if producer else ""
    return f"ONNX operator set {opset}{sets} (IR {model.ir_version}){written}"


def _ignored(
    model: "onnx.ModelProto", nodes: Sequence[FileNode], made: set[str], found: Inferred
) -> Iterator[Remark]:
    graph = model.graph
    stored = _stored_names(graph)
    read = {found.resolve(name) for node in nodes for name in node.inputs}
    # What was written out (loops, functions) is not walked over itself.
    read |= {name for node in graph.node for name in node.input}
    read |= {output.name for output in graph.output}
    for words, names in (
        ("input", [entry.name for entry in graph.input if entry.name not in {*stored, *read}]),
        ("stored tensor", [name for name in stored if name not in read]),
    ):
        if names:
            count = len(names)
            what = f"{counted(count, words)} {verb(count, 'is', 'are')}"
            yield Remark(Topic.IGNORED, f"{what} read by nothing: {names_of(names)}")
    idle = [output.name for output in graph.output if output.name not in made]
    if idle:
        is_ = verb(len(idle), "is a constant or an input", "are constants or inputs")
        text = f"{counted(len(idle), 'output')} {is_}, without a gradient: {names_of(idle)}"
        yield Remark(Topic.IGNORED, text)
    if model.training_info:
        text = "the training information in the file is not read: the gradients are made here"
        yield Remark(Topic.IGNORED, text)


def _stored_names(graph: "onnx.GraphProto") -> list[str]:
    dense = [tensor.name for tensor in graph.initializer]
    return [*dense, *(sparse.values.name for sparse in graph.sparse_initializer)]


def _sparse(graph: "onnx.GraphProto") -> Iterator[Remark]:
    names = [sparse.values.name for sparse in graph.sparse_initializer]
    if names:
        is_ = verb(len(names), "is", "are")
        text = (
            f"{counted(len(names), 'tensor')} of which the file stores only some numbers "
            f"{is_} counted whole, as training would hold {verb(len(names), 'it', 'them')}: "
            f"{names_of(names)}"
        )
        yield Remark(Topic.SIZES, text)


def _assumed(model: "onnx.ModelProto", inputs: BoundInputs) -> Iterator[Remark]:
    for name in inputs.assumed:
        text = f"the file leaves the batch ({name}) open: {inputs.batch} is taken (--batch)"
        yield Remark(Topic.ASSUMED, text)
    graph = model.graph
    stored = {tensor.name for tensor in graph.initializer}
    defaults = [entry.name for entry in graph.input if entry.name in stored]
    if defaults and model.ir_version >= _OVERRIDABLE:
        text = (
            f"{counted(len(defaults), 'input')} with a stored value can be overridden when the "
            f"file is run; here they are constants: {names_of(defaults)}"
        )
        yield Remark(Topic.ASSUMED, text)
    outside = [tensor for tensor in graph.initializer if tensor.data_location == _EXTERNAL]
    if outside:
        places = dict.fromkeys(
            entry.value
            for tensor in outside
            for entry in tensor.external_data
            if entry.key == "location"
        )
        text = (
            f"the numbers of {counted(len(outside), 'tensor')} lie in {names_of(list(places))}: "
            "their sizes come from the model file, weights are never opened"
        )
        yield Remark(Topic.SIZES, text)
