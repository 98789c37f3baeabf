"""Walk over the sorted nodes: constants are folded, everything else becomes a layer of known shape.

Our own rules rather than onnx.shape_inference: that one accepts a wrong batch size without a word,
stops at shape arithmetic below opset 15, and is C++ that hostile files crash; these count in Python
integers and cannot wrap.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from solver.errors import Issue, ModelError
from solver.graph import element_bits
from solver.loaders.onnx_batch import OtherBatch
from solver.loaders.onnx_control import expand
from solver.loaders.onnx_effort import StepCount
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_rules import recurrent, reference
from solver.loaders.onnx_rules.base import (
    DATA_LIMIT,
    MAX_RANK,
    Elements,
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    text_of,
)
from solver.loaders.onnx_rules.evaluation import evaluate
from solver.loaders.onnx_rules.table import (
    CONSTANT_RULES,
    LAYER_RULES,
    REFUSED_RULES,
    SHAPE_READERS,
    is_never_constant,
)
from solver.loaders.onnx_samples import SIZED, resized, spread
from solver.loaders.onnx_sequences import SEQUENCE_OPERATORS, rewrite
from solver.loaders.onnx_straight import DEQUANTIZE, QUANTIZE
from solver.loaders.onnx_tensors import READABLE
from solver.network import Layer

MOST_BYTES: Final = 10**20
"""A tensor above this is a damaged file: its size is told instead of wrapped."""

_ON_DATA: Final[Mapping[str, Rule]] = MappingProxyType({**REFUSED_RULES, **LAYER_RULES})

_REARRANGING: Final = frozenset(
    {"Transpose", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Cast", QUANTIZE, DEQUANTIZE}
)
"""Operators whose output holds every number of the first input once: of a weight, the weight.

Rounded by Cast as well: half precision computes with a copy of what is trained.
"""

_NO_CHOICES: Final[Mapping[str, int]] = MappingProxyType({})

_NUMBERS_OFF: Final = (ValueError, TypeError, OverflowError, IndexError)
"""What numpy raises for constants that do not fit together; a damaged file, not a fault of ours."""


def check_size(name: str, fact: Fact, where: str) -> None:
    """Raise ModelError for a tensor beyond any machine's memory or any number of dimensions."""
    if fact.rank > MAX_RANK:
        raise ModelError(Issue(f"{name} has {fact.rank} dimensions: damaged", where))
    bits = element_bits(fact.dtype) if fact.dtype != "string" else 8
    size = -(-fact.elements * bits // 8)
    if size > MOST_BYTES:
        message = f"{name} of {text_of(fact.shape)} would take {size} B, more than 10^20 B"
        raise ModelError(Issue(message, where))


def infer(
    nodes: Sequence[FileNode],
    known: Mapping[str, Fact],
    *,
    opset: int,
    file: str,
    other: OtherBatch | None = None,
    choices: Mapping[str, int] = _NO_CHOICES,
) -> Inferred:
    """Infer every tensor of `nodes` (sorted) from `known` (inputs and stored tensors).

    `choices` answer what control flow leaves to run time (onnx_nodes.question). Nodes behind one
    that failed are passed over, so that the answer lists each mistake once. Raises ModelError at
    once for a size that cannot be, for a tensor made twice and for loops without measure.
    """
    state = Inferred(dict(known), opset, file, other, choices)
    for name, fact in known.items():
        check_size(name, fact, f"{file}: tensor {name}")
    state.effort.left += len(nodes)  # those of the file itself are no loops written out
    _afford_loops(state, nodes)
    for node in nodes:
        walk(state, node)
    return state


def _afford_loops(state: Inferred, nodes: Sequence[FileNode]) -> None:
    """Raise ModelError, naming the longest loop, where all of them together take too many steps."""
    loops = [node for node in nodes if node.bodies]
    if not loops:
        return
    held = {
        node.outputs[0]: fact
        for node in nodes
        if node.op_type == "Constant" and len(node.outputs) == 1
        for fact in node.tensors.values()
    }
    count = StepCount(lambda name: held.get(name) or state.facts.get(name), state.choices)
    longest = max(loops, key=count.of_node)
    state.effort.afford(count.of(loops), longest.place)


def walk(state: Inferred, node: FileNode) -> None:
    """Add what is to be found of one node, of all that it stands for where it holds others."""
    state.effort.spend(node.place)
    again = [name for name in node.outputs if name and state.is_known(state.resolve(name))]
    if again:
        message = f"tensor {again[0]} is made twice"
        raise ModelError(Issue(message, f"{state.file}: {node.place}"))
    source = state.resolve(node.inputs[0]) if node.inputs else ""
    if node.op_type == "Identity" and source in state.sequences:
        state.sequences.update(dict.fromkeys(node.outputs[:1], state.sequences[source]))
        return
    if not node.bodies and node.op_type not in SEQUENCE_OPERATORS:
        _visit(state, node)
        return
    if not all(state.is_known(state.resolve(name)) for name in node.reads):
        return
    try:
        if node.bodies:
            expand(state, node, walk)
        else:
            rewrite(state, node, walk)
    except RuleError as error:
        state.issues.append(Issue(str(error), f"{state.file}: {node.place}"))


def _visit(state: Inferred, node: FileNode) -> None:
    state.walked.append(node)
    names = tuple(state.resolve(name) for name in node.inputs)
    if not state.sequences.keys().isdisjoint(names):
        issue = Issue("reads a list of tensors, a tensor is needed", f"{state.file}: {node.place}")
        state.issues.append(issue)
        return
    known = all(not name or name in state.facts for name in names)
    facts = tuple(state.facts.get(name) for name in names)
    opset = node.opset or state.opset
    seen = Node(node.op_type, opset, facts, len(node.outputs), node.attributes, node.tensors)
    constant = node.op_type in SHAPE_READERS or (
        known
        and all(fact.constant for fact in facts if fact is not None)
        and not is_never_constant(seen)
    )
    rule = (CONSTANT_RULES if constant else _ON_DATA).get(node.op_type)
    if rule is None:
        state.unsupported.setdefault(node.op_type, []).append(node.name)
        return
    if not known:
        return
    try:
        _refuse_text(facts)
        if constant:
            _fold(state, node, seen, _answer(rule, seen))
        else:
            seen = _rebatched(state, node, seen, names)
            _keep(state, node, names, seen, _answer(rule, seen))
    except RuleError as error:
        told = error if state.other is None else state.other.misfit(error, node.outputs)
        state.issues.append(Issue(str(told), f"{state.file}: {node.place}"))


def _refuse_text(facts: Sequence[Fact | None]) -> None:
    if any(fact is not None and fact.dtype == "string" for fact in facts):
        raise RuleError("reads text, only numbers are supported")


def _answer(rule: Rule, seen: Node) -> Inference:
    result = rule(seen)
    if not 1 <= seen.outputs <= len(result.outputs):
        raise RuleError(f"names {seen.outputs} outputs, the operator has {len(result.outputs)}")
    return result


def _fold(state: Inferred, node: FileNode, seen: Node, result: Inference) -> None:
    if node.op_type == "Identity" and node.outputs[0]:
        # Tied weights are exported as copies of one constant: it stays one.
        state.aliases[node.outputs[0]] = state.resolve(node.inputs[0])
    for name, fact in zip(node.outputs, result.outputs, strict=False):
        check_size(name, fact, f"{state.file}: {node.place}")
    arrays = _elements(seen, result.outputs)
    unread = next((fact.unread for fact in seen.inputs if fact is not None and fact.unread), "")
    for name, fact, array in zip(node.outputs, result.outputs, arrays, strict=False):
        if name:
            why = unread if array is None else ""
            alike = _alike_axes(seen, fact)
            state.facts[name] = Fact(fact.shape, fact.dtype, array, True, why, alike)
    if node.op_type in _REARRANGING:
        source = state.resolve(node.inputs[0])
        state.copies[node.outputs[0]] = state.copies.get(source, source)


def _alike_axes(seen: Node, made: Fact) -> frozenset[int]:
    """Axes along which what a folded node makes is the same everywhere."""
    if seen.op_type == "ConstantOfShape":
        return frozenset(range(made.rank))
    if seen.op_type not in {"Expand", "Tile"}:
        return frozenset()
    source = seen.need(0).shape
    sizes = (1,) * (made.rank - len(source)) + source
    return frozenset(axis for axis, size in enumerate(sizes) if size == 1)


def _elements(seen: Node, facts: Sequence[Fact]) -> Sequence[Elements | None]:
    """What the outputs of a constant node hold, None for what is not small or not known."""
    if facts[0].array is not None:
        return [fact.array for fact in facts]
    if any(fact.elements > DATA_LIMIT or fact.dtype not in READABLE for fact in facts):
        return [None] * len(facts)
    try:
        arrays = evaluate(seen, facts)
    except _NUMBERS_OFF as error:
        raise RuleError(f"its constants do not fit together ({error})") from error
    if arrays is None:
        arrays = reference.elements_of(seen)
    if arrays is None or [array.shape for array in arrays] != [fact.shape for fact in facts]:
        return [None] * len(facts)
    return [array.astype(fact.dtype, copy=False) for array, fact in zip(arrays, facts, strict=True)]


def _rebatched(state: Inferred, node: FileNode, seen: Node, names: tuple[str, ...]) -> Node:
    """The node at the wanted batch, where the file states its own in it; noted in `state`."""
    if state.other is None or not names or seen.given(0) is None:
        return seen
    if seen.op_type == "Reshape":
        changed = state.other.rebatch(seen, names)
    elif seen.op_type in SIZED:
        changed = resized(state.other, seen, names)
    else:
        changed = spread(state.other, seen, names)
        if changed is not None:
            state.spread.append(node.name)
        return changed or seen
    if changed is not None:
        state.rewritten[node.name] = seen.op_type
    return changed or seen


def _keep(
    state: Inferred, node: FileNode, names: tuple[str, ...], seen: Node, result: Inference
) -> None:
    if state.other is not None:
        state.other.check(seen, names, result, node.outputs[0])
    for name, fact in zip(node.outputs, result.outputs, strict=False):
        check_size(name, fact, f"{state.file}: {node.place}")
        if name:
            state.facts[name] = fact
    inputs = list(names)
    for i, read in enumerate(seen.inputs):
        if read is not None and read is not state.facts[names[i]]:
            # A constant of another batch: its own value, since others may read the one in the file.
            inputs[i] = f"{names[i]} ({node.name})"
            state.facts[inputs[i]] = read
    outputs = _named(state, node, result)
    layer = Layer(node.name, node.op_type, tuple(inputs), outputs, dict(result.attributes))
    state.layers.append(layer)


def _named(state: Inferred, node: FileNode, result: Inference) -> tuple[str, ...]:
    """The outputs with a name for the first where only others are used: it is made all the same.

    A recurrent node makes its first output, that of all steps, only where it is wanted.
    """
    if node.outputs[0] or node.op_type in recurrent.RULES:
        return node.outputs
    name = f"{node.name}: output 1"
    state.facts[name] = result.outputs[0]
    return (name, *node.outputs[1:])
