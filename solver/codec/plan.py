"""poet.plan version 1: a schedule that leaves the program, with the calls that it orders."""

from typing import Annotated, Literal

import msgspec
from msgspec import Struct

from solver.schedule import ActionKind
from solver.torch_program import Program

Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]


class PlanAction(Struct, frozen=True):
    """One action; `target` names a call of the program or an input, of the others a tensor."""

    kind: ActionKind
    target: str


class Promise(Struct, frozen=True):
    """What the schedule costs: tensors in memory at most, weights and their gradients apart."""

    peak_bytes: Count
    energy_j: Amount
    runtime_s: Amount


class PlanDocument(Struct, frozen=True, kw_only=True):
    """poet.plan version 1: actions in order, and the program whose calls they run.

    `program.source` says which module makes the network; parameters and buffers are its state.
    `device` is the id of the device for which energy and runtime are promised.
    """

    format: Literal["poet.plan"]
    version: Literal[1]
    name: str
    made_by: str
    device: str
    promised: Promise
    program: Program
    actions: list[PlanAction]
