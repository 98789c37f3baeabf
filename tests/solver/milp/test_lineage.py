"""Claim: what reruns need and cost is read off the graph, folded tensors looked through."""

from solver.milp.lineage import Lineage
from solver.staged import stage
from tests.helpers.builders import Line, graph_of, problem_of

#   f0 -> f1 -> f2 (reads f1 alone, no larger: f1 is folded) -> f3; b1 reads f2, b0 reads f0
LINES = [
    Line("f0", "f", 100, 1e6),
    Line("f1", "f", 60, 2e6, ("f0",)),
    Line("f2", "f", 60, 4e6, ("f1",)),
    Line("f3", "f", 10, 1e6, ("f2",)),
    Line("b2", "b", 50, 1e6, ("f3", "f2")),
    Line("b1", "b", 50, 1e6, ("b2", "f0")),
]


def lineage(ram_bytes: int) -> Lineage:
    return Lineage(stage(problem_of(graph_of(LINES), ram_bytes)))


def test_that_a_folded_input_is_replaced_by_what_its_own_producer_needs() -> None:
    assert lineage(1000).needs == ((), (0,), (0,), (2,), (2, 3), (0, 4))


def test_that_a_run_costs_what_its_folded_inputs_cost_too() -> None:
    energy = lineage(1000).staged.run_j

    assert lineage(1000).run_j[2] == energy[1] + energy[2]


def test_that_a_tensor_is_of_use_until_the_last_that_can_be_made_of_it_is_read() -> None:
    # f1 can make f2 again until b2 (place 4) reads it; f0 is read by b1; b1 by nobody.
    assert lineage(1000).life == [5, 4, 4, 4, 5, -1]
