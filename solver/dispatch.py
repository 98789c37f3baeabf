"""One pass over time that lists a schedule's actions anew, transfers beside the runs.

The order of the runs is kept. Transfers are dispatched as on the device: whenever the transfer
unit falls idle, a rule picks the next page-in or page-out among those that may start; frees happen
as soon as nothing uses the tensor. A page-in may come early only while every run up to the one
that needs it still has room; so the runs never wait for RAM that cannot come free.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from random import Random
from typing import Final

from solver.issue_script import RunOf, Script
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule

_AHEAD: Final = 512
"""Runs that a page-in may come early: bounds the time to look whether all of them have room."""
_CANDIDATES: Final = 8
"""Transfers of each kind looked at when the unit falls idle: the first may still be waiting."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How the transfer unit chooses: the smaller of deadline (page-in) and urgency (page-out) wins.

    lead : runs by which a page-out is taken to be more urgent than it is. careful : no page-in
    comes early where the next run would then have to wait for a page-out. noise : up to so many
    runs are added to each by chance, drawn from `seed`.
    """

    lead: float
    careful: bool
    noise: float = 0.0
    seed: int = 0


class Dispatch:
    """One pass over time: runs in order on the processor, transfers by a rule beside them."""

    def __init__(self, script: Script, problem: Problem, rule: Rule) -> None:
        costed = problem.costed
        self._graph = costed.graph
        self._script, self._rule = script, rule
        self._budget = problem.budgets.ram_bytes
        self._run_s = costed.op_duration_s.tolist()
        self._in_s, self._out_s = problem.transfer_durations_s()
        self._random = Random(rule.seed)
        self._need = script.need.copy()
        stays = script.stays
        self._uses = [len(stay.touches) + stay.writes for stay in stays]
        self._made_s = [inf] * len(stays)
        self._read_s = [0.0] * len(stays)
        self._written_s = {
            i: 0.0 for i, tensor in enumerate(self._graph.tensors) if tensor.in_storage_at_start
        }
        self._next_number = [0] * len(self._graph.tensors)
        self._here: set[int] = set()
        self._ins, self._outs = list(script.page_ins), list(script.page_outs)
        self._dying: list[tuple[float, int]] = []
        self._ram = self._graph.fixed_bytes
        self._workspace = 0
        self._next = 0
        self._now_s = self._processor_s = self._transfer_s = 0.0
        self._actions: list[Action] = []

    def order(self) -> Schedule | None:
        """The actions as they are issued; None when it comes to a halt before all of them are."""
        while True:
            self._free()
            if self._issue_run() or self._issue_transfer():
                continue
            ends = [end for end in (self._processor_s, self._transfer_s) if end > self._now_s]
            if not ends:
                break
            self._now_s = min(ends)
        done = self._next == len(self._script.runs) and not self._ins and not self._outs
        return Schedule(tuple(self._actions)) if done else None

    def _free(self) -> None:
        if self._processor_s <= self._now_s:
            self._workspace = 0
        while self._dying and self._dying[0][0] <= self._now_s:
            stay = self._script.stays[heappop(self._dying)[1]]
            self._here.discard(stay.tensor)
            self._ram -= stay.size
            self._actions.append(Action(ActionKind.FREE, stay.tensor))

    def _use(self, stay: int, end_s: float) -> None:
        """The stay is used until `end_s`; after its last use it dies."""
        self._read_s[stay] = max(self._read_s[stay], end_s)
        self._uses[stay] -= 1
        self._settle(stay)

    def _settle(self, stay: int) -> None:
        if not self._uses[stay] and self._script.stays[stay].freed:
            heappush(self._dying, (max(self._read_s[stay], self._made_s[stay]), stay))

    def _enter(self, stay: int) -> None:
        found = self._script.stays[stay]
        self._here.add(found.tensor)
        self._next_number[found.tensor] = found.number + 1
        self._ram += found.size

    def _issue_run(self) -> bool:
        if self._next == len(self._script.runs) or self._processor_s > self._now_s:
            return False
        run = self._script.runs[self._next]
        if not self._may_run(run):
            return False
        self._processor_s = end_s = self._now_s + self._run_s[run.action.target]
        self._workspace = self._graph.ops[run.action.target].workspace_bytes
        self._actions.append(run.action)
        self._next += 1
        for stay in run.makes:
            self._enter(stay)
        for stay in (*run.makes, *run.replaces):
            self._made_s[stay] = end_s
        for stay in (*run.reads, *run.makes, *run.replaces):
            self._use(stay, end_s)
        return True

    def _may_run(self, run: RunOf) -> bool:
        """Whether it has room and its inputs, and nothing uses what it makes."""
        if self._ram + self._growth(run) > self._budget:
            return False
        if any(self._made_s[stay] > self._now_s for stay in (*run.reads, *run.replaces)):
            return False
        if any(self._read_s[stay] > self._now_s for stay in run.replaces):
            return False
        # A stay that is still being written is not the one that this run begins.
        return not any(self._script.stays[stay].tensor in self._here for stay in run.makes)

    def _growth(self, run: RunOf) -> int:
        """Bytes that the run needs on top of what is in RAM before it."""
        new = sum(self._script.stays[stay].size for stay in run.makes)
        return new + self._graph.ops[run.action.target].workspace_bytes

    def _issue_transfer(self) -> bool:
        if self._transfer_s > self._now_s:
            return False
        page_in = self._page_in()
        page_out = self._page_out()
        if page_out is None or (
            page_in is not None and self._deadline(page_in) <= self._urgency(page_out)
        ):
            if page_in is None:
                return False
            self._start_in(page_in)
        else:
            self._start_out(page_out)
        return True

    def _deadline(self, stay: int) -> float:
        deadline = self._script.stays[stay].deadline
        return deadline + self._noise() if deadline > self._next else -inf

    def _urgency(self, stay: int) -> float:
        """The first run that lacks room while the stay is still there."""
        later = self._need[self._next : self._next + _AHEAD]
        lacks = later > self._budget - self._script.stays[stay].size
        if self._rule.lead in {inf, -inf}:
            return -self._rule.lead
        first = int(lacks.argmax()) if lacks.any() else _AHEAD
        return self._next + first - self._rule.lead + self._noise()

    def _noise(self) -> float:
        return self._random.uniform(0, self._rule.noise) if self._rule.noise else 0.0

    def _page_in(self) -> int | None:
        return next((s for s in self._ins[:_CANDIDATES] if self._may_page_in(s)), None)

    def _page_out(self) -> int | None:
        made = self._made_s
        return next((s for s in self._outs[:_CANDIDATES] if made[s] <= self._now_s), None)

    def _may_page_in(self, stay: int) -> bool:
        found, now = self._script.stays[stay], self._now_s
        tensor = found.tensor
        if tensor in self._here or self._next_number[tensor] != found.number:
            return False
        if self._written_s.get(tensor, inf) > now:
            return False
        if self._ram + self._workspace + found.size > self._budget:
            return False
        if found.deadline <= self._next:
            return True
        between = self._need[self._next : found.deadline]
        if len(between) > _AHEAD or int(between.max()) + found.size > self._budget:
            return False
        return not self._rule.careful or self._leaves_room(found.size)

    def _leaves_room(self, size: int) -> bool:
        """Whether the next run would fit beside `size` bytes more once the present one is over."""
        dying = sum(
            self._script.stays[stay].size
            for end_s, stay in self._dying
            if end_s <= max(self._now_s, self._processor_s)
        )
        return (
            self._ram - dying + self._growth(self._script.runs[self._next]) + size <= self._budget
        )

    def _start_in(self, stay: int) -> None:
        found = self._script.stays[stay]
        self._ins.remove(stay)
        self._enter(stay)
        self._need[self._next : found.deadline] += found.size
        self._transfer_s = self._made_s[stay] = self._now_s + self._in_s[found.tensor]
        self._actions.append(Action(ActionKind.PAGE_IN, found.tensor))
        self._settle(stay)

    def _start_out(self, stay: int) -> None:
        tensor = self._script.stays[stay].tensor
        self._outs.remove(stay)
        self._transfer_s = end_s = self._now_s + self._out_s[tensor]
        self._written_s[tensor] = min(self._written_s.get(tensor, inf), end_s)
        self._actions.append(Action(ActionKind.PAGE_OUT, tensor))
        self._use(stay, end_s)
