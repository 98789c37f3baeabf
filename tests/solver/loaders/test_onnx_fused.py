"""Operators joined by an optimiser are read as the ordinary ones that they stand for."""

from pathlib import Path

import onnx
import pytest

from solver.errors import ModelError
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


def _image_layers(folder: Path, fused: onnx.NodeProto) -> list[tuple[str, tuple[str, ...]]]:
    stored = [weight("w", 2, 3, 3, 3), weight("b", 2)]
    model = model_of([fused], [floats("x", 1, 3, 5, 5), floats("z", 1, 2, 3, 3)], stored)
    return [(layer.op_type, layer.inputs) for layer in load(model, folder).layers]


def test_that_a_fused_convolution_is_its_sum_and_activation(tmp_path: Path) -> None:
    fused = node("FusedConv", "x w b z", name="n", domain="com.microsoft", activation="Relu")
    assert _image_layers(tmp_path, fused) == [
        ("Conv", ("x", "w", "b")),
        ("Add", ("n/conv", "z")),
        ("Relu", ("n/add",)),
    ]


def test_that_the_slope_of_a_fused_activation_is_handed_on(tmp_path: Path) -> None:
    fused = node("FusedConv", "x w", name="n", domain="com.microsoft", activation="LeakyRelu")
    fused.attribute.append(onnx.helper.make_attribute("activation_params", [0.25]))
    model = model_of([fused], [floats("x", 1, 3, 5, 5)], [weight("w", 2, 3, 3, 3)])
    conv, leaky = load(model, tmp_path).layers
    assert (conv.op_type, leaky.op_type) == ("Conv", "LeakyRelu")
    assert leaky.attributes["alpha"] == 0.25


def test_that_an_activation_without_a_form_of_its_own_is_refused_by_name(tmp_path: Path) -> None:
    fused = node("FusedConv", "x w", name="n", domain="com.microsoft", activation="Swirl")
    with pytest.raises(ModelError, match=r"com\.microsoft::FusedConv \(node n\)"):
        _image_layers(tmp_path, fused)


def test_that_a_fused_layer_is_a_product_and_an_activation(tmp_path: Path) -> None:
    fused = node("FusedGemm", "m k", name="n", domain="com.microsoft", activation="Tanh", transB=1)
    model = model_of([fused], [floats("m", 2, 6)], [weight("k", 5, 6)])
    network = load(model, tmp_path)
    assert layers(network) == [
        ("Gemm", ("m", "k"), ("n/gemm",)),
        ("Tanh", ("n/gemm",), ("y",)),
    ]
    assert network.values["y"].shape == (2, 5)


def test_that_a_fused_product_reads_its_operands_turned(tmp_path: Path) -> None:
    fused = node("FusedMatMul", "p q", name="n", domain="com.microsoft", transA=1, transB=1)
    model = model_of([fused], [floats("p", 2, 7, 3)], [weight("q", 5, 7)])
    network = load(model, tmp_path)
    assert network.values["y"].shape == (2, 3, 5)
    graph = expand(network, TrainingOptions(loss="sum"))
    # 2 x 3 x 5 sums over 7
    assert graph.forward_macs == 2 * 3 * 5 * 7
    assert faults_of(graph) == []


def test_that_a_product_of_turned_stacks_is_refused(tmp_path: Path) -> None:
    fused = node("FusedMatMul", "p p", domain="com.microsoft", transBatchA=1)
    with pytest.raises(ModelError, match="it turns whole stacks of matrices"):
        load(model_of([fused], [floats("p", 2, 7, 7)]), tmp_path)


def _embedded(folder: Path, inputs: str, outputs: str = "y") -> Network:
    """Two samples of five words: tables of 50, 9 and 2 rows of 8 numbers."""
    fused = node("EmbedLayerNormalization", inputs, outputs, name="n", domain="com.microsoft")
    ids = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT32, [2, 5])
        for name in ("ids", "kind", "mask")
    ]
    stored = [weight("words", 50, 8), weight("places", 9, 8), weight("kinds", 2, 8)]
    stored += [weight("g", 8), weight("b", 8)]
    return load(model_of([fused], ids, stored, outputs=outputs.split()[:1]), folder)


def test_that_the_embeddings_of_an_encoder_are_looked_up_and_added(tmp_path: Path) -> None:
    network = _embedded(tmp_path, "ids kind words places kinds g b")
    assert [(layer.op_type, layer.inputs[:1]) for layer in network.layers] == [
        ("Gather", ("words",)),
        ("Gather", ("places",)),
        ("Add", ("n/words",)),
        ("Gather", ("kinds",)),
        ("Add", ("n/sum",)),
        ("LayerNormalization", ("n/sum 2",)),
    ]
    # one row per place, whatever the batch
    assert network.values["n/positions"].shape == (5, 8)
    graph = expand(network, TrainingOptions(loss="sum"))
    assert {item.name for item in graph.trainable} == {"words", "places", "kinds", "g", "b"}
    assert faults_of(graph) == []


def test_that_words_without_kinds_are_looked_up_too_and_masks_counted(tmp_path: Path) -> None:
    network = _embedded(tmp_path, "ids - words places - g b mask", "y count sum")
    assert network.values["y"].shape == (2, 5, 8)
    assert "Gather" in {layer.op_type for layer in network.layers}
    assert {layer.outputs[0] for layer in network.layers} >= {"count", "sum", "y"}
