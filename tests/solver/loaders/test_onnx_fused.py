"""Operators joined by an optimiser are read as the ordinary ones that they stand for."""

from pathlib import Path

import onnx
import pytest

from solver.network import Network
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.onnx_models import floats, load, model_of, node, weight


def network_of(folder: Path, *nodes: onnx.NodeProto) -> Network:
    """The nodes on two inputs a, b of 2x3x4, with constants g, c, d of 4 elements."""
    inputs = [floats("a", 2, 3, 4), floats("b", 2, 3, 4)]
    constants = [weight(name, 4) for name in "gcd"]
    return load(model_of(nodes, inputs, constants), folder)


def layers(network: Network) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    return [(layer.op_type, layer.inputs, layer.outputs) for layer in network.layers]


def test_that_a_skip_and_its_normalisation_are_two_layers(tmp_path: Path) -> None:
    network = network_of(
        tmp_path, node("SkipLayerNormalization", "a b g c", domain="com.microsoft", name="n")
    )
    assert layers(network) == [
        ("Add", ("a", "b"), ("n/skip",)),
        ("LayerNormalization", ("n/skip", "g", "c"), ("y",)),
    ]


def test_that_a_bias_of_its_own_is_a_third_one_and_the_sum_may_be_named(tmp_path: Path) -> None:
    fused = node("SkipLayerNormalization", "a b g c d", "n - - s", domain="com.microsoft")
    fused.output[:] = ["n", "", "", "s"]
    fused.name = "it"
    network = network_of(tmp_path, fused, node("Add", "n s"))
    assert layers(network) == [
        ("Add", ("a", "b"), ("it/skip",)),
        ("Add", ("it/skip", "d"), ("s",)),
        ("LayerNormalization", ("s", "g", "c"), ("n",)),
        ("Add", ("n", "s"), ("y",)),
    ]
    graph = expand(network, TrainingOptions(loss="sum"))
    assert faults_of(graph) == []
    assert {item.name for item in graph.trainable} == {"g", "c", "d"}


def test_that_the_simplified_form_takes_its_bias_one_place_earlier(tmp_path: Path) -> None:
    kind = "SkipSimplifiedLayerNormalization"
    network = network_of(tmp_path, node(kind, "a b g d", domain="com.microsoft", name="n"))
    assert layers(network) == [
        ("Add", ("a", "b"), ("n/skip",)),
        ("Add", ("n/skip", "d"), ("n/bias",)),
        ("SimplifiedLayerNormalization", ("n/bias", "g"), ("y",)),
    ]


@pytest.mark.parametrize(("kind", "plain"), [("BiasGelu", "Gelu"), ("FastGelu", "FastGelu")])
def test_that_a_bias_before_gelu_is_an_addition(kind: str, plain: str, tmp_path: Path) -> None:
    network = network_of(tmp_path, node(kind, "a g", domain="com.microsoft", name="n"))
    assert layers(network) == [
        ("Add", ("a", "g"), ("n/bias",)),
        (f"com.microsoft::{plain}", ("n/bias",), ("y",)),
    ]
