"""What a benchmark keeps of itself: one JSON document, `poet.bench` version 1."""

import os
import platform
from typing import Final, Literal

import msgspec

from solver import ENGINE_VERSION
from solver.device import IoMode
from solver.errors import Issue, ModelError
from solver.graph import Accounting

PROVEN_GAP: Final = 1e-4
"""Runs stop at this gap of the overhead: what counts as proven (see outcome.is_proven)."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One problem of the benchmark; `name` is part/network/device/budget.

    model : a built-in network, or "onnx:NAME" for a model inside the `onnx` package.
    ram_bytes, share, of_floor : exactly one is given: the budget itself, a share of the plain
        peak, or a multiple of the floor. runtime_ratio : of the baseline's runtime.
    best_overhead_j : what a prototype reached, energy above the baseline; None where none tried.
    rounding_j : how far that number may be off, having been written with few digits.
    """

    name: str
    part: Literal["reference", "real", "limited"]
    model: str
    device: str
    accounting: Accounting | None = None
    io: IoMode | None = None
    ram_bytes: int | None = None
    share: float | None = None
    of_floor: float | None = None
    runtime_ratio: float | None = None
    best_overhead_j: float | None = None
    rounding_j: float = 0.0


class Point(msgspec.Struct, frozen=True):
    """What was known from `t_s` seconds on: the best energy (None: no schedule), the bound, J.

    `step` is the step of the solve that found it.
    """

    t_s: float
    step: str
    energy_j: float | None
    bound_j: float


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One solve: its limit, how it ended, and its points in the order of time.

    verified : the verifier finds no fault in the final schedule (True without one).
    """

    limit_s: float
    wall_s: float
    status: str
    verified: bool
    points: tuple[Point, ...]


class RowResult(msgspec.Struct, frozen=True, kw_only=True):
    """Everything measured of one row; `runs` is empty when it was not solved, `note` says why.

    runs : the long one first. memory_bytes : peak resident size of the process that solved it,
    None where the system does not tell. problem : fingerprint of graph, prices and switches.
    """

    name: str
    problem: str = ""
    ops: int = 0
    tensors: int = 0
    baseline_j: float = 0.0
    plain_peak_bytes: int = 0
    floor_bytes: int = 0
    ram_bytes: int = 0
    runtime_s: float | None = None
    memory_bytes: int | None = None
    runs: tuple[Run, ...] = ()
    note: str = ""
    failed: bool = False


class ReleasedResult(msgspec.Struct, frozen=True, kw_only=True):
    """The released formulation on one row: its size, and what HiGHS knew at which time.

    Energies are what its own model says: its schedules count no page-in buffers, so ours would not
    pass them. build_s comes before the clock.
    """

    name: str
    baseline_j: float = 0.0
    columns: int = 0
    rows: int = 0
    build_s: float = 0.0
    limit_s: float = 0.0
    wall_s: float = 0.0
    memory_bytes: int | None = None
    points: tuple[Point, ...] = ()
    note: str = ""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark, whole or not yet: results in the order of the rows.

    long_s : limit of the long run. repeats : how many runs of `short_s` follow it.
    """

    format: Literal["poet.bench"] = "poet.bench"
    version: Literal[1] = 1
    engine: str = ENGINE_VERSION
    machine: str = ""
    long_s: float
    short_s: float
    repeats: int
    rows: tuple[RowResult, ...] = ()
    released: tuple[ReleasedResult, ...] = ()


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What the measuring process is asked: solve `row` once per limit, or its released form."""

    row: Row
    limits_s: tuple[float, ...]
    released: bool = False


def machine_words() -> str:
    """What the figures were measured on, in words that name no machine."""
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def encode(document: Document) -> bytes:
    """The document as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n"


def decode(data: bytes, where: str) -> Document:
    """Read a document. Raises ModelError when `data`, from `where`, is none."""
    try:
        return msgspec.json.decode(data, type=Document)
    except msgspec.DecodeError as error:
        raise ModelError(Issue(f"this is no benchmark document: {error}", where)) from error
