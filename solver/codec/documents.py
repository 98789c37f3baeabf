"""The objects of the JSON documents, field by field in the order in which they are written.

Sizes are whole bytes, times seconds, energies joules. Absent is null; left out are only `problem`
of a slim result, `program` of a graph that was not traced, and `profile` of a device without one.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from solver.device import IoMode
from solver.graph import Accounting, Phase, Quantized, Role, WeightGradients, Weights
from solver.outcome import Limit, StopReason
from solver.problem import MAX_SEED, MAX_THREADS
from solver.schedule import ActionKind
from solver.torch_program import Program
from solver.units import MAX_BYTES, MAX_SECONDS

Status = Literal["optimal", "feasible", "infeasible", "no_answer", "failed"]
Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
Need = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] | Amount


class TransferObject(Struct, frozen=True):
    """One direction of paging: seconds = latency_s + bytes / bytes_per_s."""

    latency_s: Amount
    bytes_per_s: Amount
    power_w: Amount


class CostObject(Struct, frozen=True):
    """What one run of an op, or (`op` null) of each op of a kind, costs; null = not said."""

    op: str | None
    kind: str | None
    seconds: Amount | None
    joules: Amount | None


class ProfileObject(Struct, frozen=True):
    """A cost table and the name of its file: where it says nothing, costs follow from FLOP."""

    name: str
    costs: list[CostObject]


class DeviceObject(Struct, frozen=True):
    """A device: the keys of its TOML file; `profile` is left out where no op's costs are given."""

    schema: int
    id: str
    name: str
    flop_per_s: Amount
    flop_per_j: Amount
    ram_bytes: Count
    io: IoMode
    element_bytes: Count
    page_in: TransferObject
    page_out: TransferObject
    source: dict[str, str]
    profile: ProfileObject | UnsetType = UNSET


class OpObject(Struct, frozen=True):
    """An op of the training graph; `inputs` and `outputs` are names of tensors."""

    name: str
    kind: str
    phase: Phase
    inputs: list[str]
    outputs: list[str]
    flop: Amount
    workspace_bytes: Count
    recomputable: bool
    duration_s: Amount
    energy_j: Amount
    trainable: list[str]
    gradient_of: list[str]


class TensorObject(Struct, frozen=True):
    """A tensor of the training graph; `producer` is the name of an op."""

    name: str
    bytes: Count
    shape: list[Count] | None
    dtype: str | None
    role: Role | None
    producer: str
    pageable: bool
    in_storage_at_start: bool
    page_in_s: Amount
    page_in_j: Amount
    page_out_s: Amount
    page_out_j: Amount


class TrainableObject(Struct, frozen=True):
    """A constant that training changes."""

    name: str
    bytes: Count


class BaselineObject(Struct, frozen=True):
    """Every op once, nothing paged."""

    energy_j: Amount
    runtime_s: Amount


class GraphSettingsObject(Struct, frozen=True):
    """The choices that made a graph; `quantized` only where it was chosen."""

    accounting: Accounting
    weights: Weights
    weight_gradients: WeightGradients
    batch: int | None
    dims: dict[str, int]
    loss: str | None
    output: str | None
    quantized: Quantized | UnsetType = UNSET


class GraphDocument(Struct, frozen=True, kw_only=True):
    """poet.graph version 1: a training graph priced on a device."""

    format: Literal["poet.graph"]
    version: Literal[1]
    ops: list[OpObject]
    tensors: list[TensorObject]
    trainable: list[TrainableObject]
    loss_tensors: list[str]
    baseline: BaselineObject
    plain_peak_bytes: Count
    floor_bytes: Count
    floor_op: str | None
    fixed_bytes: Count
    weight_bytes: Count
    trainable_bytes: Count
    forward_macs: Count
    forward_bytes: Count
    saved_extra_bytes: Count
    settings: GraphSettingsObject
    device: DeviceObject
    warnings: list[str]
    program: Program | UnsetType = UNSET


class ModelObject(Struct, frozen=True):
    """Which model was scheduled; `source` a path or "built-in", `sha256` of the file."""

    name: str
    source: str
    sha256: str | None
    ops: Count
    tensors: Count


class SettingsObject(Struct, frozen=True):
    """Everything that was chosen for a solve, as a solve takes it; `io` is the mode really used."""

    accounting: Accounting
    io: IoMode
    weights: Weights
    weight_gradients: WeightGradients
    paging: bool
    recompute: bool
    batch: int | None
    dims: dict[str, int]
    loss: str | None
    output: str | None
    strategy: str
    gap: Amount
    time_limit_s: Amount
    work_limit: Amount | None
    threads: Annotated[int, msgspec.Meta(ge=1, le=MAX_THREADS)]
    seed: Annotated[int, msgspec.Meta(ge=0, le=MAX_SEED)]
    quantized: Quantized | UnsetType = UNSET


class BudgetObject(Struct, frozen=True):
    """The two limits; `runtime_s` null = no limit."""

    ram_bytes: Annotated[int, msgspec.Meta(ge=0, le=MAX_BYTES)]
    runtime_s: Annotated[float, msgspec.Meta(ge=0, le=MAX_SECONDS)] | None


class ReasonObject(Struct, frozen=True):
    """Why a problem is impossible; `needed` and `missing` in bytes (ram) or seconds (runtime).

    exact: `needed` is the least that works. Else it is the least that is known to work or, where
    `message` knows of none, less is proven not to; below the floor it is the floor.
    """

    limit: Limit
    op: str | None
    tensors: list[str]
    needed: Need
    missing: Need
    exact: bool


class EnergyObject(Struct, frozen=True):
    """Joules by kind of action; all null without a schedule."""

    total: Amount | None
    compute: Amount | None
    recompute: Amount | None
    page_in: Amount | None
    page_out: Amount | None


class GapObject(Struct, frozen=True):
    """How far the energy lies above the bound, as parts of the overhead and of the whole."""

    overhead: Amount | None
    total: Amount | None


class ActionObject(Struct, frozen=True):
    """One step of a schedule; `resident_bytes` is null for free."""

    kind: ActionKind
    op: str | None
    tensor: str | None
    start_s: Amount
    duration_s: Amount
    energy_j: Amount
    bytes: Count
    resident_bytes: Count | None


class IncumbentObject(Struct, frozen=True):
    """One point of a solve's history."""

    t_s: Amount
    step: str
    energy_j: Amount
    bound_j: Amount | None


class SolverObject(Struct, frozen=True):
    """Which solver did the work, and when it found what."""

    strategy: str
    name: str
    version: str
    wall_s: Amount
    first_answer_s: Amount | None
    incumbents: list[IncumbentObject]


class ResultDocument(Struct, frozen=True, kw_only=True):
    """poet.result version 1: how a solve ended, with the schedule and the graph it is for."""

    format: Literal["poet.result"]
    version: Literal[1]
    model: ModelObject
    device: DeviceObject
    settings: SettingsObject
    budget: BudgetObject
    status: Status
    stop_reason: StopReason | None
    message: str
    reason: ReasonObject | None
    baseline: BaselineObject
    plain_peak_bytes: Count
    floor_bytes: Count
    energy_j: EnergyObject
    bound_j: Amount | None
    gap: GapObject
    runtime_s: Amount | None
    peak_bytes: Count | None
    actions: list[ActionObject]
    solver: SolverObject
    warnings: list[str]
    problem: GraphDocument | UnsetType = UNSET


Document = GraphDocument | ResultDocument
