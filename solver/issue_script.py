"""What a schedule leaves open when it is taken apart: its runs in order, and each tensor's stays.

A stay is one stretch of time that a tensor spends in RAM: from the run or page-in that brings it
to its free. The runs keep their order; page-ins, page-outs and frees may be listed elsewhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule


@dataclass(slots=True)
class Stay:
    """One stay of a tensor in RAM.

    touches : positions of the runs that make, read or replace it, ascending. number : how many
    stays of this tensor come before. deadline : for one that is paged in, the run that first needs
    it (the next one listed if none does), else -1. writes : its page-outs. freed : False when it
    stays to the end.
    """

    tensor: int
    size: int
    number: int
    deadline: int = -1
    touches: list[int] = field(default_factory=list)
    writes: int = 0
    freed: bool = False

    @property
    def paged_in(self) -> bool:
        """Whether a page-in brings it; otherwise a run makes it."""
        return self.deadline >= 0


@dataclass(slots=True)
class RunOf:
    """One run: the action, and positions in `Script.stays` of what it reads, makes, replaces."""

    action: Action
    reads: list[int]
    makes: list[int]
    replaces: list[int]


@dataclass(slots=True)
class Script:
    """A schedule taken apart.

    page_ins : stays by deadline, as listed. page_outs : stays as listed, once per page-out.
    need : bytes that each run needs when everything else is freed as early and paged in as late
    as possible, fixed bytes included, shape (runs,).
    """

    runs: list[RunOf]
    stays: list[Stay]
    page_ins: list[int]
    page_outs: list[int]
    need: NDArray[np.int64]


class _Reader:
    """Goes through the actions once."""

    def __init__(self, problem: Problem) -> None:
        self._graph = problem.costed.graph
        self.runs: list[RunOf] = []
        self.stays: list[Stay] = []
        self.page_ins: list[int] = []
        self.page_outs: list[int] = []
        self._here: dict[int, int] = {}
        self._numbers = [0] * len(self._graph.tensors)

    def take(self, action: Action) -> None:
        target = action.target
        match action.kind:
            case ActionKind.FREE:
                self.stays[self._here.pop(target)].freed = True
            case ActionKind.PAGE_OUT:
                stay = self._here[target]
                self.stays[stay].writes += 1
                self.page_outs.append(stay)
            case ActionKind.PAGE_IN:
                self.page_ins.append(self._begin(target))
                self.stays[-1].deadline = len(self.runs)
            case _:
                self._run(action)

    def _begin(self, tensor: int) -> int:
        number = self._numbers[tensor]
        self._numbers[tensor] += 1
        self.stays.append(Stay(tensor, self._graph.tensors[tensor].bytes, number))
        self._here[tensor] = len(self.stays) - 1
        return len(self.stays) - 1

    def _run(self, action: Action) -> None:
        here, position = self._here, len(self.runs)
        reads = [here[i] for i in self._graph.op_inputs[action.target]]
        makes, replaces = [], []
        for i in self._graph.op_outputs[action.target]:
            if i in here:
                replaces.append(here[i])
            else:
                makes.append(self._begin(i))
        for stay in (*reads, *makes, *replaces):
            self.stays[stay].touches.append(position)
        self.runs.append(RunOf(action, reads, makes, replaces))


def take_apart(schedule: Schedule, problem: Problem) -> Script:
    """The script of a legal schedule. Raises KeyError when it uses what is not in RAM."""
    reader = _Reader(problem)
    for action in schedule.actions:
        reader.take(action)
    for stay in reader.page_ins:
        found = reader.stays[stay]
        found.deadline = min(found.touches, default=min(found.deadline, len(reader.runs)))
    page_ins = sorted(reader.page_ins, key=lambda stay: reader.stays[stay].deadline)
    need = _need(reader.runs, reader.stays, problem)
    return Script(reader.runs, reader.stays, page_ins, reader.page_outs, need)


def _need(runs: list[RunOf], stays: Iterable[Stay], problem: Problem) -> NDArray[np.int64]:
    graph = problem.costed.graph
    change = np.zeros(len(runs) + 1, dtype=np.int64)
    for stay in stays:
        if stay.touches:
            change[stay.touches[0]] += stay.size
            change[stay.touches[-1] + 1 if stay.freed else len(runs)] -= stay.size
    workspaces = [graph.ops[run.action.target].workspace_bytes for run in runs]
    return np.cumsum(change[:-1]) + np.array(workspaces, dtype=np.int64) + graph.fixed_bytes


def unhurried(schedule: Schedule, problem: Problem) -> Schedule:
    """The same actions, each page-in directly before the run that needs it, page-outs at once.

    Tensors are freed as early as possible. This is the order that the optimisers plan in: legal
    under blocking transfers wherever the schedule is legal.
    """
    script = take_apart(schedule, problem)
    before: list[list[Action]] = [[] for _ in range(len(script.runs) + 1)]
    after: list[list[Action]] = [[] for _ in script.runs]
    for stay in script.page_ins:
        found = script.stays[stay]
        before[found.deadline].append(Action(ActionKind.PAGE_IN, found.tensor))
    for stay in script.page_outs:
        found = script.stays[stay]
        here = after[found.touches[0]] if found.touches else before[found.deadline]
        here.append(Action(ActionKind.PAGE_OUT, found.tensor))
    for found in script.stays:
        if found.freed:
            here = after[found.touches[-1]] if found.touches else before[found.deadline]
            here.append(Action(ActionKind.FREE, found.tensor))
    actions: list[Action] = []
    for position, run in enumerate(script.runs):
        actions += [*before[position], run.action, *after[position]]
    return Schedule((*actions, *before[-1]))
