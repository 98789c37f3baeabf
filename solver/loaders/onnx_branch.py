"""If written out: the branch that is taken."""

from collections.abc import Sequence
from typing import Final

from solver.import_report import OpenSize
from solver.loaders.onnx_bodies import Visit, body_of, element_of, hand_on
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_nodes import Body, FileNode, question
from solver.loaders.onnx_rules.base import Fact, RuleError
from solver.network import Value

_BRANCHES: Final = ("then_branch", "else_branch")
_VIEWS: Final = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"})


def branch(state: Inferred, node: FileNode, visit: Visit) -> None:
    """Walk over the branch of an If that is taken: by its condition, the user's answer, or size.

    Raises RuleError for a node that breaks the rules of If.
    """
    bodies = [body_of(node, key) for key in _BRANCHES]
    for body in bodies:
        if len(body.outputs) != len(node.outputs) or not all(body.outputs):
            raise RuleError(f"it has {len(node.outputs)} outputs, a branch {len(body.outputs)}")
    condition = element_of(state, node.inputs[0]) if node.inputs else None
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
    for inner in (*body.nodes, *hand_on(body.outputs, node)):
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
