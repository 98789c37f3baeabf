"""Scan written out: its body once for each slice of what it reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from solver.loaders.onnx_bodies import Visit, hand_on, repeated, stacked
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_nodes import Body, FileNode
from solver.loaders.onnx_rules.base import RuleError, plain_axis

_SCAN_WITHOUT_BATCH: Final = 9  # opset from which Scan has no batch axis of its own


def scan(state: Inferred, node: FileNode, visit: Visit) -> None:
    """Walk over the slices that a Scan reads, its rounds, and what they give.

    Raises RuleError for a node that breaks the rules of Scan.
    """
    part = repeated(state, node)
    plan = _scan_plan(state, node, part.body)
    body, carried = part.body, [state.resolve(name) for name in node.inputs[: plan.states]]
    for entry in plan.entries:
        pieces = tuple(f"{entry.name} of {node.name}[{i}]" for i in range(1, plan.rounds + 1))
        split = FileNode(
            f"{node.name}: {entry.name}", "Split", (entry.name,), pieces, {"axis": entry.axis},
            opset=11,
        )  # fmt: skip
        visit(state, split)
    scanned: list[list[str]] = [[] for _ in body.outputs[plan.states :]]
    for done in range(1, plan.rounds + 1):
        rename = part.renaming(done)
        state.aliases |= dict(zip(map(rename, body.inputs), carried, strict=False))
        for entry, inner in zip(plan.entries, body.inputs[plan.states :], strict=True):
            place = plan.rounds + 1 - done if entry.backwards else done
            piece, own = f"{entry.name} of {node.name}[{place}]", rename(inner)
            axes = {"axes": (entry.axis,)}
            visit(state, FileNode(own, "Squeeze", (piece,), (own,), axes, opset=11))
        for inner_node in part.nodes(done, rename):
            visit(state, inner_node)
        outputs = [state.resolve(rename(name)) for name in body.outputs]
        carried = outputs[: plan.states]
        for rows, name in zip(scanned, outputs[plan.states :], strict=True):
            rows.append(name)
    for k, backwards in enumerate(plan.outputs_backwards):
        if backwards:
            scanned[k].reverse()
    ends = (
        *hand_on(carried, node),
        *stacked(node, scanned, plan.states, _output_axes(state, node, scanned)),
    )
    for inner_node in ends:
        visit(state, inner_node)


@dataclass(frozen=True, slots=True)
class _Scanned:
    """A tensor that a Scan reads slice by slice along `axis`."""

    name: str
    axis: int
    backwards: bool


@dataclass(frozen=True, slots=True)
class _ScanPlan:
    """How a Scan runs: `states` are carried, `entries` read in `rounds` slices."""

    states: int
    rounds: int
    entries: tuple[_Scanned, ...]
    outputs_backwards: tuple[bool, ...]


def _scan_plan(state: Inferred, node: FileNode, body: Body) -> _ScanPlan:
    if (node.opset or state.opset) < _SCAN_WITHOUT_BATCH:
        raise RuleError("Scan of opset 8 is not supported; convert the file to a newer opset")
    count = node.attributes.get("num_scan_inputs")
    states = len(node.inputs) - count if isinstance(count, int) else -1
    if states < 0 or states == len(node.inputs) or len(body.inputs) != len(node.inputs):
        raise RuleError("its num_scan_inputs does not fit its inputs")
    if len(body.outputs) < states or len(node.outputs) > len(body.outputs):
        raise RuleError("its body does not fit its outputs")
    names = [state.resolve(name) for name in node.inputs[states:]]
    axes = _list(node, "scan_input_axes", len(names))
    ways = _list(node, "scan_input_directions", len(names))
    facts = [state.facts.get(name) for name in names]
    entries, sizes = [], set()
    for name, fact, axis, way in zip(names, facts, axes, ways, strict=True):
        if fact is None:
            raise RuleError(f"{name} is a list, only tensors are supported")
        plain = plain_axis(axis, fact.rank)
        sizes.add(fact.shape[plain])
        entries.append(_Scanned(name, plain, bool(way)))
    if len(sizes) != 1 or 0 in sizes:
        raise RuleError(f"what it reads has {sorted(sizes)} slices, one number above 0 is needed")
    backwards = _list(node, "scan_output_directions", len(body.outputs) - states)
    return _ScanPlan(states, sizes.pop(), tuple(entries), tuple(map(bool, backwards)))


def _list(node: FileNode, name: str, length: int) -> tuple[int, ...]:
    value = node.attributes.get(name, (0,) * length)
    if not isinstance(value, tuple) or len(value) != length:
        raise RuleError(f"attribute {name} must list {length} integers")
    return tuple(int(item) for item in value)


def _output_axes(
    state: Inferred, node: FileNode, scanned: Sequence[Sequence[str]]
) -> tuple[int, ...]:
    """The new axis of each stacked output, counted from the front."""
    plain = []
    for axis, rows in zip(_list(node, "scan_output_axes", len(scanned)), scanned, strict=True):
        fact = state.facts.get(rows[0]) if rows else None
        plain.append(axis if fact is None else plain_axis(axis, fact.rank + 1))
    return tuple(plain)
