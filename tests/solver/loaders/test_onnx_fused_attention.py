"""Attention joined with its projections is read as a product, a split and their meeting."""

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.network import Network
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.networks import op_named
from tests.helpers.onnx_models import floats, load, model_of, node, weight


def network_of(
    folder: Path, inputs: str, *, features: int = 96, opset: int = 17, **attributes: Any
) -> Network:
    """Words (2, 5, 32), 4 heads, projected to `features`; a mask m of (batch, words)."""
    fused = node("Attention", inputs, domain="com.microsoft", num_heads=4, **attributes)
    fused.name = "it"
    mask = helper.make_tensor_value_info("m", TensorProto.INT32, [2, 5])
    values = [floats("x", 2, 5, 32), *([mask] if " m" in inputs else [])]
    stored = [weight("w", 32, features), weight("b", features)]
    model: onnx.ModelProto = model_of([fused], values, stored, opset=opset)
    return load(model, folder)


def test_that_the_parts_are_those_of_an_encoder(tmp_path: Path) -> None:
    network = network_of(tmp_path, "x w b m")
    kinds = [(layer.op_type, layer.outputs) for layer in network.layers]
    assert kinds == [
        ("MatMul", ("it/projection",)),
        ("Add", ("it/bias",)),
        ("Split", ("it/queries", "it/keys", "it/values")),
        ("com.microsoft::MultiHeadAttention", ("y",)),
    ]
    assert network.values["it/keys"].shape == (2, 5, 32)
    assert network.values["y"].shape == (2, 5, 32)


def test_that_its_training_graph_is_whole_and_the_mask_costs_one_addition(tmp_path: Path) -> None:
    graph = expand(network_of(tmp_path, "x w b m"), TrainingOptions(loss="sum"))
    assert faults_of(graph) == []
    assert {item.name for item in graph.trainable} == {"w", "b"}
    # 10 words x 32 x 96; scores 2 x 4 x 5 x 5 = 200 of width 8, and as much for the values
    assert graph.forward_macs == 10 * 32 * 96
    assert op_named(graph, "it").flop == 4 * 200 * 8 + (1 + 1 + 5) * 200
    assert "m" in op_named(graph, "it.input_gradient").inputs


@pytest.mark.parametrize("opset", [11, 17])
def test_that_values_may_be_of_another_width(opset: int, tmp_path: Path) -> None:
    sizes = {"qkv_hidden_sizes": [32, 32, 12]}
    network = network_of(tmp_path, "x w", features=76, opset=opset, **sizes)
    assert network.values["it/values"].shape == (2, 5, 12)
    assert network.values["y"].shape == (2, 5, 12)


def test_that_forms_with_more_in_them_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"unsupported operator: com\.microsoft::Attention"):
        network_of(tmp_path, "x w b", do_rotary=1)
    with pytest.raises(ModelError, match="carries keys over"):
        network_of(tmp_path, "x w b - x")
