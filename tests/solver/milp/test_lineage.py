"""Claim: what reruns need and lead to is read off the graph, folded tensors looked through."""

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


def test_that_only_reruns_lead_on() -> None:
    found = lineage(1000)

    assert found.below(0) == 0b1110
    assert found.below(0, besides=1) == 0  # f1's producer is f0's only reader that may run again


def test_that_running_early_pays_only_where_the_inputs_are_larger() -> None:
    found = lineage(1000)

    assert found.can_be_early(1)  # 100 B to make 60 B
    assert not found.can_be_early(0)  # from nothing
    assert found.can_be_early(3)


def test_that_an_op_is_critical_when_all_that_is_alive_does_not_fit() -> None:
    # Alive at f2: f0 (read by b1), f1 read and f2 made, f0 beside: 100 + 60 + 60 = 220 B.
    # At f3: f0 100, f2 60 read (and later), f1 60 that f2 can be remade from, f3 10: 230 B.
    # At b2: f0 100, f1 60, f3 10, f2 60, b2 50 made: 280 B. At b1: f0 100, b2 50, b1 50: 200 B.
    assert lineage(219).critical == [2, 3, 4]
    assert lineage(229).critical == [3, 4]
    assert lineage(279).critical == [4]
    assert lineage(280).critical == []


def test_that_the_last_critical_op_between_two_is_found() -> None:
    found = lineage(219)  # critical: 2, 3, 4

    assert found.last_critical(1, 4) == 3
    assert found.last_critical(3, 6) == 4
    assert found.last_critical(2, 3) == -1
    assert found.last_critical(4, 6) == -1
