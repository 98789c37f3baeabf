"""Timing each op of a traced step on this machine, on the tensors that it really gets."""

import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Final

import torch

from solver.errors import EngineError, Issue
from solver.graph import TrainingGraph
from solver.profiling import OpTiming
from solver.pytorch.machine import ActionError, Machine
from solver.pytorch.replay import prepare
from solver.schedule import Action, ActionKind
from solver.torch_program import Program

Progress = Callable[[int, int], None]
"""Called with the number of ops timed so far and of all, over all rounds."""

_FEWEST_ROUNDS: Final = 2
_ROUNDS: Final = 5
_MOST_ROUNDS: Final = 15
_FIRST_SHARE: Final = 0.6
"""Of the time, for the rounds over all ops; the rest is for those whose samples still differ."""
_WARM_UP: Final = 2
_FEWEST: Final = 3
_MOST: Final = 25
_BATCHES: Final = 3
"""A sample is the quickest of so many batches: what other programs take away hits some of them."""
_BATCH_S: Final = 2e-4
"""A batch is of as many runs as take so long: the clock's own time is then no part of it."""
_STABLE: Final = 0.05
"""The middle half of a round's samples lies within so much of their median: enough."""
_SETTLED: Final = 0.15
"""The same over all rounds."""
_FINE_S: Final = 1e-6
"""A clock of CPU time that ticks no slower can time a batch."""


@dataclass(frozen=True, slots=True)
class TimingPlan:
    """How long to time, seconds in all, and on how many threads (None: PyTorch's own choice)."""

    limit_s: float = 60.0
    threads: int | None = None


def time_ops(
    graph: TrainingGraph, program: Program, plan: TimingPlan, progress: Progress
) -> list[OpTiming]:
    """Seconds of every op of a traced graph, whose program that is, in its order.

    The step is executed in plain order several times; before an op is executed it is run on the
    same inputs again and again, after a warm-up, until its samples are stable or its part of the
    time is used up. Rounds over the whole step, two at least, make one disturbance hit few samples
    of any op; further rounds, while time is left, take more of the ops whose samples still differ.
    On one thread CPU time is counted, which is not that of other programs.

    Raises EngineError as `replay.prepare`, and with the op that this machine does not compute.
    """
    setting = prepare(program)
    samples: list[list[float]] = [[] for _ in graph.ops]
    count = len(graph.ops)
    share_s = _FIRST_SHARE * plan.limit_s / (_ROUNDS * max(1, count))
    deadline = time.perf_counter() + plan.limit_s
    with _threads(plan.threads), torch.no_grad():
        clock = _clock()
        for turn in range(_MOST_ROUNDS):
            wanted = _wanted(samples, turn, share_s, deadline)
            if not wanted:
                break
            torch.manual_seed(setting.seed)
            with Machine(graph, program, setting.weights, setting.batch) as machine:
                for place, op in enumerate(graph.ops):
                    try:
                        if place in wanted:
                            samples[place] += _samples(machine.prepared(op.name), share_s, clock)
                        _execute(graph, machine, place)
                    except (ActionError, RuntimeError) as error:
                        raise _cannot_run(op.name, error) from error
                    progress(turn * count + place + 1, max(_ROUNDS, turn + 1) * count)
    return [
        OpTiming(op.name, op.kind, op.flop, tuple(taken))
        for op, taken in zip(graph.ops, samples, strict=True)
    ]


def timed_on(threads: int | None) -> str:
    """What the times are of, in words; `threads` as in TimingPlan."""
    with _threads(threads):
        count, of = torch.get_num_threads(), "CPU time, " if _clock() is time.thread_time else ""
    return f"{of}PyTorch {torch.__version__} on {platform.machine()}, threads: {count}"


@contextmanager
def _threads(wanted: int | None) -> Iterator[None]:
    """Runs PyTorch on so many threads; None leaves its own choice."""
    before = torch.get_num_threads()
    torch.set_num_threads(wanted or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _clock() -> Callable[[], float]:
    """The thread's CPU time where all work is in this thread and that is known finely enough."""
    fine = time.get_clock_info("thread_time").resolution <= _FINE_S
    return time.thread_time if torch.get_num_threads() == 1 and fine else time.perf_counter


def _wanted(samples: list[list[float]], turn: int, share_s: float, deadline: float) -> set[int]:
    """The ops to sample in this round: all in the first ones, then those that are not settled.

    As few as the time that is left is enough for, those first that take the most.
    """
    left_s = deadline - time.perf_counter()
    if turn < (_ROUNDS if left_s > 0 else _FEWEST_ROUNDS):
        return set(range(len(samples)))
    left = int(left_s / max(share_s, 1e-9))
    restless = [place for place, taken in enumerate(samples) if _spread(taken) > _SETTLED]
    restless.sort(key=lambda place: -median(samples[place]))
    return set(restless[: max(0, left)])


def _cannot_run(op: str, error: Exception) -> EngineError:
    """Say which op this machine does not compute (a type it lacks, too little memory)."""
    first = str(error).strip().splitlines() or [type(error).__name__]
    hint = "give the module types and sizes that this machine computes with, and trace it again"
    return EngineError(Issue(f"cannot be run here: {first[0]}", f"op {op}", hint))


def _execute(graph: TrainingGraph, machine: Machine, place: int) -> None:
    """Run the op for good, and free what nobody reads any more."""
    machine.do(Action(ActionKind.COMPUTE, place))
    touched = {*graph.op_inputs[place], *graph.op_outputs[place]}
    for i in sorted(touched):
        if max(graph.readers[i], default=place) == place:
            machine.do(Action(ActionKind.FREE, i))


def _samples(run: Callable[[], object], limit_s: float, clock: Callable[[], float]) -> list[float]:
    """Seconds per run; what is made is dropped at once, as a schedule would.

    Where the warm-up of a slow op uses the time up, its last run is the sample: a step that takes
    minutes on a busy machine is run twice a round and no more.
    """
    began = time.perf_counter()
    deadline = began + limit_s
    for _ in range(_WARM_UP):
        began = time.perf_counter()
        last = _batch(run, 1, clock)
    ended = time.perf_counter()
    repeats = max(1, round(_BATCH_S / max(ended - began, 1e-9)))
    if ended > deadline and repeats == 1:
        return [last]
    found: list[float] = []
    late = False
    while len(found) < _MOST:
        batches = 1 if late else _BATCHES
        found.append(min(_batch(run, repeats, clock) for _ in range(batches)))
        late = time.perf_counter() > deadline
        if len(found) >= _FEWEST and (late or (len(found) > _FEWEST and _spread(found) <= _STABLE)):
            break
    return found


def _batch(run: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float:
    began = clock()
    for _ in range(repeats):
        run()
    return (clock() - began) / repeats


def _spread(samples: list[float]) -> float:
    """Width of the middle half of the samples, as a part of their median."""
    low, middle, high = quantiles(samples, n=4, method="inclusive")
    return (high - low) / middle if middle else 0.0
