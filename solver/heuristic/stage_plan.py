"""One stage of a plan: what must run again or be paged in, and what that costs and occupies."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    outputs apart. paged_in : mask. cost : at the prices of the search; seconds : of the reruns and
    page-ins. peak : bytes, workspace and outputs included. used : mask of the tensors that some run
    of the stage reads.
    """

    runs: tuple[int, ...]
    during: tuple[int, ...]
    paged_in: int
    cost: float
    seconds: float
    peak: int
    used: int


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

    def at_prices(self, price: Prices) -> "StagePlanner":
        """The same planner at other prices; its work is counted together with this one's."""
        return StagePlanner(self.staged, price, self.counter)

    def plan(
        self, stage: int, start: int, end: int, paged: int, start_mass: int
    ) -> StagePlan | None:
        """Decide the stage that begins with `start` and must end with `end` in RAM.

        `paged` : mask of the tensors that were written to storage. `start_mass` : bytes of `start`.
        Missing tensors are settled from the last made down, each by its cheaper supply. None when a
        missing tensor has no supply. The RAM limit is not looked at here: see `peak`.
        """
        self.counter.planned += 1
        staged = self.staged
        missing = (staged.op_in[stage] | (end & ~staged.op_out[stage])) & ~start
        if not missing:
            return self._finish(stage, (stage,), 0, start, end, start_mass, 0.0)
        store = paged | staged.stored
        have, paged_in, cost = start, 0, 0.0
        reruns: list[int] = []
        memo: dict[int, float] = {}
        while missing:
            tensor = missing.bit_length() - 1
            bit = 1 << tensor
            op = staged.producer[tensor]
            page_cost = self.price.page_in[tensor] if store & bit else None
            if not staged.may_rerun[op] or op >= stage:
                run_cost = None
            else:
                run_cost = self.price.run[op]
                for i in staged.reads[op]:
                    if not (have | missing | paged_in) >> i & 1:
                        run_cost += self._supply(i, stage, have | missing | paged_in, store, memo)
            if run_cost is None and page_cost is None:
                return None
            if run_cost is None or (page_cost is not None and page_cost <= run_cost):
                paged_in |= bit
                missing &= ~bit
                cost += self.price.page_in[tensor]
            else:
                reruns.append(op)
                have |= staged.op_out[op]
                missing = (missing | (staged.op_in[op] & ~(have | paged_in))) & ~staged.op_out[op]
                cost += self.price.run[op]
                memo.clear()
        runs = (*sorted(reruns), stage)
        return self._finish(stage, runs, paged_in, start, end, start_mass, cost)

    def _supply(
        self, tensor: int, stage: int, have: int, store: int, memo: dict[int, float]
    ) -> float:
        """Least price of getting a tensor that is not there; infinite when it cannot be had."""
        known = memo.get(tensor)
        if known is not None:
            return known
        best = self.price.page_in[tensor] if store >> tensor & 1 else float("inf")
        op = self.staged.producer[tensor]
        if self.staged.may_rerun[op] and op < stage:
            run = self.price.run[op]
            for i in self.staged.reads[op]:
                if run >= best:
                    break
                if not have >> i & 1:
                    run += self._supply(i, stage, have, store, memo)
            best = min(best, run)
        memo[tensor] = best
        return best

    def _finish(
        self,
        stage: int,
        runs: tuple[int, ...],
        paged_in: int,
        start: int,
        end: int,
        start_mass: int,
        cost: float,
    ) -> StagePlan:
        staged = self.staged
        if len(runs) == 1 and not paged_in:
            during = (staged.op_in[stage] | (end & ~staged.op_out[stage])) & start
            dropped = start & ~during
            mass = start_mass - staged.mass(dropped) if dropped else start_mass
            new = staged.op_out[stage] & ~during
            peak = mass + staged.mass(new) + staged.workspace[stage]
            return StagePlan(runs, (during,), 0, 0.0, 0.0, peak, staged.op_in[stage])
        loads = late_loads(staged, runs, paged_in)
        during_runs, used, _ = liveness(staged, runs, loads, end)
        touched = start ^ end
        for op in runs:
            touched |= staged.op_in[op] | staged.op_out[op]
        through = start_mass - staged.mass(start & touched)
        peak = 0
        seconds = 0.0
        for op, during in zip(runs, during_runs, strict=True):
            mass = staged.mass((during | staged.op_out[op]) & touched) + staged.workspace[op]
            peak = max(peak, mass)
            seconds += staged.run_s[op]
        seconds -= staged.run_s[stage]
        if paged_in:
            seconds += sum(staged.in_s[i] for i in bits(paged_in))
        return StagePlan(runs, during_runs, paged_in, cost, seconds, peak + through, used)


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
