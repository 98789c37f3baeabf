"""Shapes of attention and Einstein sums, each on a model of one node."""

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import helper

from solver.errors import ModelError
from solver.network import Network
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.onnx_models import floats, load, model_of, node, weight

STACKS = [floats("q", 2, 4, 5, 8), floats("k", 2, 2, 6, 8), floats("v", 2, 2, 6, 3)]
JOINED = [floats("q", 2, 5, 32), floats("k", 2, 6, 16), floats("v", 2, 6, 6)]
HEADS = {"q_num_heads": 4, "kv_num_heads": 2}


def _net(
    folder: Path, made: onnx.NodeProto, inputs: list[onnx.ValueInfoProto], opset: int = 23
) -> Network:
    return load(model_of([made], inputs, opset=opset), folder)


def test_that_the_output_is_written_as_the_queries_are(tmp_path: Path) -> None:
    network = _net(tmp_path, node("Attention", "q k v"), STACKS)
    assert network.values["y"].shape == (2, 4, 5, 3)
    network = _net(tmp_path, node("Attention", "q k v", **HEADS), JOINED)
    assert network.values["y"].shape == (2, 5, 4 * 3)


def test_that_keys_of_earlier_steps_are_joined(tmp_path: Path) -> None:
    past = [floats("pk", 2, 2, 7, 8), floats("pv", 2, 2, 7, 3)]
    made = node("Attention", "q k v - pk pv", "y nk nv s")
    network = _net(tmp_path, made, [*STACKS, *past])
    shapes = [network.values[name].shape for name in ("nk", "nv", "s")]
    assert shapes == [(2, 2, 13, 8), (2, 2, 13, 3), (2, 4, 5, 13)]


def _mask(*dims: int) -> list[onnx.ValueInfoProto]:
    return [*STACKS, floats("m", *dims)]


@pytest.mark.parametrize("dims", [(5, 6), (2, 1, 5, 6), (4, 1, 6), (5, 3), (6,), (1, 1)])
def test_that_a_mask_spreads_over_the_scores(dims: tuple[int, ...], tmp_path: Path) -> None:
    network = _net(tmp_path, node("Attention", "q k v m"), _mask(*dims))
    assert network.values["y"].shape == (2, 4, 5, 3)


@pytest.mark.parametrize(
    ("inputs", "attributes", "words"),
    [
        (JOINED, {}, "32 features of its queries are not split into None heads"),
        (JOINED, {"q_num_heads": 5, "kv_num_heads": 2}, "not split into 5 heads"),
        (JOINED, {"q_num_heads": 2, "kv_num_heads": 2}, "queries of width 16 meet keys of width 8"),
        (_mask(3, 6), {}, "do not match"),
        (_mask(2, 2, 4, 5, 6), {}, "does not fit scores 2x4x5x6"),
        ([floats("q", 2, 8), *STACKS[1:]], {}, "queries are 2x8, not of 3 or 4 dimensions"),
        ([floats("q", 1, 4, 5, 8), *STACKS[1:]], {}, "batches 1, 2, 2"),
        ([floats("q", 2, 3, 5, 8), *STACKS[1:]], {}, "3 heads of queries do not share 2"),
        ([*STACKS[:2], floats("v", 2, 2, 7, 3)], {}, "differ in heads or positions"),
        (STACKS[:2], {}, "input 3 is missing"),
    ],
)
def test_that_operands_that_do_not_belong_together_are_refused(
    inputs: list[onnx.ValueInfoProto], attributes: dict[str, Any], words: str, tmp_path: Path
) -> None:
    names = " ".join(value.name for value in inputs)
    with pytest.raises(ModelError) as caught:
        _net(tmp_path, node("Attention", names, **attributes), inputs)
    (issue,) = caught.value.issues
    assert words in issue.message


def test_that_one_carried_input_asks_for_the_other(tmp_path: Path) -> None:
    made = node("Attention", "q k v - pk")
    with pytest.raises(ModelError, match="past keys and past values go together"):
        _net(tmp_path, made, [*STACKS, floats("pk", 2, 2, 7, 8)])
    made = node("Attention", "q k v - pk pv")
    past = [floats("pk", 2, 3, 7, 8), floats("pv", 2, 2, 7, 3)]
    with pytest.raises(ModelError, match="carries over is 2x3x7x8 and does not fit"):
        _net(tmp_path, made, [*STACKS, *past])


def _other_domain(inputs: str, *values: onnx.ValueInfoProto) -> onnx.ModelProto:
    made = node("MultiHeadAttention", inputs, domain="com.microsoft", num_heads=4)
    model = model_of([made], list(values))
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return model


def test_that_attention_of_onnxruntime_is_read_without_what_it_adds(tmp_path: Path) -> None:
    q, k, v = floats("q", 2, 5, 32), floats("k", 2, 6, 32), floats("v", 2, 6, 12)
    network = load(_other_domain("q k v", q, k, v), tmp_path)
    assert network.values["y"].shape == (2, 5, 12)
    with pytest.raises(ModelError, match="adds a bias"):
        load(_other_domain("q k v b", q, k, v, floats("b", 76)), tmp_path)
    with pytest.raises(ModelError, match="packed in one input"):
        load(_other_domain("q", floats("q", 2, 5, 4, 3, 8)), tmp_path)
    past = (floats("pk", 2, 4, 7, 8), floats("pv", 2, 4, 7, 3))
    with pytest.raises(ModelError, match="carries keys over"):
        load(_other_domain("q k v - - - pk pv", q, k, v, *past), tmp_path)


def test_that_projected_attention_becomes_a_whole_training_graph(tmp_path: Path) -> None:
    nodes = [node("MatMul", f"x w{name}", name) for name in "qkv"]
    nodes.append(node("Attention", "q k v", q_num_heads=4, kv_num_heads=4, is_causal=1))
    stored = [weight(f"w{name}", 32, 32) for name in "qkv"]
    graph = expand(
        load(model_of(nodes, [floats("x", 2, 5, 32)], stored, opset=23), tmp_path),
        TrainingOptions(loss="sum"),
    )
    # Three projections of 10 x 32 x 32; the products inside of attention are no MatMul.
    assert graph.forward_macs == 3 * 10 * 32 * 32
    assert faults_of(graph) == []


def test_that_an_equation_tells_the_shape(tmp_path: Path) -> None:
    made = node("Einsum", "q k", equation="bhqd, bgkd -> bhgqk")
    assert _net(tmp_path, made, STACKS[:2], 17).values["y"].shape == (2, 4, 2, 5, 6)
    made = node("Einsum", "q k", equation="bhqd,bhkd->bhqk")
    with pytest.raises(ModelError, match="axis h is both 4 and 2 long"):
        _net(tmp_path, made, STACKS[:2], 17)
    with pytest.raises(ModelError, match="names 1 operands, there are 2"):
        _net(tmp_path, node("Einsum", "q k"), STACKS[:2], 17)


def test_that_turned_queries_keep_their_shape(tmp_path: Path) -> None:
    table = [floats("c", 9, 4), floats("s", 9, 4)]
    made = node("RotaryEmbedding", "q c s - ")
    assert _net(tmp_path, made, [STACKS[0], *table]).values["y"].shape == (2, 4, 5, 8)
    with pytest.raises(ModelError, match="are not split into None heads"):
        _net(tmp_path, made, [JOINED[0], *table])
