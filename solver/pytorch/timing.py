"""Timing each op of a traced step on this machine, on the tensors that it really gets."""

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import quantiles
from typing import Final

import torch

from solver.graph import TrainingGraph
from solver.profiling import OpTiming
from solver.pytorch.machine import Machine
from solver.pytorch.replay import prepare
from solver.schedule import Action, ActionKind
from solver.torch_program import Program

Progress = Callable[[int, int], None]
"""Called with the number of ops timed so far and of all, over all rounds."""

_ROUNDS: Final = 5
_WARM_UP: Final = 2
_FEWEST: Final = 3
_MOST: Final = 25
_STABLE: Final = 0.05
"""The middle half of a round's samples lies within so much of their median: enough."""
_SAMPLE_S: Final = 2e-4
"""A sample is of as many runs as take so long: the clock's own time is then no part of it."""


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
    time is used up. Rounds over the whole step make one disturbance hit few samples of any op.

    Raises EngineError as `replay.prepare`.
    """
    setting = prepare(program)
    samples: list[list[float]] = [[] for _ in graph.ops]
    share_s = plan.limit_s / (_ROUNDS * max(1, len(graph.ops)))
    threads = torch.get_num_threads()
    if plan.threads is not None:
        torch.set_num_threads(plan.threads)
    try:
        with torch.no_grad():
            for turn in range(_ROUNDS):
                torch.manual_seed(setting.seed)
                with Machine(graph, program, setting.weights, setting.batch) as machine:
                    for place, op in enumerate(graph.ops):
                        samples[place] += _samples(machine.prepared(op.name), share_s)
                        _execute(graph, machine, place)
                        progress(turn * len(graph.ops) + place + 1, _ROUNDS * len(graph.ops))
    finally:
        torch.set_num_threads(threads)
    return [
        OpTiming(op.name, op.kind, op.flop, tuple(taken))
        for op, taken in zip(graph.ops, samples, strict=True)
    ]


def timed_on(threads: int | None) -> str:
    """What the times are of, in words; `threads` as in TimingPlan."""
    count = threads or torch.get_num_threads()
    return f"PyTorch {torch.__version__} on {platform.machine()}, threads: {count}"


def _execute(graph: TrainingGraph, machine: Machine, place: int) -> None:
    """Run the op for good, and free what nobody reads any more."""
    machine.do(Action(ActionKind.COMPUTE, place))
    touched = {*graph.op_inputs[place], *graph.op_outputs[place]}
    for i in sorted(touched):
        if max(graph.readers[i], default=place) == place:
            machine.do(Action(ActionKind.FREE, i))


def _samples(run: Callable[[], object], limit_s: float) -> list[float]:
    """Seconds per run; what is made is dropped at once, as a schedule would."""
    clock = time.perf_counter
    for _ in range(_WARM_UP):
        began = clock()
        run()
    repeats = max(1, round(_SAMPLE_S / max(clock() - began, 1e-9)))
    deadline = clock() + limit_s
    found: list[float] = []
    while len(found) < _MOST:
        began = clock()
        for _ in range(repeats):
            run()
        found.append((clock() - began) / repeats)
        if len(found) >= _FEWEST and (clock() > deadline or _is_stable(found)):
            break
    return found


def _is_stable(samples: list[float]) -> bool:
    low, middle, high = quantiles(samples, n=4, method="inclusive")
    return len(samples) > _FEWEST and high - low <= _STABLE * middle
