"""Shapes of LSTM, GRU and RNN: sequences in, the states of every step and the last ones out."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from solver.graph import Shape
from solver.loaders.onnx_rules.base import Fact, Inference, Node, Rule, RuleError, text_of

_SEQUENCE_RANK: Final = 3
_DIRECTIONS: Final[Mapping[str, int]] = MappingProxyType(
    {"forward": 1, "reverse": 1, "bidirectional": 2}
)
_GATES: Final[Mapping[str, int]] = MappingProxyType({"LSTM": 4, "GRU": 3, "RNN": 1})
_FUNCTIONS: Final[Mapping[str, int]] = MappingProxyType({"LSTM": 3, "GRU": 2, "RNN": 1})
_KNOWN: Final = (
    "Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid", "Softplus",
    "Softsign", "Tanh", "ThresholdedRelu",
)  # fmt: skip
"""Activations that ONNX names; the derivative of each follows from its output, a kept gate."""
_PEEPHOLES: Final = 3  # rows of an LSTM's peephole weights: input, output, forget gate
_BATCH_FIRST: Final = 14  # opset from which layout = 1 puts the batch in front


@dataclass(frozen=True, slots=True)
class _Sizes:
    """What the shapes of a recurrent node are made of."""

    steps: int
    batch: int
    features: int
    directions: int
    hidden: int
    batch_first: bool

    def state(self) -> Shape:
        """Of an initial or last state."""
        if self.batch_first:
            return (self.batch, self.directions, self.hidden)
        return (self.directions, self.batch, self.hidden)

    def sequence(self) -> Shape:
        """Of the states of all steps."""
        if self.batch_first:
            return (self.batch, self.steps, self.directions, self.hidden)
        return (self.steps, self.directions, self.batch, self.hidden)


def _sizes(node: Node) -> _Sizes:
    x, recurrent = node.need(0), node.need(2)
    if x.rank != _SEQUENCE_RANK:
        raise RuleError(f"the input is {text_of(x.shape)}; steps, batch and features are needed")
    direction = node.text("direction", "forward").lower()
    if direction not in _DIRECTIONS:
        raise RuleError(f"direction {direction!r} is not one of {', '.join(_DIRECTIONS)}")
    batch_first = node.opset >= _BATCH_FIRST and node.integer("layout", 0) == 1
    steps, batch = (x.shape[1], x.shape[0]) if batch_first else x.shape[:2]
    if recurrent.rank != _SEQUENCE_RANK:
        raise RuleError(f"recurrent weight {text_of(recurrent.shape)} is not three-dimensional")
    # hidden_size is optional where a weight says it as well.
    hidden = node.integer("hidden_size", recurrent.shape[2])
    return _Sizes(steps, batch, x.shape[2], _DIRECTIONS[direction], hidden, batch_first)


def _check(node: Node, sizes: _Sizes) -> None:
    """Raise RuleError for an input whose shape does not fit the others."""
    rows = _GATES[node.op_type] * sizes.hidden
    weights: list[tuple[int, str, Shape]] = [
        (1, "weight", (sizes.directions, rows, sizes.features)),
        (2, "recurrent weight", (sizes.directions, rows, sizes.hidden)),
        (3, "bias", (sizes.directions, 2 * rows)),
        (4, "list of lengths", (sizes.batch,)),
        (5, "initial state", sizes.state()),
    ]
    if node.op_type == "LSTM":
        weights += [
            (6, "initial cell", sizes.state()),
            (7, "peephole weight", (sizes.directions, _PEEPHOLES * sizes.hidden)),
        ]
    node.need(1)
    for position, name, wanted in weights:
        fact = node.given(position)
        if fact is not None and fact.shape != wanted:
            raise RuleError(f"{name} is {text_of(fact.shape)}, it must be {text_of(wanted)}")


def _check_activations(node: Node, directions: int) -> None:
    """Raise RuleError for activations that are unknown or not as many as the gates need."""
    written = node.attributes.get("activations")
    if written is None:
        return
    names = [str(name) for name in written] if isinstance(written, tuple) else []
    wanted = directions * _FUNCTIONS[node.op_type]
    if len(names) != wanted:
        raise RuleError(f"{len(names)} activations, there must be {wanted}")
    known = {name.lower() for name in _KNOWN}
    for name in names:
        if name.lower() not in known:
            raise RuleError(f"activation {name!r} is not one of {', '.join(_KNOWN)}")


def recurrent(node: Node) -> Inference:
    """LSTM, GRU, RNN: Y of all steps, Y_h of the last one, and the last cell Y_c of an LSTM.

    Sequences of different lengths (`sequence_lens`) are counted as long as the longest may be.
    """
    sizes = _sizes(node)
    _check(node, sizes)
    _check_activations(node, sizes.directions)
    dtype = node.need(0).dtype
    state = Fact(sizes.state(), dtype)
    states = (state, state) if node.op_type == "LSTM" else (state,)
    attributes = {
        "hidden_size": sizes.hidden,
        "directions": sizes.directions,
        "layout": int(sizes.batch_first),
        "linear_before_reset": node.integer("linear_before_reset", 0),
        "input_forget": node.integer("input_forget", 0),
    }
    outputs = (Fact(sizes.sequence(), dtype), *states)
    return Inference(outputs, attributes)


RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {"LSTM": recurrent, "GRU": recurrent, "RNN": recurrent}
)
