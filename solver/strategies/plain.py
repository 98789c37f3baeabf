"""The two strategies that decide nothing: keep every tensor, or page every tensor."""

from dataclasses import dataclass
from time import perf_counter

from solver.brackets import NOTHING_KNOWN, Known
from solver.events import Incumbent, Report, Started
from solver.explain import exact_bytes, finished, too_little_ram, too_little_time
from solver.lowering import Run, lower
from solver.outcome import (
    Infeasible,
    Limit,
    Outcome,
    Progress,
    Reason,
    SolverRecord,
    StopReason,
)
from solver.overlap import arranged
from solver.problem import Problem, SolveOptions
from solver.schedule import Schedule
from solver.staged import StagedProblem, mask_of, stage
from solver.strategies.base import Cancel
from solver.units import format_seconds
from solver.verify import verify


def keep_all(staged: StagedProblem) -> Schedule:
    """Every op once, each tensor freed after its last reader."""
    return lower(staged, _held_runs(staged, held=(1 << staged.tensors) - 1), paged=0)


def page_all(staged: StagedProblem) -> Schedule:
    """Every op once; every tensor that may leaves RAM at once unless the next op reads it.

    Reaches the floor when all tensors are pageable: while an op runs, only its inputs, its outputs
    and the tensors that cannot be paged are in RAM.
    """
    pageable = mask_of([i for i in range(staged.tensors) if staged.may_page[i]])
    held = ((1 << staged.tensors) - 1) & ~pageable
    paged = staged.waiting & pageable & ~staged.stored
    return lower(staged, _held_runs(staged, held), paged)


def _held_runs(staged: StagedProblem, held: int) -> list[Run]:
    """One run per op; tensors of `held` stay until their last reader, others only while in use."""
    runs: list[Run] = []
    alive = 0
    dying = [0] * staged.stages
    for i, readers in enumerate(staged.readers):
        dying[readers[-1] if readers else staged.producer[i]] |= 1 << i
    for op in range(staged.stages):
        runs.append(Run(op, staged.op_in[op] | (alive & held)))
        alive = (alive | staged.op_out[op]) & ~dying[op]
    return runs


def misfit(
    problem: Problem, peak_bytes: int, runtime_s: float, record: SolverRecord
) -> Infeasible | None:
    """Infeasible when what a strategy needs breaks a budget ("this strategy needs N B")."""
    budgets = problem.budgets
    if peak_bytes > budgets.ram_bytes:
        missing = peak_bytes - budgets.ram_bytes
        reason = Reason(Limit.RAM, None, (), peak_bytes, missing, exact=True)
        return Infeasible(reason, f"this strategy needs {exact_bytes(peak_bytes)} of RAM", record)
    if budgets.runtime_s is not None and not budgets.allow_runtime(runtime_s):
        missing_s = runtime_s - budgets.runtime_s
        reason = Reason(Limit.RUNTIME, None, (), runtime_s, missing_s, exact=True)
        return Infeasible(reason, f"this strategy needs {format_seconds(runtime_s)}", record)
    return None


@dataclass(frozen=True, slots=True)
class PlainStrategy:
    """A strategy with one schedule; its bound is the baseline: no schedule can cost less."""

    name: str
    summary: str
    pages: bool
    paging: bool | None = None
    recompute: bool | None = None

    def solve(
        self,
        problem: Problem,
        options: SolveOptions,  # noqa: ARG002 - there is nothing to search, so nothing to limit
        report: Report,
        cancel: Cancel,  # noqa: ARG002 - done before anybody could ask
        known: Known = NOTHING_KNOWN,  # noqa: ARG002 - there is but one schedule
    ) -> Outcome:
        """The one schedule, verified; infeasible when it does not fit ("needs N B")."""
        began = perf_counter()
        report(Started(0.0, self.name))
        record = SolverRecord(self.name, "none", "", 0.0)
        staged = stage(problem)
        limits = too_little_ram(problem, record) or too_little_time(problem, record)
        if limits is not None:
            return limits
        schedule = page_all(staged) if self.pages else keep_all(staged)
        trace = arranged(schedule, problem)
        schedule = trace.schedule
        unfit = misfit(problem, trace.peak_bytes, trace.runtime_s, record)
        if unfit is not None:
            return unfit
        checked = verify(schedule, problem)
        assert checked.ok, checked.faults
        now = perf_counter() - began
        bound = problem.costed.baseline_energy_j
        report(Incumbent(now, self.name, trace, trace.total_energy_j, bound))
        history = (Progress(now, self.name, trace.total_energy_j, bound),)
        record = SolverRecord(self.name, "none", "", perf_counter() - began, now, history)
        return finished(trace, bound, StopReason.WORK, record, why="its only schedule, no search")


KEEP_ALL = PlainStrategy("keep-all", "Keep every tensor in RAM until its last reader.", pages=False)
PAGE_ALL = PlainStrategy(
    "page-all", "Page every tensor out and in again for each reader.", pages=True
)
