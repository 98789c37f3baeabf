"""schedule-graph version 1: a training graph as a list of nodes, by hand or by a script."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from solver.errors import Issue, ModelError
from solver.graph import (
    Accounting,
    GraphSettings,
    Op,
    Phase,
    Role,
    Tensor,
    TrainingGraph,
)
from solver.loaders.given_order import GivenOp, order_issues
from solver.loaders.given_sizes import forward_sizes, size_issues
from solver.loaders.json_file import read_json
from solver.loaders.options import LoadOptions
from solver.schemas import place, schema_issues
from solver.suggest import near

_FILE_KEYS: Final = frozenset(
    {"format", "version", "name", "notes", "nodes", "budget_bytes", "fixed_bytes"}
)
_NODE_KEYS: Final = frozenset({
    "name", "kind", "flops", "inputs", "bytes", "outputs", "view_of", "random", "recomputable",
    "pageable", "in_storage_at_start", "workspace_bytes", "notes",
})  # fmt: skip


def load(path: Path, options: LoadOptions) -> TrainingGraph:  # noqa: ARG001  # one shape for all
    """Read a schedule-graph file; its sizes are its own, so `options` change nothing.

    Raises
    ------
    ModelError
        Every mistake of the file, each with node and field.
    """
    return from_document(read_json(path), file=path.name, name=path.stem)


def from_document(document: object, *, file: str, name: str) -> TrainingGraph:
    """Make the training graph of a parsed schedule-graph; `name` where the file has none.

    Raises ModelError naming every mistake.
    """
    issues = list(schema_issues(document, "schedule-graph", file=file))
    listed = document.get("nodes") if isinstance(document, dict) else None
    nodes = _named_nodes(listed, document, file)
    issues += [issue for where, node in nodes for issue in _shape_issues(node, where)]
    issues += order_issues([_given(node, where) for where, node in nodes])
    if issues:
        raise ModelError(issues)
    fields: Any = document  # every field used below has been checked
    return _graph(fields, [node for _, node in nodes], file, name)


def _named_nodes(
    listed: object, document: object, file: str
) -> list[tuple[str, Mapping[str, Any]]]:
    """Nodes that have a name, with their place; the schema has complained about the others."""
    return [
        (place(document, ["nodes", i], file=file), node)
        for i, node in enumerate(listed if isinstance(listed, list) else [])
        if isinstance(node, dict) and isinstance(node.get("name"), str) and node["name"]
    ]


def _shape_issues(node: Mapping[str, Any], where: str) -> Iterator[Issue]:
    """What a schema cannot say simply: which keys belong together."""
    if "view_of" in node:
        sizes = [node.get("bytes", 0), *(output.get("bytes", 0) for output in _outputs(node))]
        if any(size not in {0, None} for size in sizes if isinstance(size, int)):
            yield Issue("a view owns no bytes, but states some", where, "leave bytes out")
        return
    for key in ("flops", "inputs"):
        if key not in node:
            yield Issue(f"{key} is missing", where)
    if "bytes" in node and "outputs" in node:
        yield Issue("states both bytes and outputs", where, "keep one of them")
    if "bytes" not in node and "outputs" not in node:
        hint = "an op without a tensor has outputs []"
        yield Issue("states neither bytes nor outputs", where, hint)
    for output in _outputs(node):
        if "bytes" not in output:
            yield Issue("bytes is missing", f"{where}: output {output['name']}")


def _given(node: Mapping[str, Any], where: str) -> GivenOp:
    base = node.get("view_of")
    inputs = [base] if "view_of" in node else node.get("inputs")
    named = [x for x in inputs if isinstance(x, str) and x] if isinstance(inputs, list) else []
    return GivenOp(
        node["name"],
        where,
        node.get("kind") == "backward",
        tuple(dict.fromkeys(named)),
        _output_names(node),
    )


def _outputs(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    outputs = node.get("outputs")
    return [
        output
        for output in (outputs if isinstance(outputs, list) else [])
        if isinstance(output, dict) and isinstance(output.get("name"), str)
    ]


def _output_names(node: Mapping[str, Any]) -> tuple[str, ...]:
    if "outputs" in node:
        return tuple(output["name"] for output in _outputs(node))
    return (node["name"],)


def _graph(
    fields: Mapping[str, Any], nodes: list[Mapping[str, Any]], file: str, name: str
) -> TrainingGraph:
    bases: dict[str, str] = {}
    ops: list[Op] = []
    tensors: list[Tensor] = []
    for node in nodes:
        if "view_of" in node:
            # The base stands earlier, so a chain of views ends at what owns the bytes.
            base = bases.get(node["view_of"], node["view_of"])
            bases.update(dict.fromkeys(_output_names(node), base))
            continue
        ops.append(_op(node, bases))
        tensors += _tensors(node)
    problems = size_issues(ops, tensors, int(fields.get("fixed_bytes", 0)), file)
    if problems or not ops:
        raise ModelError(problems or [Issue("holds views only", file, "nothing would run")])
    budget = fields.get("budget_bytes")
    return TrainingGraph(
        name=fields.get("name") or name,
        ops=tuple(ops),
        tensors=tuple(tensors),
        fixed_bytes=int(fields.get("fixed_bytes", 0)),
        settings=GraphSettings(accounting=Accounting.GIVEN),
        warnings=tuple(_unread_keys(fields, nodes)),
        budget_bytes=None if budget is None else int(budget),
        **forward_sizes(ops, tensors),
    )


def _op(node: Mapping[str, Any], bases: Mapping[str, str]) -> Op:
    forward = node["kind"] == "forward"
    return Op(
        node["name"],
        node["name"],
        Phase(node["kind"]),
        tuple(dict.fromkeys(bases.get(tensor, tensor) for tensor in node["inputs"])),
        _output_names(node),
        float(node["flops"]) + 0.0,
        int(node.get("workspace_bytes", 0)),
        recomputable=forward and not node.get("random", False) and node.get("recomputable", True),
    )


def _tensors(node: Mapping[str, Any]) -> Iterator[Tensor]:
    for output in node.get("outputs", [node]):
        size, role = int(output["bytes"]), output.get("role")
        yield Tensor(
            output["name"],
            size,
            node["name"],
            shape=None if size else (0,),  # no bytes: an empty tensor, not one of unknown size
            role=None if role is None else Role(role),
            pageable=node.get("pageable", True),
            in_storage_at_start=node.get("in_storage_at_start", False),
        )


def _unread_keys(fields: Mapping[str, Any], nodes: list[Mapping[str, Any]]) -> Iterator[str]:
    """Sentences about keys that change nothing: mostly typing mistakes."""
    listed = [("", key, _FILE_KEYS) for key in fields if key not in _FILE_KEYS]
    listed += [
        (f"node {node['name']}: ", key, _NODE_KEYS)
        for node in nodes
        for key in node
        if key not in _NODE_KEYS
    ]
    for where, key, known in listed:
        hint = near(key, sorted(known))
        yield f"{where}the key {key} is not read" + (f" ({hint})" if hint else "")
    for node in nodes:
        if node.get("view_of") and node.get("flops"):
            yield f"node {node['name']}: a view costs nothing, its flops are left out"
