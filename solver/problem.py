"""A problem: a costed graph, its two budgets and the switches that say what a schedule may do."""

import hashlib
from dataclasses import dataclass, field
from typing import Final

from solver.costs import CostedGraph
from solver.device import IoMode

RUNTIME_TOLERANCE: Final = 1e-9
"""Relative: runtimes are float sums, whose rounding is no overrun of the limit."""
MAX_THREADS: Final = 256
"""HiGHS starts them one by one: with thousands, no time limit is kept."""
MAX_SEED: Final = 2**31 - 1
"""HiGHS keeps its seed in 31 bits."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """RAM limit in bytes, runtime limit in seconds (None = no limit); never ratios."""

    ram_bytes: int
    runtime_s: float | None = None

    def allow_runtime(self, seconds: float) -> bool:
        """Whether a runtime keeps the limit, but for the rounding of its sum."""
        return self.runtime_s is None or seconds <= self.runtime_s * (1 + RUNTIME_TOLERANCE)


@dataclass(frozen=True, slots=True)
class Switches:
    """What a schedule may do, and how its transfers share time with computing."""

    paging: bool = True
    recompute: bool = True
    io: IoMode = IoMode.BLOCKING


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """How hard to try. None of these changes what is true, only when a solve stops.

    gap: stop when (energy - bound) <= gap * overhead. total_gap: stop proving, once searched, when
    it is <= total_gap * energy. time_limit_s: a stop on the clock, may be 0.
    work_limit: a deterministic stop, in units of about one second of one core, None = none.
    threads: 1 to MAX_THREADS. seed: 0 to MAX_SEED.
    """

    strategy: str = "joint"
    gap: float = 0.01
    time_limit_s: float = 60.0
    work_limit: float | None = None
    threads: int = 1
    seed: int = 0
    total_gap: float = 0.0


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be scheduled, within which limits, by which means."""

    costed: CostedGraph
    budgets: Budgets
    switches: Switches = field(default_factory=Switches)

    def transfer_durations_s(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Durations (page-ins, page-outs) per tensor under the I/O mode: zero when ignored."""
        if self.switches.io is IoMode.IGNORED:
            zeros = (0.0,) * len(self.costed.tensor_bytes)
            return zeros, zeros
        return tuple(self.costed.page_in_s.tolist()), tuple(self.costed.page_out_s.tolist())


def fingerprint(problem: Problem) -> str:
    """Hex digest of everything a schedule's validity and cost depend on, except the budgets.

    Two problems of one fingerprint may share schedules and bounds. Names are left out: they carry
    no cost.
    """
    costed, switches = problem.costed, problem.switches
    graph = costed.graph
    parts = (
        "poet-problem-1",
        repr((switches.paging, switches.recompute, switches.io.value, graph.fixed_bytes)),
        repr([(op.phase.value, op.workspace_bytes, op.recomputable) for op in graph.ops]),
        repr((graph.op_inputs, graph.op_outputs)),
        repr([(t.bytes, t.pageable, t.in_storage_at_start) for t in graph.tensors]),
        repr([
            array.tolist()
            for array in (costed.op_duration_s, costed.op_energy_j, costed.page_in_s,
                          costed.page_in_j, costed.page_out_s, costed.page_out_j)
        ]),
    )  # fmt: skip
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
