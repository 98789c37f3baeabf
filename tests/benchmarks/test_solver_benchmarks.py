"""How long models take to build; how near solves come to the best known is for `poet bench`.

Limits are generous by a factor of three: they catch what has become slow, not a busy machine.
"""

import time

import cvxpy as cp
import pytest

from solver import api
from solver.device import IoMode
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.milp.gap_model import GapModel
from solver.milp.stage_model import StageModel
from solver.problem import Problem
from solver.staged import stage


def poet_problem(
    network: str, device: str, *, ram: int | None = None, runtime_ratio: float | None = None
) -> Problem:
    graph = api.load_training_graph(GraphRequest(network, Accounting.POET)).graph
    return api.make_problem(
        graph,
        api.load_device(device),
        ram=ram,
        runtime_ratio=runtime_ratio,
        io=IoMode.IGNORED,
    )


@pytest.mark.benchmark
def test_that_bert_becomes_solver_input_within_a_second() -> None:
    cp.Problem(cp.Minimize(cp.Variable())).get_problem_data(cp.HIGHS)  # imports and caches
    problem = poet_problem("bert", "nrf52840", runtime_ratio=2.0)
    problem = api.make_problem(
        problem.costed.graph, problem.costed.device, ram_ratio=0.5, runtime_ratio=2.0
    )

    began = time.perf_counter()
    staged = stage(problem)
    gap = GapModel(staged, scale=1.0)
    gap.problem().get_problem_data(cp.HIGHS)
    seconds_gap = time.perf_counter() - began
    model = StageModel(staged, begin=staged.first_backward, detailed=frozenset(), scale=1.0)
    data, _, _ = model.problem().get_problem_data(cp.HIGHS)
    seconds = time.perf_counter() - began

    rows, columns = data["A"].shape
    print(  # noqa: T201
        f"bert: gap model of {gap.columns} columns in {seconds_gap:.2f} s, stage model of "
        f"{columns} columns and {rows} rows {seconds - seconds_gap:.2f} s later"
    )
    assert seconds < 3 * 1.0
