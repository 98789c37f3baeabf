"""Whole files: corner cases that exporters really write, refusals by name, the import report."""

import time
from pathlib import Path

import pytest
from onnx import helper

from solver.errors import ModelError, Offer
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from solver.network import Network
from tests.helpers.onnx_models import LIGHT_FOLDER, floats, load, model_of, node, weight

CORNER = Path(__file__).parents[2] / "data" / "onnx_corner"


def _corner(name: str, batch: int | None = None) -> Network:
    return load_onnx(CORNER / name, LoadOptions(batch=batch))


def _bytes(network: Network, *names: str) -> list[int]:
    return [network.values[name].bytes for name in names]


def test_that_initialisers_among_the_inputs_are_parameters() -> None:
    network = _corner("03_initialisers_as_inputs_ir3.onnx")
    assert network.inputs == ("x",)
    assert sum(_bytes(network, *network.constants)) == 2112  # 32 x 16 x 4 + 16 x 4


def test_that_weights_in_constant_nodes_are_parameters() -> None:
    network = _corner("05_weights_in_constant_nodes.onnx")
    assert len(network.layers) == 1
    assert _bytes(network, "w") == [2048]  # 32 x 16 x 4


def test_that_a_batch_baked_into_a_reshape_is_rewritten() -> None:
    assert _bytes(_corner("07_batch_baked_into_reshape.onnx"), "c", "r", "y") == [256, 256, 40]
    eight = _corner("07_batch_baked_into_reshape.onnx", batch=8)
    assert _bytes(eight, "c", "r", "y") == [2048, 2048, 320]
    assert any("rewritten to 8" in warning for warning in eight.warnings)


def test_that_a_training_batch_normalisation_has_three_outputs_and_no_warning() -> None:
    network = _corner("09_batchnorm_training.onnx")
    assert _bytes(network, "y", "rm", "rv") == [3200, 32, 32]
    assert network.warnings == ()


def test_that_a_file_out_of_order_is_sorted() -> None:
    network = _corner("17_not_topological.onnx")
    assert [layer.op_type for layer in network.layers] == ["MatMul", "Relu"]


def test_that_each_tensor_has_its_own_element_size() -> None:
    network = _corner("21_fp16.onnx")
    assert _bytes(network, "xh", "h", "y", "w") == [512, 256, 512, 4096]


def test_that_nodes_of_the_same_name_are_three_steps() -> None:
    network = _corner("23_unnamed_and_same_node_names.onnx")
    assert len({layer.name for layer in network.layers}) == 3


def test_that_reshapes_with_zero_and_minus_one_are_followed() -> None:
    network = _corner("27_reshape_zero_and_minus_one.onnx")
    assert network.values["a"].shape == network.values["y"].shape == (2, 12)


def test_that_absent_optional_inputs_are_no_edges() -> None:
    network = _corner("11_optional_empty_inputs.onnx")
    assert _bytes(network, "c", "y") == [128, 512]
    assert "" not in network.values


def test_that_a_quantised_file_is_refused_in_one_sentence_that_names_its_nodes() -> None:
    with pytest.raises(ModelError) as caught:
        _corner("15_qdq_int8.onnx")
    (issue,) = caught.value.issues
    assert "rounding to integers has no gradient" in issue.message
    assert "DequantizeLinear (node xd, w), QuantizeLinear (node xq)" in issue.message
    assert issue.suggestion == (
        "give the float model that it was made from, or train it in floats with "
        "--quantized straight-through"
    )
    assert issue.offer is Offer.STRAIGHT_THROUGH


def test_that_an_empty_tensor_has_no_byte_and_a_scalar_has_one_element() -> None:
    network = _corner("19_zero_size_and_scalar.onnx")
    assert network.values["e"].shape == (0, 8)
    assert network.values["y"].shape == ()
    assert _bytes(network, "e", "c", "y") == [0, 128, 4]


def test_that_a_recurrent_file_with_an_absent_input_is_read() -> None:
    assert _bytes(_corner("25_lstm.onnx"), "Y") == [320]


def test_that_all_operators_without_a_rule_are_refused_by_name_at_once(tmp_path: Path) -> None:
    nodes = [node("Magic", "x", "a"), node("Wonder", "x", "b"), node("Sum", "a b")]
    with pytest.raises(ModelError) as caught:
        load(model_of(nodes, [floats("x", 2)]), tmp_path)
    (issue,) = caught.value.issues
    assert issue.message == "unsupported operators: Magic (node a), Wonder (node b)"
    assert issue.where == "test.onnx"
    assert "supported operators" in issue.suggestion


@pytest.mark.parametrize(
    ("kind", "domain"),
    [
        ("QLinearConv", ""),
        ("MatMulInteger", ""),
        ("ConvInteger", ""),
        ("DynamicQuantizeLinear", ""),
        ("QGemm", "com.microsoft"),
        ("MatMulNBits", "com.microsoft"),
        ("MatMulBnb4", "com.microsoft"),
        ("QEmbedLayerNormalization", "com.microsoft"),
    ],
)
def test_that_every_quantised_operator_is_refused_as_such(
    kind: str, domain: str, tmp_path: Path
) -> None:
    odd = helper.make_node(kind, ["x"], ["y"], domain=domain)
    with pytest.raises(ModelError, match="a quantised network cannot be trained"):
        load(model_of([odd], [floats("x", 1)]), tmp_path)


def test_that_no_way_out_is_offered_that_does_not_lead_anywhere(tmp_path: Path) -> None:
    packed = helper.make_node("MatMulBnb4", ["x"], ["h"], domain="com.microsoft")
    with pytest.raises(ModelError) as caught:
        load(model_of([packed, node("DynamicQuantizeLinear", "h")], [floats("x", 1)]), tmp_path)
    (issue,) = caught.value.issues
    assert issue.suggestion == "give the float model that it was made from"
    assert issue.offer is None


def test_that_operators_of_other_domains_are_named_with_their_domain(tmp_path: Path) -> None:
    odd = helper.make_node("Magic", ["x"], ["y"], domain="com.example")
    with pytest.raises(ModelError, match=r"unsupported operator: com\.example::Magic \(node y\)"):
        load(model_of([odd], [floats("x", 1)]), tmp_path)


def test_that_nodes_behind_an_unknown_one_are_not_blamed(tmp_path: Path) -> None:
    nodes = [node("Magic", "x", "a"), node("Relu", "a", "b"), node("Wonder", "b", "y")]
    with pytest.raises(ModelError) as caught:
        load(model_of(nodes, [floats("x", 2)]), tmp_path)
    (issue,) = caught.value.issues
    assert issue.message == "unsupported operators: Magic (node a), Wonder (node y)"


def test_that_normalisation_and_dropout_exported_for_inference_are_told(tmp_path: Path) -> None:
    nodes = [
        node("BatchNormalization", "x s b m v", "a", name="bn"),
        node("Dropout", "a", "y", name="drop"),
    ]
    stored = [weight(name, 3) for name in "sbmv"]
    network = load(model_of(nodes, [floats("x", 1, 3)], stored), tmp_path)
    assert network.warnings == (
        (
            "BatchNormalization was exported in inference mode and is trained as such, "
            "with batch statistics: bn"
        ),
        "Dropout was exported in inference mode and is trained as such, with a random mask: drop",
    )


def test_that_a_file_without_normalisation_and_dropout_is_called_too_small(tmp_path: Path) -> None:
    network = load(
        model_of([node("MatMul", "x w")], [floats("x", 1, 3)], [weight("w", 3, 3)]), tmp_path
    )
    assert network.warnings[0].startswith(
        "this file holds no BatchNorm/Dropout; real training memory will be larger"
    )


def test_that_the_network_is_called_after_its_file() -> None:
    assert load_onnx(LIGHT_FOLDER / "light_vgg19.onnx", LoadOptions()).name == "light_vgg19"


@pytest.mark.benchmark
def test_that_densenet_with_1746_nodes_loads_in_under_two_seconds() -> None:
    start = time.perf_counter()
    load_onnx(LIGHT_FOLDER / "light_densenet121.onnx", LoadOptions())
    seconds = time.perf_counter() - start
    print(f"light_densenet121, 1746 nodes: {seconds:.3f} s")  # noqa: T201 - the benchmark's figure
    assert seconds < 2
