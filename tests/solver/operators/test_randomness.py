"""Random numbers are drawn once, directly before their reader, and are what must be remembered."""

import pytest

from solver.graph import Op, Role, TrainingGraph
from tests.helpers.graph_checks import faults_of
from tests.helpers.networks import NetworkOf, graph_of_layer, op_named, trained


def noisy(op_type: str, inputs: str) -> TrainingGraph:
    """A trained value times random numbers."""
    net = NetworkOf()
    trained("x", (2, 6), net)
    net.layer("noise", op_type, inputs, (2, 6)).layer("it", "Mul", "x noise", (2, 6))
    return graph_of_layer(net.network())


def drawn(graph: TrainingGraph) -> Op:
    """The op that draws, which never runs twice and is needed for the gradient."""
    op = op_named(graph, "noise")
    assert not op.recomputable
    assert graph.tensors[graph.tensor_index["noise"]].role is Role.MASK
    assert "noise" in op_named(graph, "it.input_gradient.1").inputs
    assert "it.input_gradient.2" not in graph.op_index
    assert faults_of(graph) == []
    return op


@pytest.mark.parametrize(
    ("op_type", "inputs"),
    [
        ("RandomNormal", ""),
        ("RandomUniform", ""),
        ("RandomNormalLike", "x"),
        ("RandomUniformLike", "x"),
    ],
)
def test_that_noise_depends_on_nothing_and_stands_before_its_reader(
    op_type: str, inputs: str
) -> None:
    graph = noisy(op_type, inputs)
    op = drawn(graph)
    assert (op.inputs, op.flop) == ((), 3 * 12)  # draw, scale, shift
    names = [op.name for op in graph.ops]
    assert names.index("it") == names.index("noise") + 1


def test_that_a_coin_reads_its_chances_and_passes_no_gradient() -> None:
    graph = noisy("Bernoulli", "x")
    op = drawn(graph)
    assert (op.inputs, op.flop) == (("x",), 12)


def test_that_random_numbers_count_as_masks_and_not_as_activations() -> None:
    graph = noisy("RandomNormal", "")
    assert graph.saved_extra_bytes == 12 * 4
    assert graph.forward_bytes == 2 * 12 * 4  # x and the product


def test_that_a_choice_weighs_every_class() -> None:
    net = NetworkOf(x=(2, 6)).layer("noise", "Multinomial", "x", (2, 1), dtype="int32")
    net.const("w", (6, 6)).layer("mixed", "MatMul", "x w", (2, 6))
    net.layer("it", "GatherElements", "mixed noise", (2, 1))
    graph = graph_of_layer(net.network())
    assert op_named(graph, "noise").flop == 5 * 12 + 2
    assert not op_named(graph, "noise").recomputable
