"""The independent verifier: whether a schedule is legal and what is said of it true.

Shares no code with simulate, on purpose.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isclose
from typing import Final

from solver.device import IoMode
from solver.graph import Phase
from solver.problem import Problem
from solver.schedule import ActionKind, Schedule
from solver.text import counted, verb

_SAME_INSTANT_S: Final = 1e-9
"""Relative above a second: what the rounding of two sums of durations may put between instants."""


@dataclass(frozen=True, slots=True)
class Report:
    """`faults`: sentences, none when the schedule is legal; the figures are recounted here."""

    faults: tuple[str, ...]
    peak_bytes: int
    energy_j: float
    runtime_s: float

    @property
    def ok(self) -> bool:
        """True when no fault was found."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class _Running:
    """An action under way: until when, the tensors that it reads and makes, its workspace."""

    end_s: float
    reads: frozenset[int]
    makes: frozenset[int]
    workspace: int = 0

    def over(self, now_s: float) -> bool:
        """Whether its workspace is given back, rounding of the clock aside."""
        return self.end_s - now_s <= _SAME_INSTANT_S * max(1.0, self.end_s)


_NOTHING: Final = _Running(0.0, frozenset(), frozenset())


class _Machine:
    """The processor and the transfer unit: a clock that is moved on until an action may start.

    At most one action runs on each, so at any instant two actions say all there is to say about
    which tensors are in use.
    """

    def __init__(self, *, side_by_side: bool) -> None:
        self.side_by_side = side_by_side
        self.now_s = self.last_end_s = 0.0
        self.processor = self.transfer = _NOTHING
        self.written_s: dict[int, float] = {}

    def wait_for(self, *running: _Running) -> None:
        """Let time pass until these have ended."""
        self.now_s = max(self.now_s, *(action.end_s for action in running))

    def settle(self, tensors: Iterable[int], *, idle: bool) -> None:
        """Let time pass until no running action makes one of `tensors`; with `idle`, nor reads."""
        wanted = frozenset(tensors)
        for running in (self.processor, self.transfer):
            if wanted & running.makes or (idle and wanted & running.reads):
                self.wait_for(running)

    def start(self, seconds: float, reads: Iterable[int], makes: Iterable[int]) -> _Running:
        """An action begins now; side by side with what runs, or the clock goes on to its end."""
        begun = _Running(self.now_s + seconds, frozenset(reads), frozenset(makes))
        self.last_end_s = max(self.last_end_s, begun.end_s)
        if not self.side_by_side:
            self.now_s = begun.end_s
        return begun


class _Replay:
    """RAM, storage and history while the actions are gone through one by one."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.costed = problem.costed
        self.graph = problem.costed.graph
        self.resident: set[int] = set()
        self.stored = {i for i, t in enumerate(self.graph.tensors) if t.in_storage_at_start}
        self.ran = [False] * len(self.graph.ops)
        self.next_op = 0
        self.ram_bytes = self.graph.fixed_bytes
        self.peak_bytes = self.ram_bytes
        self.energy_j = 0.0
        self.machine = _Machine(side_by_side=problem.switches.io is IoMode.OVERLAPPED)
        self.faults: list[str] = []

    def fault(self, position: int, kind: ActionKind, name: str, what: str) -> None:
        self.faults.append(f"action {position}, {kind} {name}: {what}")

    def rise(self, tensor: int) -> None:
        if tensor not in self.resident:
            self.resident.add(tensor)
            self.ram_bytes += self.graph.tensors[tensor].bytes

    def count(self, *, workspace: int, energy_j: float) -> None:
        self.peak_bytes = max(self.peak_bytes, self.ram_bytes + workspace)
        self.energy_j += energy_j

    def run(self, position: int, kind: ActionKind, target: int) -> None:
        op = self.graph.ops[target]
        first = kind is ActionKind.COMPUTE
        if first and self.ran[target]:
            self.fault(position, kind, op.name, "has run before")
        if first and target != self.next_op:
            self.fault(position, kind, op.name, f"out of order, {self._expected()} comes next")
        if first:
            self.next_op = target + 1
        if not first and not self.ran[target]:
            self.fault(position, kind, op.name, "has never run")
        if not first and (op.phase is not Phase.FORWARD or not op.recomputable):
            self.fault(position, kind, op.name, "may not run twice")
        if not first and not self.problem.switches.recompute:
            self.fault(position, kind, op.name, "recomputing is switched off")
        for name in op.inputs:
            if self.graph.tensor_index[name] not in self.resident:
                self.fault(position, kind, op.name, f"its input {name} is not in RAM")
        self.ran[target] = True
        self._begin_op(target)
        self.count(workspace=op.workspace_bytes, energy_j=float(self.costed.op_energy_j[target]))

    def _begin_op(self, target: int) -> None:
        """The processor takes the op up once its inputs are there and its outputs in no use."""
        machine, op = self.machine, self.graph.ops[target]
        reads = [self.graph.tensor_index[name] for name in op.inputs]
        makes = [self.graph.tensor_index[name] for name in op.outputs]
        machine.wait_for(machine.processor)
        machine.settle(reads, idle=False)
        machine.settle([i for i in makes if i in self.resident], idle=True)
        begun = machine.start(float(self.costed.op_duration_s[target]), reads, makes)
        machine.processor = replace(begun, workspace=op.workspace_bytes)
        for tensor in makes:
            self.rise(tensor)

    def _expected(self) -> str:
        return (
            self.graph.ops[self.next_op].name if self.next_op < len(self.graph.ops) else "nothing"
        )

    def page(self, position: int, kind: ActionKind, target: int) -> None:
        tensor = self.graph.tensors[target]
        device = self.costed.device
        if not self.problem.switches.paging:
            self.fault(position, kind, tensor.name, "paging is switched off")
        if not tensor.pageable:
            self.fault(position, kind, tensor.name, "is not pageable")
        timed = self.problem.switches.io is not IoMode.IGNORED
        self.machine.wait_for(self.machine.transfer)
        if kind is ActionKind.PAGE_IN:
            transfer = device.page_in
            if target not in self.stored:
                self.fault(position, kind, tensor.name, "is not in storage")
            if target in self.resident:
                self.fault(position, kind, tensor.name, "is in RAM already")
            self._begin_page_in(target, transfer.seconds(tensor.bytes) if timed else 0.0)
        else:
            transfer = device.page_out
            if target not in self.resident:
                self.fault(position, kind, tensor.name, "is not in RAM")
            self._begin_page_out(target, transfer.seconds(tensor.bytes) if timed else 0.0)
        self.count(workspace=self._workspace(), energy_j=transfer.joules(tensor.bytes))

    def _begin_page_in(self, target: int, seconds: float) -> None:
        """The transfer unit reads from storage once that is written and RAM has room for it."""
        machine = self.machine
        self.rise(target)
        machine.now_s = max(machine.now_s, machine.written_s.get(target, 0.0))
        if self.ram_bytes + self._workspace() > self.problem.budgets.ram_bytes:
            machine.wait_for(machine.processor)
        machine.transfer = machine.start(seconds, (), (target,))

    def _begin_page_out(self, target: int, seconds: float) -> None:
        """The transfer unit writes to storage once the tensor is there."""
        machine = self.machine
        machine.settle((target,), idle=False)
        machine.transfer = machine.start(seconds, (target,), ())
        self.stored.add(target)
        machine.written_s.setdefault(target, machine.transfer.end_s)

    def _workspace(self) -> int:
        """Bytes of workspace that the op now running holds."""
        processor = self.machine.processor
        return 0 if processor.over(self.machine.now_s) else processor.workspace

    def free(self, position: int, target: int) -> None:
        tensor = self.graph.tensors[target]
        if target not in self.resident:
            self.fault(position, ActionKind.FREE, tensor.name, "is not in RAM")
            return
        self.machine.settle((target,), idle=True)
        self.resident.remove(target)
        self.ram_bytes -= tensor.bytes

    def finish(self) -> Report:
        missing = [op.name for op, ran in zip(self.graph.ops, self.ran, strict=True) if not ran]
        if missing:
            never = f"never {verb(len(missing), 'runs', 'run')}, the first is {missing[0]}"
            self.faults.append(f"{counted(len(missing), 'op')} {never}")
        budgets = self.problem.budgets
        if self.peak_bytes > budgets.ram_bytes:
            over = self.peak_bytes - budgets.ram_bytes
            self.faults.append(f"peak {self.peak_bytes} B is {over} B over the RAM budget")
        runtime_s = self.machine.last_end_s
        if not budgets.allow_runtime(runtime_s):
            limit = f"the limit of {budgets.runtime_s} s"
            self.faults.append(f"runtime {runtime_s} s is over {limit}")
        return Report(tuple(self.faults), self.peak_bytes, self.energy_j, runtime_s)


def verify(schedule: Schedule, problem: Problem) -> Report:
    """Replay `schedule` in exact integers; name faults of order, data, RAM, runtime, switches.

    An empty list of faults means that the schedule may be shown. An action that would have to start
    before what it needs is there, waits: that costs time, and is no fault.
    """
    replay = _Replay(problem)
    sizes = (len(replay.graph.ops), len(replay.graph.tensors))
    for position, action in enumerate(schedule.actions):
        if not 0 <= action.target < sizes[0 if action.kind.runs_op else 1]:
            replay.faults.append(
                f"action {position}, {action.kind}: no such target {action.target}"
            )
        elif action.kind.runs_op:
            replay.run(position, action.kind, action.target)
        elif action.kind is ActionKind.FREE:
            replay.free(position, action.target)
        else:
            replay.page(position, action.kind, action.target)
    return replay.finish()


def verify_figures(
    schedule: Schedule, problem: Problem, *, peak_bytes: int, energy_j: float, runtime_s: float
) -> Report:
    """As `verify`; the stated peak (to the byte), energy and runtime (1e-9) must be true."""
    report = verify(schedule, problem)
    faults = list(report.faults)
    if peak_bytes != report.peak_bytes:
        faults.append(f"peak stated {peak_bytes} B, is {report.peak_bytes} B")
    if not isclose(energy_j, report.energy_j, rel_tol=1e-9, abs_tol=1e-15):
        faults.append(f"energy stated {energy_j} J, is {report.energy_j} J")
    if not isclose(runtime_s, report.runtime_s, rel_tol=1e-9, abs_tol=1e-15):
        faults.append(f"runtime stated {runtime_s} s, is {report.runtime_s} s")
    return Report(tuple(faults), report.peak_bytes, report.energy_j, report.runtime_s)
