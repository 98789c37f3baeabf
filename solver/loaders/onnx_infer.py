"""Walk over the sorted nodes: constants are folded, everything else becomes a layer of known shape.

Our own rules rather than onnx.shape_inference: that one accepts a wrong batch size without a word,
stops at shape arithmetic below opset 15, and is C++ that hostile files crash; these count in Python
integers and cannot wrap.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from solver.errors import Issue, ModelError
from solver.graph import element_bits
from solver.loaders.onnx_batch import OtherBatch
from solver.loaders.onnx_nodes import FileNode
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
from solver.loaders.onnx_tensors import READABLE
from solver.network import Layer

MOST_BYTES: Final = 10**20
"""A tensor above this is a damaged file: its size is told instead of wrapped."""

_ON_DATA: Final[Mapping[str, Rule]] = MappingProxyType({**REFUSED_RULES, **LAYER_RULES})

_NUMBERS_OFF: Final = (ValueError, TypeError, OverflowError, IndexError)
"""What numpy raises for constants that do not fit together; a damaged file, not a fault of ours."""


@dataclass(eq=False)
class Inferred:
    """What the walk found: facts by tensor, layers in order, and everything that stood in the way.

    `unsupported` maps op_type to the nodes without a rule. `rewritten` names the Reshapes given
    another batch.
    """

    facts: dict[str, Fact]
    opset: int
    file: str
    other: OtherBatch | None = None
    layers: list[Layer] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    unsupported: dict[str, list[str]] = field(default_factory=dict)
    rewritten: list[str] = field(default_factory=list)

    def resolve(self, name: str) -> str:
        """The constant itself where `name` is only another name of it."""
        return self.aliases.get(name, name)


def check_size(name: str, fact: Fact, where: str) -> None:
    """Raise ModelError for a tensor beyond any machine's memory or any number of dimensions."""
    if fact.rank > MAX_RANK:
        raise ModelError(Issue(f"tensor {name} has {fact.rank} dimensions: damaged", where))
    bits = element_bits(fact.dtype) if fact.dtype != "string" else 8
    size = -(-fact.elements * bits // 8)
    if size > MOST_BYTES:
        message = f"tensor {name} of {text_of(fact.shape)} would take {size} B, more than 10^20 B"
        raise ModelError(Issue(message, where))


def infer(
    nodes: Sequence[FileNode],
    known: Mapping[str, Fact],
    *,
    opset: int,
    file: str,
    other: OtherBatch | None = None,
) -> Inferred:
    """Infer every tensor of `nodes` (sorted) from `known` (inputs and stored tensors).

    Nodes behind one that failed are passed over, so that the answer lists each mistake once. Raises
    ModelError at once for a size that cannot be.
    """
    state = Inferred(dict(known), opset, file, other)
    for name, fact in known.items():
        check_size(name, fact, f"{file}: tensor {name}")
    for node in nodes:
        _visit(state, node)
    return state


def _visit(state: Inferred, node: FileNode) -> None:
    names = tuple(state.resolve(name) for name in node.inputs)
    known = all(not name or name in state.facts for name in names)
    facts = tuple(state.facts.get(name) for name in names)
    seen = Node(node.op_type, state.opset, facts, len(node.outputs), node.attributes, node.tensors)
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
            rewritten = _rebatched(state, seen, names)
            if rewritten is not None:
                state.rewritten.append(node.name)
                seen = rewritten
            _keep(state, node, names, seen, _answer(rule, seen))
    except RuleError as error:
        state.issues.append(Issue(str(error), f"{state.file}: {node.place}"))


def _refuse_text(facts: Sequence[Fact | None]) -> None:
    if any(fact is not None and fact.dtype == "string" for fact in facts):
        raise RuleError("reads text, only numbers are supported")


def _answer(rule: Rule, seen: Node) -> Inference:
    result = rule(seen)
    if not 1 <= seen.outputs <= len(result.outputs):
        raise RuleError(f"names {seen.outputs} outputs, the operator has {len(result.outputs)}")
    return result


def _fold(state: Inferred, node: FileNode, seen: Node, result: Inference) -> None:
    if node.op_type == "Identity":
        # Tied weights are exported as copies of one constant: it stays one.
        state.aliases[node.outputs[0]] = state.resolve(node.inputs[0])
    for i, (name, fact) in enumerate(zip(node.outputs, result.outputs, strict=False)):
        check_size(name, fact, f"{state.file}: {node.place}")
        array = _elements(seen, fact) if i == 0 else None
        if name:
            state.facts[name] = Fact(fact.shape, fact.dtype, array, constant=True)


def _elements(seen: Node, fact: Fact) -> Elements | None:
    if fact.array is not None:
        return fact.array
    if fact.elements > DATA_LIMIT or fact.dtype not in READABLE:
        return None
    try:
        array = evaluate(seen, fact.shape, fact.dtype)
    except _NUMBERS_OFF as error:
        raise RuleError(f"its constants do not fit together ({error})") from error
    if array is None or array.shape != fact.shape:
        return None
    return array.astype(fact.dtype, copy=False)


def _rebatched(state: Inferred, seen: Node, names: tuple[str, ...]) -> Node | None:
    if state.other is None or seen.op_type != "Reshape" or seen.given(0) is None:
        return None
    return state.other.rebatch(seen, names)


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
    layer = Layer(node.name, node.op_type, tuple(inputs), node.outputs, dict(result.attributes))
    state.layers.append(layer)
