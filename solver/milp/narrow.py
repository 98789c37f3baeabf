"""What a better schedule can never do: fixing by reduced costs of the gap model's relaxation.

With z the relaxation's optimum and d its reduced costs, a schedule that uses column j costs at
least z + d[j]. And a page-in or rerun that no gap is charged for comes on top of z at its full
price. So a tensor or op for which both exceed the best known schedule can be left alone: every
cheaper schedule is still there, and a bound of the narrowed problem holds for all of them.
"""

from dataclasses import replace
from math import inf

from solver.costs import FloatArray
from solver.milp.gap_model import GapModel
from solver.staged import StagedProblem, bits

_MARGIN = 1e-6  # relative to the best objective: reduced costs carry the solver's tolerances


def narrow(
    model: GapModel, objective: float, reduced_costs: FloatArray, best_objective: float
) -> StagedProblem:
    """The model's staged problem without paging and reruns that no better schedule contains.

    objective, reduced_costs : of the relaxation of `model`, in its scale. best_objective : of the
    best known schedule, likewise.
    """
    staged = model.staged
    slack = best_objective * (1 + _MARGIN) - objective
    paged = [inf] * staged.tensors
    rerun = [inf] * staged.stages
    for gap in model.gaps:
        if gap.page_in >= 0:
            paged[gap.tensor] = min(paged[gap.tensor], max(0.0, reduced_costs[gap.page_in]))
        if gap.remake >= 0:
            op = staged.producer[gap.tensor]
            rerun[op] = min(rerun[op], max(0.0, reduced_costs[gap.remake]))
    # What an op reads folded runs with it and is in its price already (chain_costs).
    for op in range(staged.stages - 1, -1, -1):
        for tensor in bits(staged.op_in[op] & staged.folded):
            maker = staged.producer[tensor]
            rerun[maker] = min(rerun[maker], rerun[op])
    for tensor, column in model.write.items():
        paged[tensor] += max(0.0, reduced_costs[column])
    may_page = tuple(
        may and (bool(staged.stored >> i & 1) or min(paged[i], _transfer(model, i)) <= slack)
        for i, may in enumerate(staged.may_page)
    )
    may_rerun = tuple(
        may and min(rerun[op], staged.run_j[op] * model.scale) <= slack
        for op, may in enumerate(staged.may_rerun)
    )
    return replace(staged, may_page=may_page, may_rerun=may_rerun)


def _transfer(model: GapModel, tensor: int) -> float:
    staged = model.staged
    return (staged.out_j[tensor] + staged.in_j[tensor]) * model.scale
