"""The training graph: ops and tensors of one training step, in one fixed deterministic order."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final

from solver.import_report import ImportReport
from solver.torch_program import Program

Shape = tuple[int, ...]

_BITS: Final = MappingProxyType({
    "float64": 64, "float32": 32, "float16": 16, "bfloat16": 16, "complex64": 64, "complex128": 128,
    "float8e4m3fn": 8, "float8e4m3fnuz": 8, "float8e5m2": 8, "float8e5m2fnuz": 8, "float8e8m0": 8,
    "float4e2m1": 4, "int64": 64, "int32": 32, "int16": 16, "int8": 8, "int4": 4, "int2": 2,
    "uint64": 64, "uint32": 32, "uint16": 16, "uint8": 8, "uint4": 4, "uint2": 2, "bool": 8,
})  # fmt: skip


def element_bits(dtype: str) -> int:
    """Size of one element in bits. Raises KeyError for a type of no fixed size (string)."""
    return _BITS[dtype]


class Phase(StrEnum):
    """Which half of the training step an op belongs to; the loss is the last forward op."""

    FORWARD = "forward"
    BACKWARD = "backward"


class Role(StrEnum):
    """What a tensor is for."""

    ACTIVATION = "activation"
    INPUT = "input"
    LABEL = "label"
    MASK = "mask"
    INDICES = "indices"
    STATISTICS = "statistics"
    GRADIENT = "gradient"
    WEIGHT_GRADIENT = "weight_gradient"


SAVED_EXTRA: Final = frozenset({Role.MASK, Role.INDICES, Role.STATISTICS})
"""Roles of what training keeps besides activations; their total is `saved_extra_bytes`."""


class Accounting(StrEnum):
    """Whose rules made the graph: our differentiation, the released code's, or the file's own."""

    AUTODIFF = "autodiff"
    POET = "poet"
    GIVEN = "given"


class Weights(StrEnum):
    """Whether weights and running statistics count as fixed bytes."""

    NOT_COUNTED = "not-counted"
    RESIDENT = "resident"


class Quantized(StrEnum):
    """What becomes of quantised operators in a file."""

    REFUSED = "refused"
    STRAIGHT_THROUGH = "straight-through"


class WeightGradients(StrEnum):
    """Whether a weight gradient goes into the weight's own memory or is an output of its op."""

    APPLIED = "applied"
    BUFFERED = "buffered"


@dataclass(frozen=True, slots=True)
class Tensor:
    """A value with a size; views are resolved to their base before tensors are made.

    `producer` is the name of the op that makes it. `shape` is None where the file gives bytes only.
    """

    name: str
    bytes: int
    producer: str
    shape: Shape | None = None
    dtype: str | None = None
    role: Role | None = None
    pageable: bool = True
    in_storage_at_start: bool = False


@dataclass(frozen=True, slots=True)
class Op:
    """One operator of the training graph: reads tensors, makes zero or more tensors.

    `inputs` and `outputs` are tensor names without repetition, in order. `kind` is an ONNX op_type
    or one of `input, loss, mask, stats, apply, weight_gradient, input_gradient, add_gradient`.
    `trainable` names the constants that a forward op trains; `gradient_of` the tensors or
    trainables whose (partial) gradient a backward op makes; additions have none.
    """

    name: str
    kind: str
    phase: Phase
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    flop: float
    workspace_bytes: int = 0
    recomputable: bool = True
    trainable: tuple[str, ...] = ()
    gradient_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trainable:
    """A constant that training changes."""

    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """The choices that made this graph, as written into every document."""

    accounting: Accounting = Accounting.AUTODIFF
    weights: Weights = Weights.NOT_COUNTED
    weight_gradients: WeightGradients = WeightGradients.APPLIED
    batch: int | None = None
    dims: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    loss: str | None = None
    output: str | None = None
    quantized: Quantized = Quantized.REFUSED


@dataclass(frozen=True)
class TrainingGraph:
    """Inputs, forward ops, loss, backward ops in execution order, and the sizes that go with them.

    Every tensor is made by exactly one op that stands before its readers; forward ops stand before
    backward ops. `fixed_bytes` always occupy RAM. `weight_bytes` = trainable + running statistics,
    stated even when not counted. `forward_macs`, `forward_bytes`, `saved_extra_bytes`: totals as
    defined in the poet.graph format. `warnings`: what to know before trusting the figures.
    `budget_bytes`: a budget that the file itself suggests, else None. `report`: what became of the
    model file, None where the graph was not made from one. `program`: what replaying a traced graph
    needs, else None.
    """

    name: str
    ops: tuple[Op, ...]
    tensors: tuple[Tensor, ...]
    trainable: tuple[Trainable, ...] = ()
    loss_tensors: tuple[str, ...] = ()
    fixed_bytes: int = 0
    weight_bytes: int = 0
    trainable_bytes: int = 0
    forward_macs: int = 0
    forward_bytes: int = 0
    saved_extra_bytes: int = 0
    settings: GraphSettings = field(default_factory=GraphSettings)
    warnings: tuple[str, ...] = ()
    budget_bytes: int | None = None
    report: ImportReport | None = None
    program: Program | None = None

    @property
    def told(self) -> tuple[str, ...]:
        """Warnings and then the import report, as sentences: `warnings` of the documents."""
        return (*self.warnings, *(self.report.sentences() if self.report else ()))

    @cached_property
    def tensor_index(self) -> Mapping[str, int]:
        """Tensor name -> position in `tensors`."""
        return MappingProxyType({tensor.name: i for i, tensor in enumerate(self.tensors)})

    @cached_property
    def op_index(self) -> Mapping[str, int]:
        """Op name -> position in `ops`."""
        return MappingProxyType({op.name: k for k, op in enumerate(self.ops)})

    @cached_property
    def op_inputs(self) -> tuple[tuple[int, ...], ...]:
        """Per op, positions of the tensors it reads."""
        return tuple(tuple(self.tensor_index[name] for name in op.inputs) for op in self.ops)

    @cached_property
    def op_outputs(self) -> tuple[tuple[int, ...], ...]:
        """Per op, positions of the tensors it makes."""
        return tuple(tuple(self.tensor_index[name] for name in op.outputs) for op in self.ops)

    @cached_property
    def producer(self) -> tuple[int, ...]:
        """Per tensor, position of the op that makes it."""
        return tuple(self.op_index[tensor.producer] for tensor in self.tensors)

    @cached_property
    def readers(self) -> tuple[tuple[int, ...], ...]:
        """Per tensor, positions of the ops that read it, ascending."""
        found: list[list[int]] = [[] for _ in self.tensors]
        for k, inputs in enumerate(self.op_inputs):
            for i in inputs:
                found[i].append(k)
        return tuple(tuple(ops) for ops in found)

    @cached_property
    def first_backward(self) -> int:
        """Position of the first backward op; len(ops) when there is none."""
        return next(
            (k for k, op in enumerate(self.ops) if op.phase is Phase.BACKWARD), len(self.ops)
        )
