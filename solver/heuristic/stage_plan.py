"""One stage of a plan: what must run again or be paged in, and what that costs and occupies."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from solver.staged import StagedProblem, bits


@dataclass(frozen=True, slots=True)
class Prices:
    """What the search minimises per run and transfer: joules + price of a second * seconds."""

    run: tuple[float, ...]
    page_in: tuple[float, ...]
    page_out: tuple[float, ...]


def prices(staged: StagedProblem, joule_per_second: float = 0.0) -> Prices:
    """Prices of every op and tensor of `staged` when a second is worth `joule_per_second`."""
    return Prices(
        tuple(j + joule_per_second * s for j, s in zip(staged.run_j, staged.run_s, strict=True)),
        tuple(j + joule_per_second * s for j, s in zip(staged.in_j, staged.in_s, strict=True)),
        tuple(j + joule_per_second * s for j, s in zip(staged.out_j, staged.out_s, strict=True)),
    )


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A stage decided: reruns in order, tensors paged in, and their cost.

    runs : ops in order, the stage's own op last. during : per run, mask of what is in RAM, the
    outputs apart and without what only passes through (held before and after, touched by no run).
    paged_in : mask. cost : at the prices of the search; seconds : of the reruns and page-ins.
    peak : bytes, workspace and outputs included, without what passes through. used, touched : masks
    of the tensors that some run of the stage reads, or reads or makes.
    """

    runs: tuple[int, ...]
    during: tuple[int, ...]
    paged_in: int
    cost: float
    seconds: float
    peak: int
    used: int
    touched: int


@dataclass(slots=True)
class WorkCounter:
    """Stages planned so far: the search's unit of deterministic work."""

    planned: int = 0


class StagePlanner:
    """Plans stages of one problem at one set of prices."""

    def __init__(
        self, staged: StagedProblem, price: Prices, counter: WorkCounter | None = None
    ) -> None:
        self.staged = staged
        self.price = price
        self.counter = counter or WorkCounter()
        self._plain = [
            StagePlan((t,), (reads,), 0, 0.0, 0.0, staged.need(t), reads, reads | makes)
            for t, (reads, makes) in enumerate(zip(staged.op_in, staged.op_out, strict=True))
        ]

    def at_prices(self, price: Prices) -> "StagePlanner":
        """The same planner at other prices; its work is counted together with this one's."""
        return StagePlanner(self.staged, price, self.counter)

    def plan(self, stage: int, start: int, end: int, paged: int) -> StagePlan | None:
        """Decide the stage that begins with `start` and must end with `end` in RAM.

        `paged` : mask of the tensors that were written to storage. Missing tensors are settled from
        the last made down, each by its cheaper supply. None when a missing tensor has no supply.
        The RAM limit is not looked at here.
        """
        self.counter.planned += 1
        staged = self.staged
        missing = (staged.op_in[stage] | (end & ~staged.op_out[stage])) & ~start
        if not missing:
            return self._plain[stage]
        supply = _Supply(self, stage, paged | staged.stored)
        have, paged_in, cost = start, 0, 0.0
        reruns: list[int] = []
        while missing:
            tensor = missing.bit_length() - 1
            op = staged.producer[tensor]
            page_cost = supply.page(tensor)
            run_cost = supply.rerun(op, have | missing | paged_in)
            if run_cost is None and page_cost is None:
                return None
            if run_cost is None or (page_cost is not None and page_cost <= run_cost):
                paged_in |= 1 << tensor
                missing &= ~(1 << tensor)
                cost += self.price.page_in[tensor]
            else:
                reruns.append(op)
                have |= staged.op_out[op]
                missing = (missing | (staged.op_in[op] & ~(have | paged_in))) & ~staged.op_out[op]
                cost += self.price.run[op]
                supply.forget()
        runs = (*sorted(reruns), stage)
        loads = late_loads(staged, runs, paged_in)
        return decided_stage(staged, runs, loads, start=start, end=end, cost=cost)


_DEEPEST = 150  # ops looked back when pricing a rerun; beyond, its own run is taken for the price


class _Supply:
    """Prices of the ways to get a tensor within one stage."""

    def __init__(self, planner: StagePlanner, stage: int, store: int) -> None:
        self._staged = planner.staged
        self._price = planner.price
        self._stage = stage
        self._store = store
        self._known: dict[int, float] = {}

    def page(self, tensor: int) -> float | None:
        """Price of paging it in; None when it is not in storage."""
        return self._price.page_in[tensor] if self._store >> tensor & 1 else None

    def rerun(self, op: int, have: int, depth: int = 0) -> float | None:
        """Price of running `op` again with the inputs not in `have`; None if it may not run."""
        if not self._staged.may_rerun[op] or op >= self._stage:
            return None
        cost = self._price.run[op]
        for i in self._staged.reads[op]:
            if not have >> i & 1:
                cost += self._cheapest(i, have, depth + 1)
        return cost

    def _cheapest(self, tensor: int, have: int, depth: int) -> float:
        if depth > _DEEPEST:
            return 0.0
        if tensor not in self._known:
            ways = (self.page(tensor), self.rerun(self._staged.producer[tensor], have, depth))
            self._known[tensor] = min((way for way in ways if way is not None), default=inf)
        return self._known[tensor]

    def forget(self) -> None:
        """What is there has changed: prices must be found anew."""
        self._known.clear()


def decided_stage(
    staged: StagedProblem,
    runs: tuple[int, ...],
    loads: Sequence[int],
    *,
    start: int,
    end: int,
    cost: float,
) -> StagePlan:
    """The stage that runs these ops, with these page-ins directly before each of them."""
    during, used, _ = liveness(staged, runs, loads, end)
    touched = used
    for op in runs:
        touched |= staged.op_out[op]
    through = start & end & ~touched
    peak = paged_in = 0
    seconds = -staged.run_s[runs[-1]]
    for op, here, load in zip(runs, during, loads, strict=True):
        paged_in |= load
        seconds += staged.run_s[op] + sum(staged.in_s[i] for i in bits(load))
        mass = staged.mass((here | staged.op_out[op]) & ~through) + staged.workspace[op]
        peak = max(peak, mass)
    local = tuple(here & ~through for here in during)
    return StagePlan(runs, local, paged_in, cost, seconds, peak, used, touched)


def late_loads(staged: StagedProblem, runs: Sequence[int], paged_in: int) -> list[int]:
    """Per run, the tensors of `paged_in` to page in directly before it: before their first reader.

    Those that only the stage's end wants are paged in before its own op, the last run. As late as
    possible, so that they occupy RAM as briefly as possible.
    """
    loads = []
    left = paged_in
    for op in runs:
        loads.append(left & staged.op_in[op])
        left &= ~staged.op_in[op]
    loads[-1] |= left
    return loads


def liveness(
    staged: StagedProblem, runs: Sequence[int], loads: Sequence[int], end: int
) -> tuple[tuple[int, ...], int, int]:
    """What is in RAM during each run, backwards from the end; all that is read; the start.

    `loads` : per run, mask of the tensors paged in directly before it.
    """
    during = [0] * len(runs)
    used = 0
    wanted = end
    for position in range(len(runs) - 1, -1, -1):
        op = runs[position]
        during[position] = staged.op_in[op] | (wanted & ~staged.op_out[op])
        wanted = during[position] & ~loads[position]
        used |= staged.op_in[op]
    return tuple(during), used, wanted
