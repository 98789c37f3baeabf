"""The least energy of a small problem by exhaustive search: no model, no shared code, no MIP.

A state is what has run, what is in RAM, what is in storage. The search follows the staged problem's
rules literally: first runs in order; inside a stage earlier recomputable forward ops at most once
each, in order; frees, page-outs and page-ins anywhere; memory checked at every action.
"""

import heapq
from collections.abc import Iterator
from typing import NamedTuple

from solver.device import IoMode
from solver.graph import Phase
from solver.problem import Problem


class State(NamedTuple):
    """`stage`: ops first-run so far; `last`: the last op rerun in this stage, -1 before any."""

    stage: int
    last: int
    ram: frozenset[int]
    storage: frozenset[int]


def least_energy(problem: Problem) -> float | None:
    """Exact optimum in joules; None when no schedule exists. Exponential: up to about 8 tensors.

    With a runtime limit, labels (energy, time) are kept that no other label of the state beats.
    """
    graph = problem.costed.graph
    stored = frozenset(
        i for i, t in enumerate(graph.tensors) if t.in_storage_at_start and t.pageable
    )
    start = State(0, -1, frozenset(), stored)
    limit = problem.budgets.runtime_s
    bound_s = float("inf") if limit is None else limit * (1 + 1e-9)
    queue: list[tuple[float, float, int, State]] = [(0.0, 0.0, 0, start)]
    settled: dict[State, float] = {}
    count = 0
    while queue:
        energy, time, _, state = heapq.heappop(queue)
        if state.stage == len(graph.ops):
            return energy
        if settled.get(state, float("inf")) <= time:
            continue
        settled[state] = time if limit is not None else -1.0
        for cost_j, cost_s, following in _moves(problem, state):
            if time + cost_s <= bound_s:
                count += 1
                heapq.heappush(queue, (energy + cost_j, time + cost_s, count, following))
    return None


def _moves(problem: Problem, state: State) -> Iterator[tuple[float, float, State]]:
    graph = problem.costed.graph
    ram_bytes = problem.budgets.ram_bytes
    sizes = problem.costed.tensor_bytes

    def mass(tensors: frozenset[int]) -> int:
        return graph.fixed_bytes + sum(sizes[i] for i in tensors)

    for i in state.ram:
        yield 0.0, 0.0, state._replace(ram=state.ram - {i})
    if problem.switches.paging:
        yield from _transfers(problem, state, mass)
    again = (
        [
            k
            for k in range(state.last + 1, state.stage)
            if graph.ops[k].phase is Phase.FORWARD and graph.ops[k].recomputable
        ]
        if problem.switches.recompute
        else []
    )
    for k in (*again, state.stage):
        op = graph.ops[k]
        if not set(graph.op_inputs[k]) <= state.ram:
            continue
        ram = state.ram | set(graph.op_outputs[k])
        if mass(ram) + op.workspace_bytes > ram_bytes:
            continue
        cost_j = float(problem.costed.op_energy_j[k])
        cost_s = float(problem.costed.op_duration_s[k])
        if k == state.stage:
            yield cost_j, cost_s, State(k + 1, -1, ram, state.storage)
        else:
            yield cost_j, cost_s, State(state.stage, k, ram, state.storage)


def _transfers(problem, state, mass) -> Iterator[tuple[float, float, State]]:  # type: ignore[no-untyped-def] # as its callers pass them
    costed = problem.costed
    timed = problem.switches.io is not IoMode.IGNORED
    for i, tensor in enumerate(costed.graph.tensors):
        if not tensor.pageable:
            continue
        if i in state.ram and i not in state.storage:
            seconds = float(costed.page_out_s[i])
            after = state._replace(storage=state.storage | {i})
            yield float(costed.page_out_j[i]), seconds * timed, after
        if i in state.storage and i not in state.ram:
            ram = state.ram | {i}
            if mass(ram) <= problem.budgets.ram_bytes:
                seconds = float(costed.page_in_s[i])
                yield float(costed.page_in_j[i]), seconds * timed, state._replace(ram=ram)
