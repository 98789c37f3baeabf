"""Truth values have no gradient; a choice keeps its condition."""

import pytest

from solver.graph import TrainingGraph
from tests.helpers.graph_checks import faults_of
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained

SHAPE = (2, 3, 4)  # 24 elements


def chosen(yes: str, no: str) -> TrainingGraph:
    """Where x is above a constant, `yes`, elsewhere `no`; both may be x itself."""
    net = NetworkOf()
    trained("x", SHAPE, net)
    net.const("zero", ()).const("row", (4,))
    net.layer("above", "Greater", "x zero", SHAPE, dtype="bool")
    return graph_of_layer(net.layer("it", "Where", f"above {yes} {no}", SHAPE).network())


@pytest.mark.parametrize("op_type", ["Equal", "Less", "GreaterOrEqual", "And", "IsNaN", "Not"])
def test_that_a_comparison_costs_one_per_element_and_has_no_gradient(op_type: str) -> None:
    net = NetworkOf()
    trained("x", SHAPE, net)
    net.layer("true", op_type, "x x", SHAPE, dtype="bool").layer("it", "Where", "true x x", SHAPE)
    graph = graph_of_layer(net.network())
    assert op_named(graph, "true").flop == 24
    assert not [op.name for op in graph.ops if op.name.startswith("true.")]


def test_that_a_choice_keeps_its_condition_and_neither_operand() -> None:
    graph = chosen("x", "zero")
    assert kept(graph) == {"above"}
    assert op_named(graph, "it").flop == 24
    gradient = op_named(graph, "it.input_gradient.2")
    assert gradient.inputs == ("loss.input_gradient", "above")
    assert gradient.flop == 24


def test_that_both_operands_of_a_choice_get_a_gradient() -> None:
    graph = chosen("x", "x")
    names = [op.name for op in graph.ops[graph.first_backward :]]
    assert names == [
        "loss.input_gradient", "it.input_gradient.2", "it.input_gradient.3", "add_gradient:x",
        "x.bias_gradient",
    ]  # fmt: skip


def test_that_the_gradient_of_a_spread_operand_is_summed() -> None:
    network = one_layer("Where", {"a": SHAPE, "b": (1, 3, 1)}, SHAPE, order="a a b")
    assert op_named(graph_of_layer(network), "it.input_gradient.3").flop == 24 + 24


@pytest.mark.parametrize(("yes", "no"), [("x", "zero"), ("x", "row"), ("x", "x")])
def test_that_a_condition_computed_from_what_is_trained_leaves_the_graph_whole(
    yes: str, no: str
) -> None:
    assert faults_of(chosen(yes, no)) == []
