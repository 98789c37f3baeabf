"""A plan: what is held across each stage border and what is written to storage."""

from collections.abc import Mapping

from solver.heuristic.stage_plan import StagePlan, StagePlanner
from solver.lowering import Run, lower
from solver.schedule import Schedule
from solver.staged import StagedProblem, bits, mask_of


class Plan:
    """Mutable: the sets of tensors held across stage borders, and the stages that follow from them.

    held[t] : mask of what is in RAM when stage t begins (t = 0 .. stages, both ends empty).
    paged : mask of the tensors written to storage once, right after they are made.
    cost : of reruns, page-ins and page-outs at the planner's prices. seconds : what they take.
    Every change re-plans the stages it touches and can be taken back (`undo`).
    """

    def __init__(
        self,
        planner: StagePlanner,
        held: list[int],
        paged: int,
        decided: Mapping[int, StagePlan] | None = None,
    ) -> None:
        """Plan every stage but those `decided` already. Raises ValueError when one lacks a supply."""
        self.planner = planner
        self.staged = planner.staged
        self.held = held
        self.paged = paged
        self.mass = [self.staged.mass(mask) for mask in held]
        self.stages: list[StagePlan] = []
        for t in range(self.staged.stages):
            planned = (decided or {}).get(t) or planner.plan(
                t, held[t], held[t + 1], paged, self.mass[t]
            )
            if planned is None:
                raise ValueError(f"stage {t} lacks a supply")
            self.stages.append(planned)
        self.cost = sum(stage.cost for stage in self.stages) + self._writes(paged)[0]
        self.seconds = sum(stage.seconds for stage in self.stages) + self._writes(paged)[1]

    def _writes(self, mask: int) -> tuple[float, float]:
        price, seconds = self.planner.price.page_out, self.staged.out_s
        return sum(price[i] for i in bits(mask)), sum(seconds[i] for i in bits(mask))

    def copy(self) -> "Plan":
        """An independent copy that shares the (frozen) stage plans."""
        twin = object.__new__(Plan)
        twin.planner, twin.staged = self.planner, self.staged
        twin.held, twin.mass = self.held.copy(), self.mass.copy()
        twin.stages = self.stages.copy()
        twin.paged, twin.cost, twin.seconds = self.paged, self.cost, self.seconds
        return twin

    def over(self, stage: int) -> int:
        """Bytes by which a stage exceeds the room, 0 when it fits."""
        return max(0, self.stages[stage].peak - self.staged.room)

    @property
    def fits(self) -> bool:
        """True when every stage fits and the runtime limit is kept."""
        return self.fits_in_ram and self.fits_in_time

    @property
    def fits_in_ram(self) -> bool:
        """True when every stage fits into RAM."""
        room = self.staged.room
        return all(stage.peak <= room for stage in self.stages)

    @property
    def fits_in_time(self) -> bool:
        """True when transfers and reruns fit into the time left (1e-12 relative for the sum)."""
        limit = self.staged.limit_s
        return limit is None or self.seconds <= limit * (1 + 1e-12)

    def segment(self, tensor: int, border: int) -> tuple[int, int]:
        """The borders first..last of the stretch around `border` in which no stage reads it.

        At `first - 1` the tensor is made or used, at stage `last` it is used (or its hold ends).
        """
        bit, held, stages = 1 << tensor, self.held, self.stages
        first = last = border
        made = self.staged.producer[tensor]
        while first - 1 > made and held[first - 1] & bit and not self._supplies(first - 1, bit):
            first -= 1
        while held[last + 1] & bit and not stages[last].used & bit:
            last += 1
        return first, last

    def _supplies(self, stage: int, bit: int) -> bool:
        return bool(self.stages[stage].used & bit)

    def move(
        self, tensor: int, first: int, last: int, *, hold: bool
    ) -> list[tuple[int, StagePlan]] | None:
        """Hold or drop a tensor across the borders first..last and re-plan the stages around.

        Returns what `undo` needs, or None (nothing changed) when a stage would lack a supply.
        """
        bit = 1 << tensor
        for border in range(first, last + 1):
            if bool(self.held[border] & bit) != hold:
                self.held[border] ^= bit
                self.mass[border] += self.staged.size[tensor] if hold else -self.staged.size[tensor]
        undo: list[tuple[int, StagePlan]] = []
        for t in range(first - 1, last + 1):
            new = self.planner.plan(t, self.held[t], self.held[t + 1], self.paged, self.mass[t])
            if new is None:
                self.undo(tensor, first, last, undo, hold=not hold)
                return None
            self._replace(t, new, undo)
        return undo

    def page(self, tensor: int, *, write: bool) -> None:
        """Write the tensor to storage after it is made, or no longer do; stages stay as planned."""
        bit = 1 << tensor
        if bool(self.paged & bit) == write:
            return
        self.paged ^= bit
        sign = 1 if write else -1
        self.cost += sign * self.planner.price.page_out[tensor]
        self.seconds += sign * self.staged.out_s[tensor]

    def replan(self, stages: list[int]) -> list[tuple[int, StagePlan]] | None:
        """Plan these stages afresh (after `page`); None and unchanged when one lacks a supply."""
        undo: list[tuple[int, StagePlan]] = []
        for t in stages:
            new = self.planner.plan(t, self.held[t], self.held[t + 1], self.paged, self.mass[t])
            if new is None:
                self.restore(undo)
                return None
            self._replace(t, new, undo)
        return undo

    def _replace(self, t: int, new: StagePlan, undo: list[tuple[int, StagePlan]]) -> None:
        old = self.stages[t]
        undo.append((t, old))
        self.stages[t] = new
        self.cost += new.cost - old.cost
        self.seconds += new.seconds - old.seconds

    def restore(self, undo: list[tuple[int, StagePlan]]) -> None:
        """Put back the stage plans that `move` or `replan` replaced."""
        for t, old in reversed(undo):
            new = self.stages[t]
            self.stages[t] = old
            self.cost += old.cost - new.cost
            self.seconds += old.seconds - new.seconds

    def undo(
        self, tensor: int, first: int, last: int, undo: list[tuple[int, StagePlan]], *, hold: bool
    ) -> None:
        """Take a `move` back: `hold` is what held before it."""
        bit = 1 << tensor
        for border in range(first, last + 1):
            if bool(self.held[border] & bit) != hold:
                self.held[border] ^= bit
                self.mass[border] += self.staged.size[tensor] if hold else -self.staged.size[tensor]
        self.restore(undo)

    def schedule(self) -> Schedule:
        """The plan as a list of actions."""
        runs = [
            Run(op, during)
            for stage in self.stages
            for op, during in zip(stage.runs, stage.during, strict=True)
        ]
        return lower(self.staged, runs, self.paged)


def keep_everything(planner: StagePlanner) -> Plan:
    """The plan that holds every tensor until its last reader: the cheapest, and the largest."""
    staged = planner.staged
    held = [0] * (staged.stages + 1)
    for i, readers in enumerate(staged.readers):
        for border in range(staged.producer[i] + 1, readers[-1] + 1 if readers else 0):
            held[border] |= 1 << i
    return Plan(planner, held, 0)


def page_everything(planner: StagePlanner) -> Plan:
    """The plan that holds only what two neighbouring ops share and what cannot be paged."""
    staged = planner.staged
    plan = keep_everything(planner)
    fixed = mask_of([i for i in range(staged.tensors) if not staged.may_page[i]])
    held = [0] * (staged.stages + 1)
    for t in range(1, staged.stages):
        shared = staged.op_in[t] & (staged.op_in[t - 1] | staged.op_out[t - 1])
        held[t] = plan.held[t] & (fixed | shared)
    waits = [
        i
        for i, readers in enumerate(staged.readers)
        if any(b > a + 1 for a, b in zip((staged.producer[i], *readers), readers, strict=False))
    ]
    return Plan(planner, held, mask_of(waits) & ~fixed & ~staged.stored)
