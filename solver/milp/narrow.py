"""What a better schedule can never do: fixing by reduced costs of the gap model's relaxation.

With z the relaxation's optimum and d its reduced costs, a schedule that uses column j costs at
least z + d[j]. And a page-in or rerun that no gap is charged for comes on top of z at its full
price. So a tensor or op for which both exceed the best known schedule can be left alone: every
cheaper schedule is still there, and a bound of the narrowed problem holds for all of them.
"""

from dataclasses import replace
from math import inf

from solver.costs import FloatArray
from solver.milp.gap_model import GapModel, chain_costs, output_shares
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
    made: dict[int, float] = {}
    for gap in model.gaps:
        if gap.page_in >= 0:
            paged[gap.tensor] = min(paged[gap.tensor], max(0.0, reduced_costs[gap.page_in]))
        if gap.remake >= 0:
            dearer = max(0.0, float(reduced_costs[gap.remake]))
            made[gap.tensor] = min(made.get(gap.tensor, inf), dearer)
    rerun = _of_runs(model, made)
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


def _of_runs(model: GapModel, made: dict[int, float]) -> list[float]:
    """Per op, what a better schedule that runs it again costs above the relaxation, at least.

    made : the least reduced cost of making a tensor again. A run for some of its outputs is charged
    for those alone, so the shares of the others come on top.
    """
    staged = model.staged
    shares, chain_j = output_shares(staged), chain_costs(staged, staged.run_j)
    rerun = [inf] * staged.stages
    for op, makes in enumerate(staged.makes):
        whole = chain_j[op] * model.scale
        more = [made[i] - shares[i] * whole for i in makes if i in made]
        if more:
            saved = sum(value for value in more if value < 0)
            rerun[op] = max(0.0, whole + (saved if saved < 0 else min(more)))
    return rerun
