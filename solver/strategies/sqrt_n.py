"""The rule of thumb: a checkpoint about every square root of the layers (Chen et al. 2016)."""

from dataclasses import dataclass
from itertools import chain
from time import perf_counter

from solver.brackets import NOTHING_KNOWN, Known
from solver.events import Incumbent, Report, Started
from solver.explain import finished, no_answer, too_little_ram, too_little_time
from solver.outcome import Outcome, Progress, SolverRecord, StopReason
from solver.overlap import arranged
from solver.problem import Problem, SolveOptions
from solver.simulate import Trace
from solver.staged import stage
from solver.strategies.base import Cancel
from solver.strategies.plain import keep_all, misfit
from solver.strategies.segments import forward_pass, segmentations, segmented
from solver.verify import verify


@dataclass(frozen=True, slots=True)
class SqrtNStrategy:
    """The cheapest schedule that keeps only what crosses between segments of the forward pass.

    The number of segments is chosen: about the square root of the layers needs least RAM, more of
    them cost less energy. The bound is the baseline; "does not fit" is said of this strategy alone.
    """

    name: str
    summary: str
    paging: bool | None = False
    recompute: bool | None = None

    def solve(
        self,
        problem: Problem,
        options: SolveOptions,  # noqa: ARG002 - a few dozen schedules, none of them searched for
        report: Report,
        cancel: Cancel,
        known: Known = NOTHING_KNOWN,  # noqa: ARG002 - other schedules do not help
    ) -> Outcome:
        """The cheapest that fits, verified; infeasible when none does ("needs N B").

        Cancelled, it is the cheapest of those looked at, and without one there is no answer.
        """
        began = perf_counter()
        report(Started(0.0, self.name))
        record = SolverRecord(self.name, "none", "", 0.0)
        limits = too_little_ram(problem, record) or too_little_time(problem, record)
        if limits is not None:
            return limits
        best, closest = _choose(problem, cancel)
        if best is None and cancel.requested:
            return no_answer(problem, StopReason.CANCELLED, record, None)
        if best is None:
            unfit = misfit(problem, closest.peak_bytes, closest.runtime_s, record)
            assert unfit is not None, "a schedule that fits would have been chosen"
            return unfit
        checked = verify(best.schedule, problem)
        assert checked.ok, checked.faults
        now, energy = perf_counter() - began, best.total_energy_j
        bound = problem.costed.baseline_energy_j
        report(Incumbent(now, self.name, best, energy, bound))
        history = (Progress(now, self.name, energy, bound),)
        record = SolverRecord(self.name, "none", "", now, now, history)
        why = "the cheapest of its segmentations, no search"
        return finished(best, bound, StopReason.WORK, record, why=why)


def _choose(problem: Problem, cancel: Cancel) -> tuple[Trace | None, Trace]:
    """The cheapest schedule that fits, and the one that comes closest to fitting."""
    staged = stage(problem)
    forward = forward_pass(staged)
    schedules = (segmented(forward, ends) for ends in segmentations(forward))
    best: Trace | None = None
    closest: Trace | None = None
    budgets = problem.budgets
    for schedule in chain((keep_all(staged),), schedules):  # no segment dropped is a way, too
        trace = arranged(schedule, problem)
        fits = trace.peak_bytes <= budgets.ram_bytes and budgets.allow_runtime(trace.runtime_s)
        if fits and (best is None or _cost(trace) < _cost(best)):
            best = trace
        if closest is None or _excess(trace) < _excess(closest):
            closest = trace
        if cancel.requested:
            break
    assert closest is not None, "there is always the way that keeps everything"
    return best, closest


def _cost(trace: Trace) -> tuple[float, int]:
    return trace.total_energy_j, trace.peak_bytes


def _excess(trace: Trace) -> tuple[int, float, int]:
    """RAM over the budget, then seconds: which schedule to name when none fits."""
    over = max(0, trace.peak_bytes - trace.problem.budgets.ram_bytes)
    return over, trace.runtime_s, trace.peak_bytes


SQRT_N = SqrtNStrategy(
    "sqrt-n", "Keep the borders of about sqrt(n) segments, make the rest again (Chen et al. 2016)."
)
