"""Dropping any one gradient op from the graph of any witness network turns a check red."""

import pytest

from solver.graph import Phase
from tests.helpers.graph_checks import bypassing, faults_of, without_op
from tests.witness.comparison import NETWORKS
from tests.witness.ours import products, training_graph
from tests.witness.theirs import recorded


@pytest.mark.parametrize("network", NETWORKS)
def test_that_nothing_is_missing_from_the_whole_graph(network: str) -> None:
    assert faults_of(training_graph(network)) == []


@pytest.mark.slow
@pytest.mark.parametrize("network", NETWORKS)
def test_that_each_gradient_op_is_missed(network: str) -> None:
    graph = training_graph(network)
    for k, op in enumerate(graph.ops):
        if op.phase is Phase.BACKWARD:
            assert faults_of(without_op(graph, k)), op.name


@pytest.mark.slow
@pytest.mark.parametrize("network", NETWORKS)
def test_that_each_gradient_op_is_missed_where_its_readers_make_do_without(network: str) -> None:
    """Its readers take what it read: sums lose a part, a layer hands on its output's gradient."""
    graph = training_graph(network)
    for k, op in enumerate(graph.ops):
        if op.phase is Phase.BACKWARD and len(op.outputs) == 1 and op.inputs:
            cut = bypassing(graph, k)
            cheaper = products(cut, Phase.BACKWARD) < products(graph, Phase.BACKWARD)
            assert faults_of(cut) or cheaper, op.name  # PyTorch's products say how many there are


@pytest.mark.parametrize("network", NETWORKS)
def test_that_every_parameter_that_pytorch_trains_has_a_gradient_op(network: str) -> None:
    """PyTorch trains the encoder's positions; here an added constant of two axes is none."""
    graph, theirs = training_graph(network), recorded(network)
    ours = [op for op in graph.ops if op.kind == "weight_gradient"]
    assert len(ours) + EXTRA.get(network, 0) == len(theirs.gradients)


EXTRA = {"encoder": 1, "lstm": 1, "gru": 1}
"""Parameters of PyTorch without one of ours: the positions; a layer with states has one bias."""
