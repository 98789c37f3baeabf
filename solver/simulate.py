"""Executing a schedule on paper: start, duration, energy and resident bytes of every action."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solver.costs import FloatArray
from solver.device import IoMode
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule


@dataclass(frozen=True, eq=False)
class Trace:
    """A schedule executed; arrays are read-only, shape (actions,), in issue order.

    start_s, duration_s, energy_j : seconds and joules per action; a free lasts and costs 0.
    resident_bytes : RAM at the instant an action is issued, fixed bytes included; for a free, RAM
        after it.
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
    """Execute `schedule` in blocking or ignored I/O; trusts it to be legal (the verifier does not).

    Raises ValueError for overlapped I/O: such problems become blocking before they get here.
    """
    if problem.switches.io is IoMode.OVERLAPPED:
        raise ValueError("overlapped transfers are solved as blocking; see Problem.switches.io")
    graph, sizes = problem.costed.graph, problem.costed.tensor_bytes
    durations, energies = _prices(problem)
    resident: set[int] = set()
    now_s, now_bytes = 0.0, graph.fixed_bytes
    rows: list[tuple[float, float, float, int]] = []
    for action in schedule.actions:
        kind, target = action.kind, action.target
        workspace = 0
        if kind is ActionKind.FREE:
            resident.discard(target)
            now_bytes -= sizes[target]
        else:
            # What is made again while resident is replaced: it counts once.
            new = [i for i in _made_by(action, graph.op_outputs) if i not in resident]
            resident.update(new)
            now_bytes += sum(sizes[i] for i in new)
            workspace = graph.ops[target].workspace_bytes if kind.runs_op else 0
        duration_s = durations[kind][target]
        rows.append((now_s, duration_s, energies[kind][target], now_bytes + workspace))
        now_s += duration_s
    return _trace(problem, schedule, rows)


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
