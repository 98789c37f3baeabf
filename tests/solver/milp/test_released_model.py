"""Claim: the released formulation, written afresh, has the optima that the released code has."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from solver import api
from solver.device import IoMode
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.milp.backend import Ending
from solver.milp.released_model import ReleasedModel
from solver.problem import Problem
from tests.helpers.milp import solved

_REFERENCE: Final = Path(__file__).parents[2] / "data" / "reference"
ROWS: Final[list[dict[str, Any]]] = [
    row
    for row in json.loads((_REFERENCE / "optima.json").read_text())
    if row["network"] == "linear"
]


def problem_of(row: dict[str, Any]) -> Problem:
    graph = api.load_training_graph(GraphRequest(row["network"], Accounting.POET)).graph
    return api.make_problem(
        graph,
        api.load_device(row["device"]),
        ram=row["ram_bytes"],
        runtime_ratio=row["runtime_ratio"],
        io=IoMode.IGNORED,
    )


def _name(row: dict[str, Any]) -> str:
    return f"{row['device']}-{row['ram_bytes']}-{row['runtime_ratio']}"


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_that_its_optimum_is_that_of_the_released_code(row: dict[str, Any]) -> None:
    model = ReleasedModel(problem_of(row))
    result = solved(model.problem())
    if row["overhead_j"] is None:
        assert result.ending is Ending.INFEASIBLE
        return
    assert result.objective is not None
    total_j = row["baseline_j"] + row["overhead_j"]
    assert result.objective * model.joules == pytest.approx(total_j, rel=1e-6)


def test_that_it_has_five_binaries_per_stage_and_op_and_one_per_stage_and_edge() -> None:
    # linear: 14 forward ops in a chain, 13 edges; 13 gradients that read two outputs and, but for
    # the first, the gradient before: 3 x 13 - 1 edges. 27 ops, 51 edges, and U for every pair.
    model = ReleasedModel(problem_of(ROWS[0]))
    assert model.columns == 5 * 27 * 27 + 27 * 51 + 27 * 27
    # per stage: inputs 51, freeing 2 x 51, legal paging 2 x 27, memory 27; carried over to the 26
    # later stages: 2 x 27; runtime 1
    assert model.rows == 27 * (51 + 2 * 51 + 2 * 27 + 27) + 26 * 2 * 27 + 1
