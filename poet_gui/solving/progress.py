"""How a solve's status grows with each event, and what a solve is worth that ended too early."""

from dataclasses import replace
from typing import Final, assert_never

from poet_gui.explorer import Explorer
from poet_gui.solving.status import Phase, Point, SolveStatus, Step
from solver.events import Bound, Event, Finished, Incumbent, Started, StepChanged
from solver.explain import finished
from solver.outcome import Failed, NoAnswer, Outcome, Progress, SolverRecord, StopReason

_CURVE_LIMIT: Final = 2000
"""Points kept per curve; a solve that reports more loses old bounds, never the latest."""


def started(now_s: float) -> SolveStatus:
    """The status of a solve that has just been sent; `now_s` on the monotonic clock."""
    return SolveStatus(Phase.BUILDING, started_at=now_s)


def with_event(status: SolveStatus, event: Event) -> SolveStatus:
    """The status after `event`."""
    match event:
        case Started(t_s=t_s, step=step) | StepChanged(t_s=t_s, step=step):
            phase = status.phase if status.phase is not Phase.BUILDING else Phase.SOLVING
            return replace(status, phase=phase, steps=(*status.steps, Step(t_s, step)))
        case Incumbent(t_s=t_s, energy_j=energy_j, bound_j=bound_j):
            phase = Phase.STOPPING if status.phase is Phase.STOPPING else Phase.IMPROVING
            grown = replace(
                status,
                phase=phase,
                incumbents=(*status.incumbents, Point(t_s, energy_j))[-_CURVE_LIMIT:],
            )
            return _with_bound(grown, t_s, bound_j)
        case Bound(t_s=t_s, bound_j=bound_j):
            return _with_bound(status, t_s, bound_j)
        case Finished(t_s=t_s):
            return replace(status, wall_s=t_s)
        case _:
            assert_never(event)


def _with_bound(status: SolveStatus, t_s: float, bound_j: float) -> SolveStatus:
    best_j = status.bound_j
    if best_j is not None and bound_j <= best_j:
        return status
    return replace(status, bounds=(*status.bounds, Point(t_s, bound_j))[-_CURVE_LIMIT:])


def ended_early(core: Explorer, why: str, details: str = "") -> Finished:
    """The end of a solve whose own answer will never come: its best schedule is kept.

    With a schedule the outcome is feasible; without one it is failed if there are details, which
    means that something broke, else no answer.
    """
    status, problem = core.status, core.problem
    t_s = max([0.0, *(point.t_s for point in (*status.incumbents, *status.bounds))])
    history = tuple(Progress(p.t_s, "", p.joules, status.bound_j or 0.0) for p in status.incumbents)
    first_s = status.incumbents[0].t_s if status.incumbents else None
    record = SolverRecord(core.options.strategy, "", "", t_s, first_s, history)
    best = core.best_trace if status.incumbents else None
    outcome: Outcome
    if best is not None and problem is not None:
        bound_j = status.bound_j or problem.costed.baseline_energy_j
        outcome = finished(replace(best, problem=problem), bound_j, StopReason.CANCELLED, record)
    elif details:
        outcome = Failed(f"No schedule was found: {why}.", record, details)
    else:
        message = f"No schedule had been found: {why}."
        outcome = NoAnswer(StopReason.CANCELLED, message, record, status.bound_j)
    return Finished(t_s, outcome)
