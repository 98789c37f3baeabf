"""The independent verifier: whether a schedule is legal and what is said of it true.

Shares no code with simulate, on purpose.
"""

from dataclasses import dataclass
from math import isclose

from solver.device import IoMode
from solver.graph import Phase
from solver.problem import Problem
from solver.schedule import ActionKind, Schedule


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
        self.runtime_s = 0.0
        self.faults: list[str] = []

    def fault(self, position: int, kind: ActionKind, name: str, what: str) -> None:
        self.faults.append(f"action {position}, {kind} {name}: {what}")

    def rise(self, tensor: int) -> None:
        if tensor not in self.resident:
            self.resident.add(tensor)
            self.ram_bytes += self.graph.tensors[tensor].bytes

    def count(self, *, extra_bytes: int = 0, energy_j: float, duration_s: float) -> None:
        self.peak_bytes = max(self.peak_bytes, self.ram_bytes + extra_bytes)
        self.energy_j += energy_j
        self.runtime_s += duration_s

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
        for name in op.outputs:
            self.rise(self.graph.tensor_index[name])
        self.count(
            extra_bytes=op.workspace_bytes,
            energy_j=float(self.costed.op_energy_j[target]),
            duration_s=float(self.costed.op_duration_s[target]),
        )

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
        if kind is ActionKind.PAGE_IN:
            transfer = device.page_in
            if target not in self.stored:
                self.fault(position, kind, tensor.name, "is not in storage")
            if target in self.resident:
                self.fault(position, kind, tensor.name, "is in RAM already")
            self.rise(target)
        else:
            transfer = device.page_out
            if target not in self.resident:
                self.fault(position, kind, tensor.name, "is not in RAM")
            self.stored.add(target)
        timed = self.problem.switches.io is not IoMode.IGNORED
        self.count(
            energy_j=transfer.joules(tensor.bytes),
            duration_s=transfer.seconds(tensor.bytes) if timed else 0.0,
        )

    def free(self, position: int, target: int) -> None:
        tensor = self.graph.tensors[target]
        if target not in self.resident:
            self.fault(position, ActionKind.FREE, tensor.name, "is not in RAM")
            return
        self.resident.remove(target)
        self.ram_bytes -= tensor.bytes

    def finish(self) -> Report:
        missing = [op.name for op, ran in zip(self.graph.ops, self.ran, strict=True) if not ran]
        if missing:
            self.faults.append(f"{len(missing)} ops never run, the first is {missing[0]}")
        budgets = self.problem.budgets
        if self.peak_bytes > budgets.ram_bytes:
            over = self.peak_bytes - budgets.ram_bytes
            self.faults.append(f"peak {self.peak_bytes} B is {over} B over the RAM budget")
        if not budgets.allow_runtime(self.runtime_s):
            limit = f"the limit of {budgets.runtime_s} s"
            self.faults.append(f"runtime {self.runtime_s} s is over {limit}")
        return Report(tuple(self.faults), self.peak_bytes, self.energy_j, self.runtime_s)


def verify(schedule: Schedule, problem: Problem) -> Report:
    """Replay `schedule` in exact integers; name faults of order, data, RAM, runtime, switches.

    An empty list of faults means that the schedule may be shown. Overlapped I/O is checked as
    blocking.
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
