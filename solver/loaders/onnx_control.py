"""If, Loop and Scan written out: the branch that is taken, the body as often as it runs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from solver.import_report import OpenSize
from solver.loaders.onnx_effort import StepCount, element
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_nodes import Body, FileNode, Renaming, question
from solver.loaders.onnx_rules import randomness
from solver.loaders.onnx_rules.base import Fact, RuleError, int64_array, plain_axis
from solver.network import Value

Visit = Callable[[Inferred, FileNode], None]
"""Walks over one node and adds what it finds."""

_THEN, _ELSE = "then_branch", "else_branch"
_BRANCHES: Final = (_THEN, _ELSE)
_SCAN_WITHOUT_BATCH: Final = 9  # opset from which Scan has no batch axis of its own
_VIEWS: Final = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"})
_LOOP_INPUTS: Final = 2  # trip count and condition, before what is carried
_FLAG: Final = Fact((), "bool", np.array(True), constant=True)


def expand(state: Inferred, node: FileNode, visit: Visit) -> None:
    """Walk over the nodes that stand for a node with bodies.

    Raises RuleError for a node that breaks the rules of its operator.
    """
    handler = {"If": _branch, "Loop": _loop, "Scan": _scan}.get(node.op_type)
    if handler is None:
        state.unsupported.setdefault(node.op_type, []).append(node.name)
    else:
        handler(state, node, visit)


def _body(node: FileNode, key: str) -> Body:
    body = node.bodies.get(key)
    if body is None:
        raise RuleError(f"its {key} is missing")
    return body


def _element(state: Inferred, name: str) -> int | None:
    return element(lambda tensor: state.facts.get(state.resolve(tensor)), name)


def _hand_on(names: Sequence[str], node: FileNode, first: int = 0) -> Iterator[FileNode]:
    """Give tensors the names of the node's outputs."""
    for name, output in zip(names, node.outputs[first:], strict=False):
        if output:
            yield FileNode(f"{node.name}: {output}", "Identity", (name,), (output,))


# If


def _branch(state: Inferred, node: FileNode, visit: Visit) -> None:
    bodies = [_body(node, key) for key in _BRANCHES]
    for body in bodies:
        if len(body.outputs) != len(node.outputs) or not all(body.outputs):
            raise RuleError(f"it has {len(node.outputs)} outputs, a branch {len(body.outputs)}")
    condition = _element(state, node.inputs[0]) if node.inputs else None
    if condition is not None:
        _take(state, node, bodies[0 if condition else 1], visit)
        return
    asked = state.choices.get(question(node))
    if asked is None:
        asked = _larger(state, node, bodies, visit)
    elif asked not in {1, 2}:
        raise RuleError(f"{question(node)}={asked} is neither 1 (then) nor 2 (else)")
    state.answered.add(question(node))
    _take(state, node, bodies[asked - 1], visit)


def _take(state: Inferred, node: FileNode, body: Body, visit: Visit) -> None:
    state.facts.update(body.stored)
    for inner in (*body.nodes, *_hand_on(body.outputs, node)):
        visit(state, inner)


def _larger(state: Inferred, node: FileNode, bodies: Sequence[Body], visit: Visit) -> int:
    """1 or 2: the branch whose layers make more bytes, of those that can be imported."""
    key = (node.name, *node.outputs)
    if key not in state.branches:
        state.branches[key] = [_tried(state, node, body, visit) for body in bodies]
    sizes = state.branches[key]
    choice = 2 if sizes[1] > sizes[0] else 1
    words = [f"{size:,} B" if clean else "not supported" for clean, size in sizes]
    state.taken.append(OpenSize(question(node), (f"{node.place}: 1 = then, 2 = else",), choice))
    state.assumed.append(
        f"{node.place} chooses while it runs; the tensors of its branches: then {words[0]}, else "
        f"{words[1]}. Here {('then', 'else')[choice - 1]} is always taken "
        f"(--dim {question(node)}=1 for then, 2 for else)"
    )
    return choice


def _tried(state: Inferred, node: FileNode, body: Body, visit: Visit) -> tuple[bool, int]:
    """Whether a branch can be imported, and the bytes that its layers make."""
    trial = state.copy()
    before = len(trial.layers)
    _take(trial, node, body, visit)
    made = {
        name
        for layer in trial.layers[before:]
        for name in layer.outputs
        if name and layer.op_type not in _VIEWS
    }
    size = sum(_bytes(trial.facts[name]) for name in made if name in trial.facts)
    clean = len(trial.issues) == len(state.issues) and not (
        trial.unsupported.keys() - state.unsupported.keys()
    )
    return clean, size


def _bytes(fact: Fact) -> int:
    return Value("", fact.shape, fact.dtype).bytes


# Loop and Scan


@dataclass(frozen=True, slots=True, eq=False)
class _Repeated:
    """A body that is written out several times.

    Names below the node's are given the count of the round; what does not change from round to
    round (constants and what is made of constants alone) keeps its name and is made once.
    """

    node: FileNode
    body: Body
    fixed: frozenset[str]

    def renaming(self, round_: int) -> Renaming:
        prefix, changing = f"{self.node.name}/", self.body.local - self.fixed
        nodes = {inner.name for inner in self.body.nodes if not self.fixed & set(inner.outputs)}

        def rename(name: str) -> str:
            if name in changing or name in nodes:
                return f"{self.node.name}[{round_}]/{name.removeprefix(prefix)}"
            return name

        return rename

    def nodes(self, round_: int, rename: Renaming) -> Iterator[FileNode]:
        """The nodes of one round, those of the first with what is made only once."""
        for inner in self.body.nodes:
            if not self.fixed & set(inner.outputs):
                yield inner.renamed(rename)
            elif round_ == 1:
                yield inner


def _repeated(state: Inferred, node: FileNode) -> _Repeated:
    """The body of a Loop or Scan. Raises ModelError where writing it out takes too many steps."""
    body = _body(node, "body")
    count = StepCount(lambda name: state.facts.get(state.resolve(name)), state.choices)
    state.effort.afford(count.of_node(node), node.place)
    state.facts.update(body.stored)
    fixed: set[str] = set()

    def stays(name: str) -> bool:
        fact = state.facts.get(state.resolve(name))
        return name in fixed or (fact is not None and fact.constant)

    for inner in body.nodes:
        if inner.op_type not in randomness.RULES and all(map(stays, inner.reads)):
            fixed.update(name for name in inner.outputs if name)
    return _Repeated(node, body, frozenset(fixed))


def _loop(state: Inferred, node: FileNode, visit: Visit) -> None:
    part = _repeated(state, node)
    body, inputs = part.body, (*node.inputs, "", "")
    carried = [state.resolve(name) for name in node.inputs[_LOOP_INPUTS:]]
    if len(body.inputs) != _LOOP_INPUTS + len(carried) or len(body.outputs) < 1 + len(carried):
        raise RuleError("its body does not fit its inputs")
    if len(node.outputs) > len(body.outputs) - 1:
        raise RuleError(f"it has {len(node.outputs)} outputs, its body {len(body.outputs) - 1}")
    scanned: list[list[str]] = [[] for _ in body.outputs[1 + len(carried) :]]
    count = _Count(state, node, inputs[0])
    condition, done = inputs[1], 0
    while count.goes_on(done, condition):
        state.effort.spend(node.place)
        done += 1
        rename = part.renaming(done)
        iteration, going = map(rename, body.inputs[:_LOOP_INPUTS])
        state.facts[iteration] = Fact((), "int64", int64_array([done - 1]).reshape(()), True)
        state.facts[going] = _FLAG
        state.aliases |= dict(zip(map(rename, body.inputs[_LOOP_INPUTS:]), carried, strict=True))
        for inner in part.nodes(done, rename):
            visit(state, inner)
        outputs = [state.resolve(rename(name)) for name in body.outputs]
        condition, carried = outputs[0], outputs[1 : 1 + len(carried)]
        for rows, name in zip(scanned, outputs[1 + len(carried) :], strict=True):
            rows.append(name)
    if count.open:
        return
    for inner in (*_hand_on(carried, node), *_stacked(node, scanned, len(carried))):
        visit(state, inner)


@dataclass(eq=False)
class _Count:
    """How often a Loop runs: its count, its condition, or the user's answer.

    `open` is True once it turned out that only the user can tell.
    """

    state: Inferred
    node: FileNode
    limit_name: str
    open: bool = False

    def goes_on(self, done: int, condition: str) -> bool:
        """Whether there is another round after `done` of them. Asks the user where nobody knows."""
        state, name = self.state, question(self.node)
        if not all(state.is_known(state.resolve(item)) for item in (self.limit_name, condition)):
            self.open = True  # what it depends on has failed, and was told
            return False
        limit = _element(state, self.limit_name) if self.limit_name else None
        flag = _element(state, condition) if condition else 1
        if flag == 0 or (limit is not None and done >= limit):
            return False
        if flag is not None and (limit is not None or not self.limit_name):
            return True
        state.answered.add(name)
        if name not in state.choices:
            self.open = True
            state.asks.append(OpenSize(name, (f"{self.node.place}: how often its body runs",)))
            return False
        return done < state.choices[name]


def _stacked(
    node: FileNode, scanned: Sequence[Sequence[str]], first: int, axes: Sequence[int] = ()
) -> Iterator[FileNode]:
    """What each round gives, joined along a new axis."""
    for k, (rows, output) in enumerate(zip(scanned, node.outputs[first:], strict=False)):
        if not output:
            continue
        if not rows:
            raise RuleError(f"it never runs, so nothing tells the shape of {output}")
        axis = axes[k] if axes else 0
        parts = [f"{output}[{i}]" for i in range(1, len(rows) + 1)]
        for row, part in zip(rows, parts, strict=True):
            # As a function of opset 11 would: the axes are an attribute there.
            yield FileNode(part, "Unsqueeze", (row,), (part,), {"axes": (axis,)}, opset=11)
        name = f"{node.name}: {output}"
        yield FileNode(name, "Concat", tuple(parts), (output,), {"axis": axis}, opset=11)


def _scan(state: Inferred, node: FileNode, visit: Visit) -> None:
    part = _repeated(state, node)
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
        *_hand_on(carried, node),
        *_stacked(node, scanned, plan.states, _output_axes(state, node, scanned)),
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
