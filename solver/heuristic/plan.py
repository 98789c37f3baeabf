"""A plan: what is held across each stage border and what is written to storage."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from solver.heuristic.decided_stage import StagePlan, decided_stage
from solver.heuristic.stage_plan import StagePlanner
from solver.lowering import Run, lower
from solver.schedule import Schedule
from solver.staged import StagedProblem, bits, mask_of

Undo = list[tuple[int, StagePlan, int]]
"""The stages that a change planned anew: stage, its plan and its peak before."""

IntArray = NDArray[np.int64]


class Plan:
    """Mutable: the sets of tensors held across stage borders, and the stages that follow from them.

    held[t] : mask of what is in RAM when stage t begins (t = 0 .. stages, both ends empty).
    paged : mask of the tensors written to storage once, right after they are made.
    masses : bytes of held[t], shape (stages + 1,). peaks : bytes at the worst moment of each stage,
    shape (stages,); exact: a graph has at most 2**62 bytes. cost : of reruns, page-ins and
    page-outs at the planner's prices. seconds : what they take. borders, uses, touches : per
    tensor, the same told the other way round: masks of the borders across which it is held, and of
    the stages that read it, or read or make it; stretches are found without walking.
    Changes re-plan the stages that they touch and can be taken back (`undo`).
    """

    def __init__(
        self,
        planner: StagePlanner,
        held: list[int],
        paged: int,
        decided: Mapping[int, StagePlan] | None = None,
    ) -> None:
        """Plan every stage but those `decided` already. ValueError when one lacks a supply."""
        self.planner = planner
        self.staged = planner.staged
        count = self.staged.tensors
        self.held = held
        self.paged = paged
        self.masses = _masses(self.staged, held)
        self.stages: list[StagePlan] = []
        peaks = []
        for t in range(self.staged.stages):
            planned = (decided or {}).get(t) or planner.plan(t, held[t], held[t + 1], paged)
            if planned is None:
                raise ValueError(f"stage {t} lacks a supply")
            self.stages.append(planned)
            peaks.append(planned.peak + self._through(t, planned))
        self.peaks: IntArray = np.array(peaks, dtype=np.int64)
        self.borders = _borders(count, held)
        self.uses, self.touches = [0] * count, [0] * count
        for t, stage in enumerate(self.stages):
            self._note(t, stage.used, stage.touched)
        price, seconds = planner.price.page_out, self.staged.out_s
        self.cost = sum(stage.cost for stage in self.stages) + sum(price[i] for i in bits(paged))
        self.seconds = sum(stage.seconds for stage in self.stages)
        self.seconds += sum(seconds[i] for i in bits(paged))

    def _through(self, t: int, planned: StagePlan) -> int:
        """Bytes that pass through the stage: all that is held before it, less what does not."""
        start = self.held[t]
        passing = start & ~planned.touched & self.held[t + 1]
        return int(self.masses[t]) - self.staged.mass(start & ~passing)

    def peak_of(self, t: int, planned: StagePlan, start: int) -> int:
        """Peak of stage t if it were `planned` and began with `start` instead of held[t]."""
        old, end = self.stages[t], self.held[t + 1]
        before = self.held[t] & end & ~old.touched
        after = start & end & ~planned.touched
        change = self.staged.mass(after & ~before) - self.staged.mass(before & ~after)
        return planned.peak + int(self.peaks[t]) - old.peak + change

    def copy(self) -> "Plan":
        """An independent copy that shares the (frozen) stage plans."""
        twin = object.__new__(Plan)
        twin.planner, twin.staged = self.planner, self.staged
        twin.held, twin.masses = self.held.copy(), self.masses.copy()
        twin.peaks = self.peaks.copy()
        twin.stages = self.stages.copy()
        twin.borders, twin.uses = self.borders.copy(), self.uses.copy()
        twin.touches = self.touches.copy()
        twin.paged, twin.cost, twin.seconds = self.paged, self.cost, self.seconds
        return twin

    @property
    def fits(self) -> bool:
        """True when every stage fits and the runtime limit is kept."""
        return self.fits_in_ram and self.fits_in_time

    @property
    def fits_in_ram(self) -> bool:
        """True when every stage fits into RAM."""
        return int(self.peaks.max(initial=0)) <= self.staged.room

    @property
    def fits_in_time(self) -> bool:
        """True when transfers and reruns fit into the time left (1e-12 relative for the sum)."""
        limit = self.staged.limit_s
        return limit is None or self.seconds <= limit * (1 + 1e-12)

    def segment(self, tensor: int, border: int) -> tuple[int, int]:
        """The borders first..last of the stretch around `border` in which no stage reads it.

        At `first - 1` the tensor is made or used, at stage `last` it is used (or its hold ends).
        """
        held, used = self.borders[tensor], self.uses[tensor]
        before = (used | ~held) & ((1 << border) - 1)
        after = (used | ~(held >> 1)) >> border
        return before.bit_length(), border + (after & -after).bit_length() - 1

    def last_seen(self, tensor: int, stage: int) -> int:
        """The stage or border before `stage` after which the tensor is in RAM no more."""
        before = (1 << stage) - 1
        return ((self.borders[tensor] | self.touches[tensor]) & before).bit_length() - 1

    def _note(self, t: int, used: int, touched: int) -> None:
        """Flip stage t in what is told per tensor."""
        bit = 1 << t
        for i in bits(used):
            self.uses[i] ^= bit
        for i in bits(touched):
            self.touches[i] ^= bit

    def move(self, tensor: int, first: int, last: int, *, hold: bool) -> Undo | None:
        """Hold or drop a tensor across the borders first..last and re-plan the stages around.

        Every border must change. Returns what `undo` needs, or None (nothing changed) when a stage
        would lack a supply.
        """
        undo: Undo = []
        self._flip(tensor, first, last, hold=hold)
        # Where it only passes through, nothing else changes.
        inside = (self.touches[tensor] >> first) & ((1 << (last - first)) - 1)
        for t in (first - 1, *(first + k for k in bits(inside)), last):
            if not self._replan(t, undo):
                self.undo(tensor, first, last, undo)
                return None
        return undo

    def undo(self, tensor: int, first: int, last: int, undo: Undo) -> None:
        """Take a `move` back."""
        self.restore(undo)
        self._flip(tensor, first, last, hold=not self.held[first] >> tensor & 1)

    def _flip(self, tensor: int, first: int, last: int, *, hold: bool) -> None:
        bit, size = 1 << tensor, self.staged.size[tensor]
        if not hold:
            size = -size
        self.borders[tensor] ^= (1 << (last + 1)) - (1 << first)
        self.held[first : last + 1] = [mask ^ bit for mask in self.held[first : last + 1]]
        self.masses[first : last + 1] += size
        self.peaks[first:last] += size

    def page(self, tensor: int, *, write: bool) -> None:
        """Write the tensor to storage after it is made, or no longer do; stages stay as planned."""
        bit = 1 << tensor
        if bool(self.paged & bit) == write:
            return
        self.paged ^= bit
        sign = 1 if write else -1
        self.cost += sign * self.planner.price.page_out[tensor]
        self.seconds += sign * self.staged.out_s[tensor]

    def replan(self, stages: list[int]) -> Undo | None:
        """Plan these stages afresh (after `page`); None and unchanged when one lacks a supply."""
        undo: Undo = []
        for t in stages:
            if not self._replan(t, undo):
                self.restore(undo)
                return None
        return undo

    def _replan(self, t: int, undo: Undo) -> bool:
        new = self.planner.plan(t, self.held[t], self.held[t + 1], self.paged)
        if new is None:
            return False
        old = self.stages[t]
        undo.append((t, old, int(self.peaks[t])))
        self.stages[t] = new
        self.peaks[t] = new.peak + self._through(t, new)
        self._note(t, old.used ^ new.used, old.touched ^ new.touched)
        self.cost += new.cost - old.cost
        self.seconds += new.seconds - old.seconds
        return True

    def restore(self, undo: Undo) -> None:
        """Put back the stage plans that `move` or `replan` replaced."""
        for t, old, peak in reversed(undo):
            new = self.stages[t]
            self.stages[t] = old
            self.peaks[t] = peak
            self._note(t, old.used ^ new.used, old.touched ^ new.touched)
            self.cost += old.cost - new.cost
            self.seconds += old.seconds - new.seconds

    def schedule(self) -> Schedule:
        """The plan as a list of actions."""
        runs = []
        for t, stage in enumerate(self.stages):
            through = self.held[t] & self.held[t + 1] & ~stage.touched
            runs += [
                Run(op, during | through)
                for op, during in zip(stage.runs, stage.during, strict=True)
            ]
        return lower(self.staged, runs, self.paged)


def _masses(staged: StagedProblem, held: list[int]) -> IntArray:
    """Bytes held across each border, by what changes from border to border."""
    masses = []
    mass = before = 0
    for mask in held:
        mass += staged.mass(mask & ~before) - staged.mass(before & ~mask)
        masses.append(mass)
        before = mask
    return np.array(masses, dtype=np.int64)


def _borders(tensors: int, held: list[int]) -> list[int]:
    """Per tensor, the mask of the borders across which it is held."""
    borders = [0] * tensors
    before = 0
    for border, mask in enumerate((*held, 0)):
        for i in bits(mask ^ before):
            borders[i] ^= -1 << border  # from here on held, or from here on no more
        before = mask
    return borders


def keep_everything(planner: StagePlanner) -> Plan:
    """The plan that holds every tensor until its last reader: the cheapest, and the largest."""
    staged = planner.staged
    dying = [0] * staged.stages
    for i, readers in enumerate(staged.readers):
        if readers:
            dying[readers[-1]] |= 1 << i
    held = [0]
    for op, dead in enumerate(dying):
        lasting = mask_of([i for i in staged.makes[op] if staged.readers[i]])
        held.append((held[-1] | lasting) & ~dead)
    return Plan(planner, held, 0)


def page_everything(planner: StagePlanner) -> Plan:
    """The plan that holds only what two neighbouring ops share and what cannot be paged.

    The rest is paged in even where making it again would cost less: a rerun needs RAM of its own,
    and this plan is the one that reaches the floor.
    """
    staged = planner.staged
    plan = keep_everything(planner)
    fixed = mask_of([i for i in range(staged.tensors) if not staged.may_page[i]])
    held = [0] * (staged.stages + 1)
    for t in range(1, staged.stages):
        shared = staged.op_in[t] & (staged.op_in[t - 1] | staged.op_out[t - 1])
        held[t] = plan.held[t] & (fixed | shared)
    decided = {
        t: _paged_stage(planner, t, held[t], held[t + 1])
        for t in range(staged.stages)
        if staged.op_in[t] & ~held[t]
    }
    return Plan(planner, held, staged.waiting & ~fixed & ~staged.stored, decided)


def _paged_stage(planner: StagePlanner, t: int, start: int, end: int) -> StagePlan:
    """Stage t with nothing run again: what its op reads and is not there is paged in."""
    loads = planner.staged.op_in[t] & ~start
    cost = sum(planner.price.page_in[i] for i in bits(loads))
    return decided_stage(planner.staged, (t,), (loads,), start=start, end=end, cost=cost)
