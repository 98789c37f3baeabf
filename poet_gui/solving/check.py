"""The window's own check of what a solve process reports: nothing unverified is ever shown."""

from solver.events import Event, Finished, Incumbent
from solver.messages import SolveEvent, SolveIncumbent
from solver.outcome import Feasible, Optimal, bound_clash, bound_faults
from solver.packing import unpack_event
from solver.problem import Problem
from solver.simulate import Trace
from solver.verify import verify_figures


def unpack_checked(message: SolveEvent, problem: Problem) -> tuple[Event | None, tuple[str, ...]]:
    """Turn the message into an event, or into the faults for which it must not be shown."""
    try:
        event = unpack_event(message, problem)
    except (ValueError, IndexError, KeyError) as error:
        return None, (f"the answer contradicts itself: {error}",)
    faults = _faults(event, message, problem)
    return (None, faults) if faults else (event, ())


def _faults(event: Event, message: SolveEvent, problem: Problem) -> tuple[str, ...]:
    match event:
        case Incumbent(trace=trace, bound_j=bound_j):
            stated_j = message.energy_j if isinstance(message, SolveIncumbent) else 0.0
            return (*_trace_faults(trace, problem, stated_j), *bound_clash(stated_j, bound_j))
        case Finished(outcome=Optimal() | Feasible() as outcome):
            trace = outcome.trace
            faults = _trace_faults(trace, problem, trace.total_energy_j)
            return (*faults, *bound_faults(outcome))
        case _:
            return ()


def _trace_faults(trace: Trace, problem: Problem, stated_j: float) -> tuple[str, ...]:
    return verify_figures(
        trace.schedule,
        problem,
        peak_bytes=trace.peak_bytes,
        energy_j=stated_j,
        runtime_s=trace.runtime_s,
    ).faults
