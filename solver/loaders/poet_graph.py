"""poet.graph version 1 as it is read: the graph itself; prices and totals are worked out anew."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from solver.cost_table import PRICED
from solver.errors import Issue, ModelError
from solver.graph import (
    Accounting,
    GraphSettings,
    Op,
    Phase,
    Quantized,
    Role,
    Tensor,
    Trainable,
    TrainingGraph,
    WeightGradients,
    Weights,
)
from solver.loaders.given_order import GivenOp, order_issues
from solver.loaders.given_sizes import forward_sizes, size_issues
from solver.loaders.json_file import read_json
from solver.loaders.options import LoadOptions
from solver.program_check import read_program
from solver.schemas import place, schema_issues
from solver.suggest import near
from solver.torch_source import read_from


def load(path: Path, options: LoadOptions) -> TrainingGraph:  # noqa: ARG001  # one shape for all
    """Read a poet.graph file; its sizes are its own, so `options` change nothing.

    Raises
    ------
    ModelError
        Every mistake of the file, each with op or tensor and field.
    """
    graph = from_document(read_json(path), file=path.name, name=path.stem)
    if graph.program is None:
        return graph
    return replace(graph, program=read_from(graph.program, path.parent))


def from_document(document: object, *, file: str, name: str) -> TrainingGraph:
    """Make the training graph of a parsed poet.graph; accounting `given` whatever made it once.

    Raises ModelError naming every mistake.
    """
    issues = list(schema_issues(document, "poet.graph.input", file=file))
    ops = _named("ops", document, file)
    tensors = _named("tensors", document, file)
    issues += _tensor_issues(ops, tensors)
    issues += order_issues([_given(op, where) for where, op in ops])
    issues += _loss_issues(document, {tensor["name"] for _, tensor in tensors}, file)
    if issues:
        raise ModelError(issues)
    fields: Any = document  # every field used below has been checked
    graph = _graph(fields, file, name)
    if "program" not in fields:
        return graph
    return replace(graph, program=read_program(fields["program"], graph, file))


_Entries = list[tuple[str, Mapping[str, Any]]]


def _named(key: str, document: object, file: str) -> _Entries:
    """Entries of a list that have a name, with their place."""
    listed = document.get(key) if isinstance(document, dict) else None
    return [
        (place(document, [key, i], file=file), entry)
        for i, entry in enumerate(listed if isinstance(listed, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("name"), str) and entry["name"]
    ]


def _texts(listed: object) -> tuple[str, ...]:
    found = listed if isinstance(listed, list) else []
    return tuple(dict.fromkeys(text for text in found if isinstance(text, str) and text))


def _given(op: Mapping[str, Any], where: str) -> GivenOp:
    listed = op.get("outputs")
    outputs = [text for text in listed if isinstance(text, str)] if isinstance(listed, list) else []
    backward = op.get("phase") == "backward"
    return GivenOp(op["name"], where, backward, _texts(op.get("inputs")), tuple(outputs))


def _tensor_issues(ops: _Entries, tensors: _Entries) -> Iterator[Issue]:
    """Ops and tensors must tell the same story: who makes what, and nothing twice."""
    makers = {tensor: op["name"] for _, op in reversed(ops) for tensor in _texts(op.get("outputs"))}
    seen: set[str] = set()
    for where, tensor in tensors:
        name, producer = tensor["name"], tensor.get("producer")
        if name in seen:
            yield Issue(f"{name} is listed twice", where, "names must be unique")
        seen.add(name)
        if name not in makers:
            yield Issue("no op makes it", where, near(name, makers))
        elif isinstance(producer, str) and producer != makers[name]:
            words = f"producer is {producer}, but {makers[name]} makes it"
            yield Issue(words, where)
    for where, op in ops:
        for name in _texts(op.get("outputs")):
            if name not in seen:
                yield Issue(f"its output {name} is not among the tensors", where, near(name, seen))


def _loss_issues(document: object, tensors: set[str], file: str) -> Iterator[Issue]:
    listed = document.get("loss_tensors") if isinstance(document, dict) else None
    for name in _texts(listed):
        if name not in tensors:
            where = f"{file}: loss_tensors"
            yield Issue(f"{name} is not among the tensors", where, near(name, tensors))


def _graph(fields: Mapping[str, Any], file: str, name: str) -> TrainingGraph:
    ops = [_op(op) for op in fields["ops"]]
    makers = {tensor: op.name for op in ops for tensor in op.outputs}
    tensors = [_tensor(tensor, makers[tensor["name"]]) for tensor in fields["tensors"]]
    fixed = int(fields.get("fixed_bytes", 0))
    problems = size_issues(ops, tensors, fixed, file)
    if problems:
        raise ModelError(problems)
    trainable = tuple(
        Trainable(constant["name"], int(constant["bytes"]))
        for constant in fields.get("trainable", [])
    )
    worked_out = forward_sizes(ops, tensors)
    trainable_bytes = sum(constant.bytes for constant in trainable)
    stated = fields.get("trainable_bytes", trainable_bytes)
    if trainable and stated != trainable_bytes:
        words = f"is {stated}, but the trainables add up to {trainable_bytes}"
        raise ModelError(Issue(words, f"{file}: trainable_bytes"))
    return TrainingGraph(
        name=name,
        ops=tuple(ops),
        tensors=tuple(tensors),
        trainable=trainable,
        loss_tensors=tuple(fields.get("loss_tensors", worked_out["loss_tensors"])),
        fixed_bytes=fixed,
        weight_bytes=int(fields.get("weight_bytes", trainable_bytes)),
        trainable_bytes=int(stated),
        forward_macs=int(fields.get("forward_macs", 0)),
        forward_bytes=int(fields.get("forward_bytes", worked_out["forward_bytes"])),
        saved_extra_bytes=int(fields.get("saved_extra_bytes", worked_out["saved_extra_bytes"])),
        settings=_settings(fields.get("settings", {})),
        # How it was priced there says nothing here: prices are worked out anew.
        warnings=tuple(text for text in fields.get("warnings", []) if not text.startswith(PRICED)),
    )


def _op(op: Mapping[str, Any]) -> Op:
    phase = Phase(op["phase"])
    return Op(
        op["name"],
        op.get("kind", op["name"]),
        phase,
        _texts(op["inputs"]),
        tuple(op["outputs"]),
        float(op["flop"]) + 0.0,
        int(op.get("workspace_bytes", 0)),
        # A gradient never runs twice, whatever the file says of it.
        recomputable=phase is Phase.FORWARD and op.get("recomputable", True),
        trainable=tuple(op.get("trainable", ())),
        # One entry per gradient: an op that makes two of one tensor names it twice.
        gradient_of=tuple(op.get("gradient_of", ())),
    )


def _tensor(tensor: Mapping[str, Any], producer: str) -> Tensor:
    size, shape, role = int(tensor["bytes"]), tensor.get("shape"), tensor.get("role")
    if shape is None and not size:
        shape = [0]  # no bytes: an empty tensor, not one of unknown size
    return Tensor(
        tensor["name"],
        size,
        producer,
        None if shape is None else tuple(int(length) for length in shape),
        tensor.get("dtype"),
        None if role is None else Role(role),
        tensor.get("pageable", True),
        tensor.get("in_storage_at_start", False),
    )


def _settings(fields: Mapping[str, Any]) -> GraphSettings:
    batch = fields.get("batch")
    return GraphSettings(
        Accounting.GIVEN,
        Weights(fields.get("weights", Weights.NOT_COUNTED)),
        WeightGradients(fields.get("weight_gradients", WeightGradients.APPLIED)),
        None if batch is None else int(batch),
        MappingProxyType({name: int(size) for name, size in fields.get("dims", {}).items()}),
        fields.get("loss"),
        fields.get("output"),
        Quantized(fields.get("quantized", Quantized.REFUSED)),
    )
