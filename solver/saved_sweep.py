"""Saved sweeps: whether all that they say is true, and how an earlier one is taken up again."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from msgspec import to_builtins

from solver import api
from solver.brackets import Brackets
from solver.codec.outcome import outcome_of
from solver.codec.sweep_documents import PointDocument, SweepDocument, result_of
from solver.errors import Issue, ModelError, UsageError
from solver.graph import TrainingGraph
from solver.outcome import BOUND_SLACK, Failed, StopReason
from solver.problem import Budgets
from solver.recording import learn
from solver.saved import faults_of, problem_of
from solver.strategies.registry import PROVING
from solver.sweep_run import StrategySweep

_EFFORT: Final = frozenset({"strategy", "paging", "recompute", "gap", "time_limit_s", "work_limit",
                     "threads", "seed"})  # fmt: skip
"""Settings that two sweeps of one question may differ in; the switches are compared per point."""


def sweep_faults(document: SweepDocument, graph: TrainingGraph | None = None) -> tuple[str, ...]:
    """Every way in which a full sweep is wrong, in sentences; empty when all of it holds.

    Raises
    ------
    ModelError
        The sweep is not a full one, or a point names what its graph does not have.
    """
    if not all(point.is_full for point in document.points):
        hint = "make the sweep with --full"
        raise ModelError(Issue("the sweep holds no schedules that could be verified", "", hint))
    faults = [*_head_faults(document), *_axis_faults(document), *_order_faults(document.points)]
    for position, point in enumerate(document.points):
        found = faults_of(result_of(point), graph)
        faults += [f"points[{position}]: {fault}" for fault in found]
    return tuple(faults) or tuple(_contradictions(document, graph))


def _head_faults(document: SweepDocument) -> Iterator[str]:
    """What stands once at the top is what every point says."""
    for position, point in enumerate(document.points):
        for name in ("model", "device", "floor_bytes", "plain_peak_bytes"):
            if getattr(point, name) != getattr(document, name):
                yield f"points[{position}].{name} is not that of the sweep"


def _axis_faults(document: SweepDocument) -> Iterator[str]:
    """Along one axis, the other budget is the same for every point."""
    budgets = [point.budgets for point in document.points]
    if document.axis == "ram" and len({each.runtime_s for each in budgets}) > 1:
        yield "axis: ram, but the points have several runtime limits"
    if document.axis == "runtime" and len({each.ram_bytes for each in budgets}) > 1:
        yield "axis: runtime, but the points have several RAM budgets"


def _order_faults(points: Sequence[PointDocument]) -> Iterator[str]:
    for position in range(1, len(points)):
        if points[position].budget.ram_bytes < points[position - 1].budget.ram_bytes:
            yield f"points[{position}] is out of order: less RAM than the one before"


def _contradictions(document: SweepDocument, graph: TrainingGraph | None) -> Iterator[str]:
    """A bound proven for one budget that a schedule of a tighter one undercuts."""
    known: dict[str, Brackets] = {}
    for point in document.points:
        strategy = point.settings.strategy
        if strategy not in PROVING:
            continue
        result = result_of(point)
        problem = problem_of(result, graph)
        brackets = known.setdefault(strategy, Brackets(problem))
        learn(brackets, problem.budgets, outcome_of(result, problem))
    for strategy, brackets in known.items():
        for bound in brackets.refuted:
            at = f"{bound.budgets.ram_bytes} B"
            yield f"{strategy}: the bound of {bound.bound_j} J at {at} lies above a schedule's"


def take_up(
    document: SweepDocument, sweeps: Mapping[str, StrategySweep], expected: SweepDocument
) -> list[PointDocument]:
    """Take an earlier sweep's answers into `sweeps` (by strategy); the points taken up.

    Points that have no answer (none in the limit, cancelled, failed) are solved again, and so are
    those whose schedule does not stand up to the verifier. A point without actions counts by its
    figures. `expected` is the document of the new sweep, still without points.

    Raises
    ------
    UsageError
        The earlier sweep is of another model, device, axis or graph; every difference is named.
    ModelError
        A point contradicts itself or names what the graph does not have.
    """
    differences = [*_other_question(document, expected)]
    if differences:
        raise UsageError(differences)
    taken = []
    for position, point in enumerate(document.points):
        sweep = sweeps.get(point.settings.strategy)
        if sweep is None or not _answered(point) or not _same_switches(point, sweep):
            continue
        if _take(point, sweep, f"points[{position}]"):
            taken.append(point)
    return taken


def _other_question(document: SweepDocument, expected: SweepDocument) -> Iterator[Issue]:
    for name in ("axis", "model", "device", "floor_bytes", "plain_peak_bytes", "settings"):
        old, new = (to_builtins(getattr(each, name)) for each in (document, expected))
        if name == "settings":
            old, new = (
                {key: value for key, value in each.items() if key not in _EFFORT}
                for each in (old, new)
            )
        if old != new:
            yield Issue(f"the earlier sweep has another {name}", "--resume", "make a new sweep")


def _same_switches(point: PointDocument, sweep: StrategySweep) -> bool:
    switches, settings = sweep.problem.switches, point.settings
    same = (settings.paging, settings.recompute) == (switches.paging, switches.recompute)
    return same and settings.io is switches.io


def _answered(point: PointDocument) -> bool:
    solved = point.status in {"optimal", "feasible"} and point.stop_reason is not None
    return point.status == "infeasible" or (
        solved and point.stop_reason is not StopReason.CANCELLED
    )


def _on_axis(budgets: Budgets, sweep: StrategySweep) -> bool:
    """The budget that the new sweep keeps fixed has the same value."""
    fixed, axis = sweep.problem.budgets, sweep.settings.axis
    if axis == "ram":
        return budgets.runtime_s == fixed.runtime_s
    return axis == "map" or budgets.ram_bytes == fixed.ram_bytes


def _take(point: PointDocument, sweep: StrategySweep, where: str) -> bool:
    budgets = point.budgets
    if not _on_axis(budgets, sweep):
        return False
    if not point.is_full:
        _take_figures(point, budgets, sweep, where)
        return True
    problem = replace(sweep.problem, budgets=budgets)
    outcome = api.audited(outcome_of(result_of(point), problem))
    if isinstance(outcome, Failed):
        return False
    sweep.take_saved(budgets, outcome)
    return True


def _take_figures(point: PointDocument, budgets: Budgets, sweep: StrategySweep, where: str) -> None:
    if point.status == "infeasible":
        sweep.take_figures(budgets, None, math.inf)
        return
    peak, runtime, energy = point.peak_bytes, point.runtime_s, point.energy_j.total
    bound = point.bound_j
    if peak is None or runtime is None or energy is None or bound is None:
        raise ModelError(Issue(f"is {point.status}, yet figures are missing", where))
    fits = peak <= budgets.ram_bytes and budgets.allow_runtime(runtime)
    baseline_j = sweep.problem.costed.baseline_energy_j
    if not (
        fits and baseline_j * (1 - BOUND_SLACK) <= energy and bound <= energy * (1 + BOUND_SLACK)
    ):
        raise ModelError(Issue("its peak, runtime, energy and bound contradict each other", where))
    sweep.take_figures(budgets, (peak, runtime, energy), min(bound, energy))
