"""Planning a stage: what must run again or be paged in for it, each by its cheaper supply."""

from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple

from solver.heuristic.decided_stage import StagePlan, decided_stage, late_loads
from solver.staged import StagedProblem


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


def seconds(staged: StagedProblem) -> Prices:
    """Prices that are the seconds of each run and transfer: for plans that end soon."""
    return Prices(staged.run_s, staged.in_s, staged.out_s)


@dataclass(slots=True)
class WorkCounter:
    """Work of the search, in stages looked up: its unit of deterministic work.

    planned : stages asked for, one that had to be worked out counted `FRESH` times.
    """

    planned: int = 0


FRESH: Final = 8
"""Look-ups that take as long as working out one stage (measured: 2 and 20 us)."""
_RECALLED: Final = 6
"""Plans of one stage with the same tensors missing that are remembered."""
_MOST_RECALLED: Final = 60_000
"""Keys after which all is forgotten: bounds the memory to some 100 MB."""


class _Recalled(NamedTuple):
    """A stage plan (None: no supply) and what it depends on: the masks `asked` in what is there.

    It serves every start and store that agree on `asked` and every end that agrees on `ended`.
    """

    asked: int
    start: int
    store: int
    ended: int
    end: int
    plan: StagePlan | None


class StagePlanner:
    """Plans stages of one problem at one set of prices; remembers what it planned."""

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
        self._recalled: dict[tuple[int, int], list[_Recalled]] = {}

    def narrowed(self, staged: StagedProblem) -> "StagePlanner":
        """A planner of the same problem with other limits and perhaps fewer reruns and pagings.

        It shares the work count, and what it remembers is all that is still allowed.
        """
        planner = StagePlanner(staged, self.price, self.counter)
        before = self.staged.may_rerun
        if any(new and not old for new, old in zip(staged.may_rerun, before, strict=True)):
            return planner  # what had no supply may now have one
        barred = {op for op, may in enumerate(staged.may_rerun) if before[op] and not may}
        planner._recalled = _without(self._recalled, barred) if barred else self._recalled
        return planner

    def at_prices(self, price: Prices) -> "StagePlanner":
        """The same planner at other prices; its work is counted together with this one's."""
        return StagePlanner(self.staged, price, self.counter)

    def plan(self, stage: int, start: int, end: int, paged: int) -> StagePlan | None:
        """Decide the stage that begins with `start` and must end with `end` in RAM.

        `paged` : mask of the tensors that were written to storage. Missing tensors are settled from
        the last made down, each by its cheaper supply. None when a missing tensor has no supply.
        The RAM limit is not looked at here.
        """
        staged = self.staged
        self.counter.planned += 1
        missing = (staged.op_in[stage] | (end & ~staged.op_out[stage])) & ~start
        if not missing:
            return self._plain[stage]
        store = paged | staged.stored
        known = self._recalled.get((stage, missing))
        if known is None:
            if len(self._recalled) >= _MOST_RECALLED:
                self._recalled.clear()
            known = self._recalled[stage, missing] = []
        for asked, begun, stored, ended, ending, plan in known:
            differs = ((start ^ begun) | (store ^ stored)) & asked or (end ^ ending) & ended
            if not differs:
                return plan
        self.counter.planned += FRESH - 1
        supply = _Supply(self, stage, start, store)
        plan = supply.settle(missing, end)
        ended = plan.touched if plan else 0
        known.insert(0, _Recalled(supply.asked, start, store, ended, end, plan))
        del known[_RECALLED:]
        return plan


def _without(
    recalled: dict[tuple[int, int], list[_Recalled]], barred: set[int]
) -> dict[tuple[int, int], list[_Recalled]]:
    """What is remembered, but for plans that run one of these ops again."""
    return {
        key: [known for known in found if not known.plan or barred.isdisjoint(known.plan.runs[:-1])]
        for key, found in recalled.items()
    }


_DEEPEST = 150  # ops looked back when pricing a rerun; beyond, its own run is taken for the price


class _Supply:
    """Settles how the missing tensors of one stage are supplied.

    `asked` : mask of the tensors of which it mattered whether they are in RAM or in storage.
    """

    def __init__(self, planner: StagePlanner, stage: int, start: int, store: int) -> None:
        self._staged = planner.staged
        self._price = planner.price
        self._stage = stage
        self._start = start
        self._store = store
        self._known: dict[int, float] = {}
        self.asked = 0

    def settle(self, missing: int, end: int) -> StagePlan | None:
        """The stage with every missing tensor paged in or made again; None if one has no supply."""
        staged, price, store = self._staged, self._price, self._store
        have, paged_in, cost = self._start, 0, 0.0
        reruns: list[int] = []
        asked = missing
        while missing:
            tensor = missing.bit_length() - 1
            op = staged.producer[tensor]
            may_run = staged.may_rerun[op] and op < self._stage
            may_page = store >> tensor & 1
            there = have | missing | paged_in
            if may_page and not (may_run and self._is_cheaper(op, tensor, there)):
                paged_in |= 1 << tensor
                missing ^= 1 << tensor
                cost += price.page_in[tensor]
            elif may_run:
                reruns.append(op)
                reads = staged.op_in[op]
                asked |= reads
                have |= staged.op_out[op]
                missing = (missing | (reads & ~(have | paged_in))) & ~staged.op_out[op]
                cost += price.run[op]
                self._known.clear()
            else:
                self.asked |= asked
                return None
        self.asked |= asked
        runs = (*sorted(reruns), self._stage)
        loads = late_loads(staged, runs, paged_in)
        return decided_stage(staged, runs, loads, start=self._start, end=end, cost=cost)

    def _is_cheaper(self, op: int, tensor: int, have: int) -> bool:
        """Whether running `op` again, with what it lacks, costs less than paging `tensor` in."""
        limit = self._price.page_in[tensor]
        return self._rerun(op, have, limit, 0) < limit

    def _rerun(self, op: int, have: int, limit: float, depth: int) -> float:
        """Price of running `op` again with the inputs not in `have`; inf from `limit` on."""
        staged = self._staged
        if not staged.may_rerun[op]:
            return inf
        cost = self._price.run[op]
        if cost >= limit:
            return inf
        lacking = staged.op_in[op]
        self.asked |= lacking
        lacking &= ~have
        while lacking:
            tensor = lacking.bit_length() - 1
            lacking ^= 1 << tensor
            cost += self._cheapest(tensor, have, limit - cost, depth + 1)
            if cost >= limit:
                return inf
        return cost

    def _cheapest(self, tensor: int, have: int, limit: float, depth: int) -> float:
        """Price of one more tensor; at least `limit` where it is not less than that."""
        if depth > _DEEPEST:
            return 0.0
        known = self._known.get(tensor)
        if known is not None:
            return known
        page = self._price.page_in[tensor] if self._store >> tensor & 1 else inf
        best = min(page, self._rerun(self._staged.producer[tensor], have, min(limit, page), depth))
        if best < limit:
            self._known[tensor] = best
        return best
