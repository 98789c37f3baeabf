"""The shape of a rule: an operator's costs, what its gradients read, which constants it trains."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from solver.errors import Issue, ModelError
from solver.graph import Role, Shape
from solver.network import Layer, Network, Value


@dataclass(frozen=True, slots=True)
class Extra:
    """A tensor that training needs besides a layer's outputs: a mask, pool indices, statistics.

    `name` is the part after the layer's: "indices" becomes "pool1.indices".
    """

    name: str
    shape: Shape
    dtype: str
    role: Role


Ref = str | Extra
"""What an op reads or makes: a value of the network by name, or an extra of the same layer."""


@dataclass(frozen=True, slots=True)
class Gradient:
    """The op that makes the gradient of one input or trained constant of a layer.

    It always reads the gradients of the layer's outputs; `reads` is what must be kept besides.
    """

    flop: int
    reads: tuple[Ref, ...] = ()


@dataclass(frozen=True, slots=True)
class Shared:
    """A backward op before a layer's other gradient ops: it makes a gradient that they all need.

    It reads the gradients of the layer's outputs and `reads`; the ops after it read no gradients
    of outputs, but `makes` where their own `reads` name it. `gradient_of` are the extras whose
    gradient `makes` is.
    """

    flop: int
    reads: tuple[Ref, ...]
    makes: Extra
    gradient_of: tuple[Extra, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One forward op that a layer becomes; most layers have one part, random and stateful ones two.

    `suffix` is appended to the layer's name ("" or "mask", "stats", "apply"). `role` is that of the
    layer's own outputs among `makes`.
    """

    suffix: str
    kind: str
    reads: tuple[Ref, ...]
    makes: tuple[Ref, ...]
    flop: int
    recomputable: bool = True
    role: Role = Role.ACTIVATION


@dataclass(frozen=True, slots=True)
class Site:
    """One layer at its place in a network, as rules see it: values by slot, attributes by name."""

    network: Network
    layer: Layer

    def has_input(self, slot: int) -> bool:
        """Whether the optional input `slot` is there."""
        return slot < len(self.layer.inputs) and bool(self.layer.inputs[slot])

    def input(self, slot: int) -> Value:
        """The value read at `slot`, with its own shape where it is a view.

        Raises ModelError when the layer has no such input.
        """
        if not self.has_input(slot):
            raise self.error(f"input {slot + 1} of {self.layer.op_type} is missing")
        return self.network.values[self.layer.inputs[slot]]

    def output(self, index: int = 0) -> Value:
        """The value made at `index`. Raises ModelError when the layer has no such output."""
        if index >= len(self.layer.outputs) or not self.layer.outputs[index]:
            raise self.error(f"output {index + 1} of {self.layer.op_type} is missing")
        return self.network.values[self.layer.outputs[index]]

    def is_constant(self, slot: int) -> bool:
        """Whether the input at `slot` is there and depends on no network input."""
        return self.has_input(slot) and self.layer.inputs[slot] in self.network.constants

    def parameter(self, slot: int) -> Value:
        """The constant that is trained where this layer reads one at `slot`."""
        return self.network.parameter(self.input(slot).name)

    def slots(self) -> tuple[int, ...]:
        """Positions of the inputs that are there, ascending."""
        return tuple(slot for slot, name in enumerate(self.layer.inputs) if name)

    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs that are there, in order."""
        return tuple(name for name in self.layer.outputs if name)

    def integer(self, name: str, default: int) -> int:
        """The integer attribute `name`, or `default` where the file leaves it out."""
        value = self.layer.attributes.get(name, default)
        if not isinstance(value, int):
            raise self.error(f"attribute {name} of {self.layer.op_type} is {value!r}, not a number")
        return value

    def number(self, name: str, default: float) -> float:
        """The float attribute `name`, or `default` where the file leaves it out."""
        value = self.layer.attributes.get(name, default)
        if not isinstance(value, int | float):
            raise self.error(f"attribute {name} of {self.layer.op_type} is {value!r}, not a number")
        return float(value)

    def integers(self, name: str) -> tuple[int, ...]:
        """The required list of integers `name`. Raises ModelError when it is absent or no list."""
        value = self.layer.attributes.get(name)
        if not isinstance(value, tuple):
            fault = "missing" if value is None else "not a list"
            raise self.error(f"attribute {name} of {self.layer.op_type} is {fault}")
        return tuple(int(item) for item in value)

    def error(self, message: str) -> ModelError:
        """A ModelError that names this layer."""
        return ModelError(Issue(message, f"layer {self.layer.name}"))


class Rule:
    """What training needs to know of one operator. Subclasses are stateless or hold constants only.

    parameters : input slot -> word for the constant there ("weight", "bias"), used in op names.
        A float constant in such a slot is trained where `trains` agrees.
    statistics : slots of running statistics: weights in memory, never trained.
    outputs_modelled : how many of the ONNX outputs exist in a training graph; None = all.
    """

    parameters: ClassVar[Mapping[int, str]] = MappingProxyType({})
    statistics: ClassVar[tuple[int, ...]] = ()
    outputs_modelled: ClassVar[int | None] = None

    def is_view(self, site: Site) -> bool:  # noqa: ARG002 -- rules for views look at the site
        """Whether the output is the input under another shape: no op, no bytes, no cost."""
        return False

    def flop(self, site: Site) -> int:
        """FLOP of one forward run."""
        raise NotImplementedError

    def macs(self, site: Site) -> int:  # noqa: ARG002 -- most operators have none
        """Multiply-adds of one forward run: Conv, Gemm and MatMul alone, as `forward_macs` says."""
        return 0

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:  # noqa: ARG002 - one shape for all
        """Further outputs that exist only because a gradient reads them: indices, statistics."""
        return ()

    def parts(self, site: Site) -> tuple[Part, ...]:
        """Forward ops in order; the last one makes the layer's outputs."""
        reads = tuple(name for name in site.layer.inputs if name)
        return (Part("", site.layer.op_type, reads, self.modelled(site), self.flop(site)),)

    def modelled(self, site: Site) -> tuple[str, ...]:
        """The layer's outputs that exist in a training graph, in order."""
        return site.outputs()[: self.outputs_modelled]

    def differentiable(self, site: Site) -> Iterable[int]:
        """Slots through which a gradient passes if a float variable is there, ascending."""
        return site.slots()

    def trains(self, site: Site, slot: int) -> bool:  # noqa: ARG002 - one shape for all
        """Whether the float constant at `slot`, one of `parameters`, is trained."""
        return True

    def gradient(self, site: Site, slot: int) -> Gradient:
        """The gradient op of the input or trained constant at `slot`."""
        raise NotImplementedError

    def shared_gradient(self, site: Site) -> Shared | None:  # noqa: ARG002 - one shape for all
        """The backward op that comes before all others of the layer, None where there is none.

        For recurrent layers: the way back through the steps is gone once, for all operands.
        """
        return None

    def joint_gradient(
        self,
        site: Site,  # noqa: ARG002 - one shape for all
        slots: tuple[int, ...],  # noqa: ARG002 - one shape for all
    ) -> Gradient | None:
        """The one op that makes the gradients of the inputs at `slots`; None: one op for each.

        For kernels whose separate gradients would each repeat the same work. Trained constants
        keep ops of their own.
        """
        return None
