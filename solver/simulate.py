"""Executing a schedule on paper: start, duration, energy and resident bytes of every action."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from solver.costs import FloatArray
from solver.device import IoMode
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule

CLOCK_ROUNDING: Final = 1e-9
"""Seconds up to one second, then relative: two instants that near are the same. Both are sums of
the same durations in another order, and a workspace is either in use or not."""


@dataclass(frozen=True, eq=False)
class Trace:
    """A schedule executed; arrays are read-only, shape (actions,), in issue order.

    start_s, duration_s, energy_j : seconds and joules per action; a free lasts and costs 0.
    resident_bytes : RAM at the instant an action is issued, with everything listed above it done,
        the workspace of the op then running and fixed bytes included; for a free, RAM after it.
    """

    problem: Problem
    schedule: Schedule
    start_s: FloatArray
    duration_s: FloatArray
    energy_j: FloatArray
    resident_bytes: NDArray[np.int64]

    @cached_property
    def total_energy_j(self) -> float:
        """Energy of the whole step, joules, rounded once: without extra actions the baseline's."""
        return math.fsum(self.energy_j)

    @cached_property
    def runtime_s(self) -> float:
        """The latest end, seconds."""
        return float((self.start_s + self.duration_s).max()) if len(self.start_s) else 0.0

    @cached_property
    def peak_bytes(self) -> int:
        """The most RAM in use at any instant."""
        if not len(self.resident_bytes):
            return self.problem.costed.graph.fixed_bytes
        return int(self.resident_bytes.max())

    def energy_by_kind_j(self) -> dict[ActionKind, float]:
        """Joules per kind of action; every kind is present."""
        kinds = np.array([action.kind.value for action in self.schedule.actions])
        return {kind: math.fsum(self.energy_j[kinds == kind.value]) for kind in ActionKind}


def simulate(schedule: Schedule, problem: Problem) -> Trace:
    """Execute `schedule` under the problem's I/O mode, in one pass over its actions.

    Trusts it to be legal (the verifier does not). Overlapped, an action starts as soon as its lane,
    what it reads, the actions listed above it and the RAM budget allow; so the same list may start
    a page-in earlier under a larger budget.
    """
    graph, sizes = problem.costed.graph, problem.costed.tensor_bytes
    durations, energies = _prices(problem)
    clock = (_Lanes if problem.switches.io is IoMode.OVERLAPPED else _OneAfterTheOther)(problem)
    resident: set[int] = set()
    now_bytes = graph.fixed_bytes
    rows: list[tuple[float, float, float, int]] = []
    for action in schedule.actions:
        kind, target = action.kind, action.target
        duration_s = durations[kind][target]
        # What is made again while resident is replaced: it counts once.
        new = [i for i in _made_by(action, graph.op_outputs) if i not in resident]
        now_bytes += sum(sizes[i] for i in new)
        start_s, workspace = clock.issue(action, duration_s, now_bytes, resident)
        resident.update(new)
        if kind is ActionKind.FREE:
            resident.discard(target)
            now_bytes -= sizes[target]
        rows.append((start_s, duration_s, energies[kind][target], now_bytes + workspace))
    return _trace(problem, schedule, rows)


class _OneAfterTheOther:
    """Blocking and ignored transfers: an action starts when the one above it has ended."""

    def __init__(self, problem: Problem) -> None:
        self._ops = problem.costed.graph.ops
        self._now_s = 0.0

    def issue(
        self,
        action: Action,
        duration_s: float,
        now_bytes: int,  # noqa: ARG002 - as _Lanes.issue
        resident: Set[int],  # noqa: ARG002 - as _Lanes.issue
    ) -> tuple[float, int]:
        """When the action starts, and the bytes of workspace in use at that instant."""
        start_s, self._now_s = self._now_s, self._now_s + duration_s
        return start_s, self._ops[action.target].workspace_bytes if action.kind.runs_op else 0


class _Lanes:
    """Overlapped transfers: when each lane falls idle and until when each tensor is busy.

    made_s, read_s : per tensor, the end of what last made it and of the last action reading it.
    written_s : per tensor in storage, the end of its first page-out, 0 when it began there.
    """

    def __init__(self, problem: Problem) -> None:
        graph = problem.costed.graph
        self._graph = graph
        self._ram_bytes = problem.budgets.ram_bytes
        self._issued_s = self._processor_s = self._transfer_s = 0.0
        self._workspace = 0
        self._made_s = [0.0] * len(graph.tensors)
        self._read_s = [0.0] * len(graph.tensors)
        self._written_s: dict[int, float] = {
            i: 0.0 for i, tensor in enumerate(graph.tensors) if tensor.in_storage_at_start
        }

    def issue(
        self, action: Action, duration_s: float, now_bytes: int, resident: Set[int]
    ) -> tuple[float, int]:
        """When the action starts, and the bytes of workspace in use at that instant.

        `now_bytes` : RAM with the action's outputs. `resident` : tensors in RAM before it.
        """
        kind, target = action.kind, action.target
        if kind.runs_op:
            start_s = self._run(target, duration_s, resident)
            workspace = self._workspace
        else:
            start_s = self._page_or_free(kind, target, duration_s, now_bytes)
            workspace = self._workspace_at(start_s)
        self._issued_s = start_s
        return start_s, workspace

    def _run(self, op: int, duration_s: float, resident: Set[int]) -> float:
        reads, makes = self._graph.op_inputs[op], self._graph.op_outputs[op]
        replaced = [i for i in makes if i in resident]
        start_s = max(
            self._issued_s,
            self._processor_s,
            *(self._made_s[i] for i in reads),
            *(max(self._made_s[i], self._read_s[i]) for i in replaced),
        )
        end_s = self._processor_s = start_s + duration_s
        self._workspace = self._graph.ops[op].workspace_bytes
        for i in reads:
            self._read_s[i] = max(self._read_s[i], end_s)
        for i in makes:
            self._made_s[i] = end_s
        return start_s

    def _page_or_free(
        self, kind: ActionKind, target: int, duration_s: float, now_bytes: int
    ) -> float:
        if kind is ActionKind.FREE:
            return max(self._issued_s, self._made_s[target], self._read_s[target])
        start_s = max(self._issued_s, self._transfer_s)
        if kind is ActionKind.PAGE_IN:
            start_s = max(start_s, self._written_s.get(target, 0.0))
            if now_bytes + self._workspace_at(start_s) > self._ram_bytes:
                start_s = max(start_s, self._processor_s)
            end_s = self._made_s[target] = start_s + duration_s
        else:
            start_s = max(start_s, self._made_s[target])
            end_s = start_s + duration_s
            self._read_s[target] = max(self._read_s[target], end_s)
            self._written_s.setdefault(target, end_s)
        self._transfer_s = end_s
        return start_s

    def _workspace_at(self, time_s: float) -> int:
        """Workspace of the op that runs at that instant."""
        return self._workspace if not at_or_after(time_s, self._processor_s) else 0


def at_or_after(time_s: float, other_s: float) -> bool:
    """Whether `time_s` is not before `other_s`, but for the rounding of the sums behind both."""
    return time_s >= other_s - CLOCK_ROUNDING * max(1.0, other_s)


def _prices(
    problem: Problem,
) -> tuple[Mapping[ActionKind, Sequence[float]], Mapping[ActionKind, Sequence[float]]]:
    """Seconds and joules of every kind of action, by target; a free lasts and costs nothing."""
    costed = problem.costed
    page_in_s, page_out_s = problem.transfer_durations_s()
    op_s, op_j = costed.op_duration_s.tolist(), costed.op_energy_j.tolist()
    nothing = (0.0,) * len(costed.tensor_bytes)
    durations = {
        ActionKind.COMPUTE: op_s,
        ActionKind.RECOMPUTE: op_s,
        ActionKind.PAGE_IN: page_in_s,
        ActionKind.PAGE_OUT: page_out_s,
        ActionKind.FREE: nothing,
    }
    energies = {
        ActionKind.COMPUTE: op_j,
        ActionKind.RECOMPUTE: op_j,
        ActionKind.PAGE_IN: costed.page_in_j.tolist(),
        ActionKind.PAGE_OUT: costed.page_out_j.tolist(),
        ActionKind.FREE: nothing,
    }
    return durations, energies


def _made_by(action: Action, op_outputs: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    if action.kind.runs_op:
        return op_outputs[action.target]
    return (action.target,) if action.kind is ActionKind.PAGE_IN else ()


def _trace(
    problem: Problem, schedule: Schedule, rows: list[tuple[float, float, float, int]]
) -> Trace:
    floats = np.array([row[:3] for row in rows], dtype=np.float64).reshape(-1, 3).T.copy()
    resident = np.array([row[3] for row in rows], dtype=np.int64)
    floats.setflags(write=False)
    resident.setflags(write=False)
    return Trace(problem, schedule, floats[0], floats[1], floats[2], resident)
