"""The whole pipeline as a few calls: load and expand, choose a device, state a problem, solve.

The command line, the solve process and the window all go through these: one question has one
answer everywhere.
"""

import math
import time
from collections.abc import Callable, Sequence
from fractions import Fraction

from solver.brackets import NOTHING_KNOWN, Known
from solver.costs import price
from solver.device import Device, IoMode
from solver.device_files import load_device
from solver.errors import Issue, UsageError
from solver.events import Event, Finished
from solver.graph import TrainingGraph
from solver.graph_request import GraphRequest
from solver.loading import BUILT_IN, LoadedModel, load_training_graph
from solver.outcome import Failed, Feasible, Optimal, Outcome, bound_faults
from solver.problem import MAX_SEED, MAX_THREADS, Budgets, Problem, SolveOptions, Switches
from solver.strategies.base import Cancel
from solver.strategies.registry import adapt, get_strategy
from solver.units import MAX_BYTES, MAX_SECONDS
from solver.verify import verify_figures

__all__ = [
    "BUILT_IN",
    "GraphRequest",
    "LoadedModel",
    "audited",
    "check_options",
    "load_device",
    "load_training_graph",
    "make_problem",
    "solve",
]


def make_problem(
    graph: TrainingGraph,
    device: Device,
    *,
    ram: int | None = None,
    ram_ratio: float | None = None,
    runtime_s: float | None = None,
    runtime_ratio: float | None = None,
    paging: bool = True,
    recompute: bool = True,
    io: IoMode | None = None,
) -> Problem:
    """The problem that a costed graph, budgets and switches make.

    `ram` in bytes or `ram_ratio` of the plain peak (rounded down to a byte), else the device's RAM:
    a budget that a graph file suggests is shown to the user, never taken in silence. `runtime_s` or
    `runtime_ratio` of the baseline's runtime, else no limit. `io` None is the device's own mode.

    Raises
    ------
    UsageError
        A limit given twice, negative, or not a number; all such mistakes at once.
    """
    issues = [
        *_twice(ram, ram_ratio, "--ram", "--ram-ratio"),
        *_twice(runtime_s, runtime_ratio, "--runtime", "--runtime-ratio"),
        *_not_a_limit(ram, "--ram"),
        *_not_a_limit(ram_ratio, "--ram-ratio"),
        *_not_a_limit(runtime_s, "--runtime"),
        *_not_a_limit(runtime_ratio, "--runtime-ratio"),
    ]
    if issues:
        raise UsageError(issues)
    costed = price(graph, device)
    if ram_ratio is not None:
        ram = math.floor(Fraction(repr(ram_ratio)) * costed.plain_peak_bytes)
    if runtime_ratio is not None:
        runtime_s = runtime_ratio * costed.baseline_runtime_s
    _refuse_boundless(ram, runtime_s)
    budgets = Budgets(device.ram_bytes if ram is None else ram, runtime_s)
    mode = device.io if io is None else io
    return Problem(costed, budgets, Switches(paging, recompute, mode))


def solve(
    problem: Problem,
    options: SolveOptions,
    report: Callable[[Event], None] | None = None,
    cancel: Cancel | None = None,
    known: Known = NOTHING_KNOWN,
) -> Outcome:
    """Schedule `problem` with the strategy of `options.strategy` and check the answer once more.

    The strategy sees its own switches (strategies.registry.adapt); the outcome's trace holds the
    problem with them. `report` gets every event, the last is Finished. An answer that does not
    stand up to the verifier is Failed, never shown. `known` (of the problem with the strategy's
    switches) is where the search starts from: a schedule of it that is not valid is dropped.

    Raises
    ------
    UsageError
        An unknown strategy, or options outside their range.
    """
    check_options(options)
    strategy = get_strategy(options.strategy)
    tell = report if report is not None else _silent
    began = time.perf_counter()
    wish = cancel or Cancel()
    outcome = strategy.solve(adapt(problem, strategy), options, tell, wish, known)
    outcome = audited(outcome)
    tell(Finished(time.perf_counter() - began, outcome))
    return outcome


def _silent(event: Event) -> None:
    """Nobody listens."""


def audited(outcome: Outcome) -> Outcome:
    """The outcome, if its schedule and its bound stand up to the verifier; else Failed."""
    if not isinstance(outcome, Optimal | Feasible):
        return outcome
    trace = outcome.trace
    checked = verify_figures(
        trace.schedule,
        trace.problem,
        peak_bytes=trace.peak_bytes,
        energy_j=trace.total_energy_j,
        runtime_s=trace.runtime_s,
    )
    faults = (*checked.faults, *bound_faults(outcome))
    if not faults:
        return outcome
    message = "The schedule found does not stand up to the verifier, so it is not shown."
    return Failed(message, outcome.record, "\n".join(faults))


def check_options(options: SolveOptions) -> None:
    """Raise UsageError when options are outside their range, with all of them."""
    issues = [
        *_not_a_limit(options.gap, "--gap"),
        *_not_a_limit(options.total_gap, "--tolerance"),
        *_not_a_limit(options.time_limit_s, "--time-limit"),
        *_not_a_limit(options.work_limit, "--work-limit"),
    ]
    if not 1 <= options.threads <= MAX_THREADS:
        accepted = f"a whole number from 1 to {MAX_THREADS}"
        issues.append(Issue(f"{options.threads} threads", "--threads", accepted))
    if not 0 <= options.seed <= MAX_SEED:
        accepted = f"a whole number from 0 to {MAX_SEED}"
        issues.append(Issue(f"{options.seed} is no seed", "--seed", accepted))
    if issues:
        raise UsageError(issues)


def _twice(
    first: float | None, second: float | None, first_name: str, second_name: str
) -> Sequence[Issue]:
    if first is None or second is None:
        return ()
    return (Issue(f"{first_name} and {second_name} say the same thing twice", "", "give one"),)


def _refuse_boundless(ram: int | None, runtime_s: float | None) -> None:
    """A ratio can turn into a limit that no number of the engine holds."""
    issues = []
    if ram is not None and ram > MAX_BYTES:
        issues.append(Issue("the RAM budget is above 2**62 B", "--ram-ratio", "leave it out"))
    if runtime_s is not None and runtime_s > MAX_SECONDS:
        longer = "the runtime limit is longer than 1e15 s"
        issues.append(Issue(longer, "--runtime-ratio", "leave it out"))
    if issues:
        raise UsageError(issues)


def _not_a_limit(value: float | None, where: str) -> Sequence[Issue]:
    if value is None or 0 <= value < math.inf:
        return ()
    return (Issue(f"{value} is not a limit", where, "a number from 0 on"),)
