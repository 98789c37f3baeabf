"""What a rerun needs, what it leads to, and at which ops memory can be short."""

from bisect import bisect_left

from solver.milp.gap_model import chain_costs, output_shares
from solver.staged import StagedProblem, last_uses


class Lineage:
    """Facts of one staged problem that the event model's rows are written from.

    needs : per op, the tensors that must be there for a rerun, sorted; folded inputs are replaced
    by what their own producers need, which run with it. run_j, run_s : per tensor, its share of its
    producer's chain.
    critical : the ops at which everything alive does not fit; elsewhere holding is free.
    """

    def __init__(self, staged: StagedProblem) -> None:
        self.staged = staged
        self.needs = _needs(staged)
        shares = output_shares(staged)
        chain_j, chain_s = chain_costs(staged, staged.run_j), chain_costs(staged, staged.run_s)
        producers = staged.producer
        self.run_j = [shares[i] * chain_j[op] for i, op in enumerate(producers)]
        self.run_s = [shares[i] * chain_s[op] for i, op in enumerate(producers)]
        self.life = last_uses(staged)
        self.critical = _critical(staged, self.life)
        self._below: dict[tuple[int, int], int] = {}

    def last_critical(self, first: int, last: int) -> int:
        """The last critical op strictly between `first` and `last`, -1 when there is none."""
        place = bisect_left(self.critical, last)
        op = self.critical[place - 1] if place else -1
        return op if op > first else -1

    def can_be_early(self, tensor: int) -> bool:
        """Whether running its producer before it is wanted can save memory.

        It cannot where the inputs together are no larger than the tensor: then holding them and
        running later is as good.
        """
        size = self.staged.size
        needed = sum(size[u] for u in self.needs[self.staged.producer[tensor]])
        return needed > size[tensor]

    def below(self, tensor: int, besides: int = -1) -> int:
        """Mask of what reruns can make of `tensor`, its first reader being another op than one."""
        key = (tensor, besides)
        if key not in self._below:
            staged, found = self.staged, 1 << tensor
            for op in range(staged.producer[tensor] + 1, staged.stages):
                if not staged.may_rerun[op] or not staged.op_in[op] & found:
                    continue
                if op == besides and not staged.op_in[op] & found & ~(1 << tensor):
                    continue
                for i in staged.makes[op]:
                    found |= 1 << i
            self._below[key] = found & ~(1 << tensor)
        return self._below[key]


def _needs(staged: StagedProblem) -> tuple[tuple[int, ...], ...]:
    needs: list[tuple[int, ...]] = []
    for op in range(staged.stages):
        found: set[int] = set()
        for tensor in staged.reads[op]:
            if staged.folded >> tensor & 1:
                found.update(needs[staged.producer[tensor]])
            else:
                found.add(tensor)
        needs.append(tuple(sorted(found)))
    return tuple(needs)


def _critical(staged: StagedProblem, life: list[int]) -> list[int]:
    alive = [0] * (staged.stages + 1)  # what begins to be alive minus what ends, in bytes
    for tensor in range(staged.tensors):
        first, last = staged.producer[tensor] + 1, life[tensor]
        if last >= first:
            alive[first] += staged.size[tensor]
            alive[last + 1] -= staged.size[tensor]
    critical, there = [], 0
    for op in range(staged.stages):
        there += alive[op]
        used = sum(staged.size[i] for i in staged.reads[op] if staged.producer[i] < op <= life[i])
        if there - used + staged.need(op) > staged.room:
            critical.append(op)
    return critical
