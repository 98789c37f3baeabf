"""What a rerun needs, what it costs, and how long a tensor can be of use."""

from solver.milp.gap_model import chain_costs
from solver.staged import StagedProblem, last_uses


class Lineage:
    """Facts of one staged problem that the period model's rows are written from.

    needs : per op, the tensors that must be there for a rerun, sorted; folded inputs are replaced
    by what their own producers need, which run with it. run_j, run_s : per op, what that chain
    costs. life : per tensor, the last stage that can use it, -1 for none.
    """

    def __init__(self, staged: StagedProblem) -> None:
        self.staged = staged
        self.needs = _needs(staged)
        self.run_j = chain_costs(staged, staged.run_j)
        self.run_s = chain_costs(staged, staged.run_s)
        self.life = last_uses(staged)


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
