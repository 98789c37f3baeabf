"""Executing a schedule on paper: start, duration, energy and resident bytes of every action."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solver.costs import FloatArray
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule


@dataclass(frozen=True, eq=False)
class Trace:
    """A schedule executed; arrays are read-only, shape (actions,), in issue order.

    start_s, duration_s, energy_j : seconds and joules per action; a free lasts and costs 0.
    resident_bytes : RAM at the instant an action is issued, fixed bytes included; for a free, RAM after it.
    """

    problem: Problem
    schedule: Schedule
    start_s: FloatArray
    duration_s: FloatArray
    energy_j: FloatArray
    resident_bytes: NDArray[np.int64]

    @cached_property
    def total_energy_j(self) -> float:
        """Energy of the whole step, joules."""
        return float(self.energy_j.sum())

    @cached_property
    def runtime_s(self) -> float:
        """The latest end, seconds."""
        return float((self.start_s + self.duration_s).max()) if len(self.start_s) else 0.0

    @cached_property
    def peak_bytes(self) -> int:
        """The most RAM in use at any instant."""
        return int(self.resident_bytes.max()) if len(self.resident_bytes) else 0

    def energy_by_kind_j(self) -> dict[ActionKind, float]:
        """Joules per kind of action; every kind is present."""
        kinds = np.array([action.kind.value for action in self.schedule.actions])
        return {kind: float(self.energy_j[kinds == kind.value].sum()) for kind in ActionKind}


class _Clock:
    """Blocking time: one action after the other."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def run(self, duration_s: float) -> float:
        start_s = self.now_s
        self.now_s += duration_s
        return start_s


def simulate(schedule: Schedule, problem: Problem) -> Trace:
    """Execute `schedule` in blocking or ignored I/O; trusts it to be legal (the verifier does not).

    Raises ValueError for overlapped I/O: such problems are lowered to blocking before they get here.
    """
    if problem.switches.io == "overlapped":
        raise ValueError("overlapped transfers are solved as blocking; see Problem.switches.io")
    costed, graph = problem.costed, problem.costed.graph
    page_in_s, page_out_s = problem.transfer_durations_s()
    clock, resident, now_bytes = _Clock(), set[int](), graph.fixed_bytes
    rows: list[tuple[float, float, float, int]] = []
    for action in schedule.actions:
        kind, target = action.kind, action.target
        made = _made_by(action, graph.op_outputs)
        new = [i for i in made if i not in resident]
        resident.update(new)
        now_bytes += sum(costed.tensor_bytes[i] for i in new)
        workspace = graph.ops[target].workspace_bytes if kind.runs_op else 0
        if kind.runs_op:
            duration, energy = (
                float(costed.op_duration_s[target]),
                float(costed.op_energy_j[target]),
            )
        elif kind is ActionKind.PAGE_IN:
            duration, energy = page_in_s[target], float(costed.page_in_j[target])
        elif kind is ActionKind.PAGE_OUT:
            duration, energy = page_out_s[target], float(costed.page_out_j[target])
        else:
            duration, energy = 0.0, 0.0
            resident.discard(target)
            now_bytes -= costed.tensor_bytes[target]
        rows.append((clock.run(duration), duration, energy, now_bytes + workspace))
    return _trace(problem, schedule, rows)


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
