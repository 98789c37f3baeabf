"""Grouped-query attention of language models is read as what it stands for."""

from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.network import Layer, Network
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.networks import op_named
from tests.helpers.onnx_models import floats, load, model_of, node, weight

HEADS = {"num_heads": 4, "kv_num_heads": 2}
PLAIN = "q k v - - n t"


def network_of(folder: Path, inputs: str, outputs: str = "y", **attributes: Any) -> Network:
    """5 words of 2 samples, 4 heads of queries and 2 of keys and values, each 8 wide.

    Queries, keys and values have a trained bias each; the layers after those are what is tested.
    """
    fused = node("GroupQueryAttention", inputs, outputs, domain="com.microsoft",
                 **{**HEADS, **attributes})  # fmt: skip
    fused.name = "it"
    widths = {"qkv": 64} if "qkv" in inputs else {"q": 32, "k": 16, "v": 16}
    values = [floats(f"{name}0", 2, 5, width) for name, width in widths.items()]
    shifted = [node("Add", f"{name}0 {name}1", name) for name in widths]
    values += [floats(name, 2, 2, 3, 8) for name in ("pk", "pv") if name in inputs]
    values += [
        helper.make_tensor_value_info("n", TensorProto.INT32, [2]),
        helper.make_tensor_value_info("t", TensorProto.INT32, [1]),
    ]
    if " at" in inputs:
        values.append(helper.make_tensor_value_info("at", TensorProto.INT64, [2, 5]))
    values += [floats("b", 1, 1, 5, 5)] if " b" in inputs else []
    stored = [weight(name, 9, 4) for name in ("cos", "sin")]
    stored += [weight(name, 8) for name in ("nq", "nk")]
    stored += [weight("sink", 4), *(weight(f"{name}1", width) for name, width in widths.items())]
    return load(model_of([*shifted, fused], values, stored, opset=21), folder)


def layers_of(network: Network) -> list[Layer]:
    return [layer for layer in network.layers if layer.op_type != "Add"]


def kinds_of(network: Network) -> list[str]:
    return [layer.op_type for layer in layers_of(network)]


def test_that_queries_share_the_heads_of_keys_and_nothing_ahead_is_seen(tmp_path: Path) -> None:
    network = network_of(tmp_path, PLAIN, softcap=50.0, scale=0.5)
    (layer,) = layers_of(network)
    assert layer.op_type == "Attention"
    assert layer.inputs == ("q", "k", "v")
    assert dict(layer.attributes) == {
        "q_num_heads": 4, "kv_num_heads": 2, "is_causal": 1, "softcap": 50.0, "scale": 0.5,
    }  # fmt: skip
    assert network.values["y"].shape == (2, 5, 32)


def test_that_both_directions_may_be_asked_for(tmp_path: Path) -> None:
    (layer,) = layers_of(network_of(tmp_path, PLAIN, causal=0))
    assert layer.attributes["is_causal"] == 0


def test_that_earlier_words_are_carried_over(tmp_path: Path) -> None:
    network = network_of(tmp_path, "q k v pk pv n t", "y ck cv")
    assert network.values["ck"].shape == network.values["cv"].shape == (2, 2, 8, 8)
    graph = expand(network, TrainingOptions(loss="sum", output="y"))
    # Scores of 5 queries with 3 + 5 keys: 2 x 4 x 5 x 8 = 320, each of width 8, twice; 96 carried
    # over for keys and as many for values.
    assert op_named(graph, "it").flop == 2 * 2 * 320 * 8 + 6 * 320 + 2 * 96


def test_that_queries_and_keys_are_turned_each_by_its_heads(tmp_path: Path) -> None:
    network = network_of(tmp_path, f"{PLAIN} cos sin at", do_rotary=1)
    turned = [layer for layer in layers_of(network) if "Rotary" in layer.op_type]
    assert [layer.inputs for layer in turned] == [
        ("q", "at", "cos", "sin"),
        ("k", "at", "cos", "sin"),
    ]
    graph = expand(network, TrainingOptions(loss="sum"))
    assert faults_of(graph) == []
    assert [op_named(graph, layer.name).flop for layer in turned] == [3 * 320, 3 * 160]
    assert kinds_of(network)[-1] == "Attention"


def test_that_positions_may_follow_from_the_lengths(tmp_path: Path) -> None:
    network = network_of(tmp_path, f"{PLAIN} cos sin", do_rotary=1)
    assert layers_of(network)[0].inputs == ("q", "", "cos", "sin")


def test_that_a_packed_input_is_split_by_heads(tmp_path: Path) -> None:
    network = network_of(tmp_path, "qkv - - - - n t")
    assert kinds_of(network) == ["Reshape", "Split", "Reshape", "Reshape", "Reshape", "Attention"]
    split = layers_of(network)[1]
    assert [network.values[name].shape for name in split.outputs] == [
        (2, 5, 4, 8), (2, 5, 2, 8), (2, 5, 2, 8),
    ]  # fmt: skip
    assert network.values["y"].shape == (2, 5, 32)
    assert faults_of(expand(network, TrainingOptions(loss="sum"))) == []


def test_that_each_head_may_be_normed_before_it_is_turned(tmp_path: Path) -> None:
    inputs = f"{PLAIN} cos sin - - - - - nq nk"
    network = network_of(tmp_path, inputs, do_rotary=1, qk_norm_epsilon=1e-5)
    wanted = [
        "Reshape",
        "SimplifiedLayerNormalization",
        "Reshape",
        "com.microsoft::RotaryEmbedding",
    ]
    assert kinds_of(network) == [*wanted, *wanted, "Attention"]
    norms = [layer for layer in layers_of(network) if "Norm" in layer.op_type]
    assert [network.values[layer.outputs[0]].shape for layer in norms] == [
        (2, 5, 4, 8), (2, 5, 2, 8),
    ]  # fmt: skip
    graph = expand(network, TrainingOptions(loss="sum"))
    assert {item.name for item in graph.trainable} == {"nq", "nk", "q1", "k1", "v1"}
    assert faults_of(graph) == []


def test_that_a_bias_of_the_scores_is_the_mask_of_attention(tmp_path: Path) -> None:
    network = network_of(tmp_path, f"{PLAIN} - - - b")
    assert layers_of(network)[0].inputs == ("q", "k", "v", "b")


@pytest.mark.parametrize(
    ("inputs", "attributes", "reason"),
    [
        (f"{PLAIN} - - - - sink", {}, "adds to the sum of its softmax"),
        (PLAIN, {"smooth_softmax": 1}, "adds to the sum of its softmax"),
        (f"{PLAIN} - - - - - nq nk", {}, "its cache is quantised"),
        (PLAIN, {"sliding_window_cache": 1, "local_window_size": 4}, "as short as its window"),
        ("q k - - - n t", {}, "input 3 is missing"),
        (PLAIN, {"num_heads": 3}, "32 features of its queries are not split into 3 heads"),
        (PLAIN, {"kv_num_heads": 0}, "16 features of its keys are not split into 0 heads"),
    ],
)
def test_that_forms_with_more_in_them_are_refused_by_name(
    tmp_path: Path, inputs: str, attributes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ModelError, match=f"node it .*{reason}"):
        network_of(tmp_path, inputs, **attributes)


def test_that_turning_as_a_node_of_its_own_takes_positions_second(tmp_path: Path) -> None:
    turned = node("RotaryEmbedding", "q at cos sin", domain="com.microsoft")
    at = helper.make_tensor_value_info("at", TensorProto.INT64, [2, 5])
    stored = [weight(name, 9, 4) for name in ("cos", "sin")]
    inputs = [floats("q", 2, 5, 32), at]
    network = load(model_of([turned], inputs, stored), tmp_path)
    assert network.values["y"].shape == (2, 5, 32)
    without = node("RotaryEmbedding", "q at cos", domain="com.microsoft")
    with pytest.raises(ModelError, match="input 4 is missing"):
        load(model_of([without], inputs, stored), tmp_path)
