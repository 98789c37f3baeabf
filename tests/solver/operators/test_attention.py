"""Fused attention: operands, output and one number per query are kept, one op makes the gradients.

Sizes by hand: batch 2, 4 heads, 5 queries, 6 keys, width 8, values 3 wide. Scores: 2 x 4 x 5 x 6 =
240 elements of 8 multiply-adds; output 2 x 4 x 5 x 3 = 120 elements of 6 multiply-adds.
"""

from dataclasses import replace

import pytest

from solver.graph import Role, TrainingGraph
from tests.helpers.graph_checks import faults_of
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, op_named, trained

SCORE_MACS, MIX_MACS = 240 * 8, 120 * 6


def attention(
    inputs: str = "q k v", variables: str = "q k v", softcap: float = 0.0
) -> TrainingGraph:
    """The layer `it` on stacks; operands that are not named as variables are network inputs."""
    shapes = {
        "q": (2, 4, 5, 8), "k": (2, 4, 6, 8), "v": (2, 4, 6, 3), "bias": (2, 4, 5, 6),
    }  # fmt: skip
    net = NetworkOf()
    for name in inputs.split():
        if name in variables.split():
            trained(name, shapes[name], net)
        elif name != "-":
            net.input(name, shapes[name], "float32")
    net.layer("it", "Attention", inputs, (2, 4, 5, 3), softcap=softcap)
    return graph_of_layer(net.network())


def test_that_attention_costs_two_products_a_scale_and_a_softmax() -> None:
    graph = attention()
    assert op_named(graph, "it").flop == 2 * (SCORE_MACS + MIX_MACS) + (1 + 5) * 240
    # + a bias per score; + / limit, tanh, * limit
    more = op_named(attention("q k v bias"), "it").flop
    assert more == op_named(graph, "it").flop + 240
    assert op_named(attention(softcap=30.0), "it").flop == op_named(graph, "it").flop + 3 * 240


def test_that_scores_are_no_tensor_and_one_number_per_query_is_kept() -> None:
    graph = attention()
    assert kept(graph) == {"q", "k", "v", "it", "it.logsumexp"}
    tensor = graph.tensors[graph.tensor_index["it.logsumexp"]]
    assert (tensor.shape, tensor.dtype, tensor.role) == ((2, 4, 5), "float32", Role.STATISTICS)
    assert graph.saved_extra_bytes == 2 * 4 * 5 * 4


def test_that_the_primitive_form_has_the_same_products_and_keeps_the_probabilities() -> None:
    net = NetworkOf()
    for name, shape in (("q", (2, 4, 5, 8)), ("kt", (2, 4, 8, 6)), ("v", (2, 4, 6, 3))):
        trained(name, shape, net)
    net.const("scale", ()).layer("scores", "MatMul", "q kt", (2, 4, 5, 6))
    net.layer("scaled", "Mul", "scores scale", (2, 4, 5, 6))
    net.layer("weights", "Softmax", "scaled", (2, 4, 5, 6), axis=-1)
    graph = graph_of_layer(net.layer("it", "MatMul", "weights v", (2, 4, 5, 3)).network())
    assert graph.forward_macs == SCORE_MACS + MIX_MACS
    assert attention().forward_macs == 0  # which counts Conv, Gemm and MatMul
    assert kept(graph, layer="weights") == {"weights"}
    assert kept(graph) == {"weights", "v"}
    # one product less than the fused form, which makes the scores again
    backward = sum(
        op_named(graph, f"{name}.input_gradient.{k}").flop
        for name in ("scores", "it")
        for k in (1, 2)
    )
    assert backward == 2 * 2 * (SCORE_MACS + MIX_MACS)


def test_that_one_op_makes_the_gradients_of_queries_keys_and_values() -> None:
    graph = attention()
    op = op_named(graph, "it.input_gradient")
    assert op.gradient_of == ("q", "k", "v")
    assert op.outputs == tuple(f"it.input_gradient.{k}" for k in (1, 2, 3))
    shapes = [graph.tensors[graph.tensor_index[name]].shape for name in op.outputs]
    assert shapes == [(2, 4, 5, 8), (2, 4, 6, 8), (2, 4, 6, 3)]
    # Products: scores again, dp = dy v', dv = p' dy, dq = ds k, dk = ds' q. Per score: scale, - log
    # of the sum, exp, dp - line, * p, * scale; per output element dy * y and its sum.
    assert op.flop == 2 * (3 * SCORE_MACS + 2 * MIX_MACS) + 6 * 240 + 2 * 120
    assert faults_of(graph) == []


def test_that_values_alone_need_the_probabilities_only() -> None:
    graph = attention(variables="v")
    op = op_named(graph, "it.input_gradient")
    assert op.gradient_of == ("v",)
    assert "it" not in op.inputs
    assert op.flop == 2 * (SCORE_MACS + MIX_MACS) + 3 * 240


def test_that_a_learned_bias_of_the_scores_gets_its_gradient() -> None:
    graph = attention("q k v bias", "bias")
    op = op_named(graph, "it.input_gradient")
    assert op.gradient_of == ("bias",)
    # scores and dp again; per score: scale, bias, - log, exp, dp - line, * p, * scale, written
    assert op.flop == 2 * (SCORE_MACS + MIX_MACS) + 8 * 240 + 2 * 120


def test_that_gradients_of_one_tensor_read_three_times_are_added() -> None:
    net = NetworkOf()
    trained("x", (2, 5, 12), net)
    net.layer("it", "Attention", "x x x", (2, 5, 12), q_num_heads=4, kv_num_heads=4)
    graph = graph_of_layer(net.network())
    names = [op.name for op in graph.ops]
    start = names.index("it.input_gradient")
    assert names[start + 1 : start + 3] == ["add_gradient:x", "add_gradient:x~2"]
    assert op_named(graph, "x.bias_gradient").inputs == ("add_gradient:x~2",)
    assert faults_of(graph) == []


def test_that_heads_of_queries_may_share_keys() -> None:
    net = NetworkOf()
    for name, shape in (("q", (2, 5, 32)), ("k", (2, 6, 16)), ("v", (2, 6, 16))):
        trained(name, shape, net)
    net.layer("it", "Attention", "q k v", (2, 5, 32), q_num_heads=4, kv_num_heads=2)
    graph = graph_of_layer(net.network())
    # every head of queries meets 6 keys: 2 x 5 x 32 x 6 multiply-adds, twice; 2 x 4 x 5 x 6 scores
    assert op_named(graph, "it").flop == 2 * (2 * 1920) + (1 + 5) * 240
    assert graph.tensors[graph.tensor_index["it.logsumexp"]].shape == (2, 4, 5)


def test_that_what_earlier_steps_carried_over_is_met_and_copied() -> None:
    net = NetworkOf()
    for name, shape in (("q", (2, 4, 5, 8)), ("k", (2, 4, 6, 8)), ("v", (2, 4, 6, 3))):
        trained(name, shape, net)
    net.input("pk", (2, 4, 7, 8), "float32").input("pv", (2, 4, 7, 3), "float32")
    more: dict[str, tuple[int, ...]] = {"all_k": (2, 4, 13, 8), "all_v": (2, 4, 13, 3)}
    net.layer("it", "Attention", "q k v - pk pv", (2, 4, 5, 3), more=more)
    graph = graph_of_layer(net.network("it"))
    # 13 keys: 2 x 4 x 5 x 13 = 520 scores
    products, copied = 520 * 8 + 120 * 13, 2 * 4 * 7 * (8 + 3)
    assert op_named(graph, "it").flop == 2 * products + 6 * 520 + copied
    assert {"pk", "pv"} <= set(op_named(graph, "it.input_gradient").inputs)


@pytest.mark.parametrize("dropped", range(3))
def test_that_a_gradient_left_out_is_missed(dropped: int) -> None:
    graph = attention()
    k = graph.op_index["it.input_gradient"]
    op = graph.ops[k]
    poorer = replace(
        op,
        gradient_of=op.gradient_of[:dropped] + op.gradient_of[dropped + 1 :],
        outputs=op.outputs[:dropped] + op.outputs[dropped + 1 :],
    )
    assert faults_of(replace(graph, ops=(*graph.ops[:k], poorer, *graph.ops[k + 1 :])))


@pytest.mark.parametrize(
    ("shape", "attributes", "flop"),
    [
        ((2, 4, 5, 8), {}, 3 * 320),
        ((2, 4, 5, 8), {"rotary_embedding_dim": 4}, 3 * 160 + 160),
        ((2, 5, 32), {"num_heads": 4, "rotary_embedding_dim": 2}, 3 * 80 + 240),
    ],
)
def test_that_positions_are_turned_and_turned_back(
    shape: tuple[int, ...], attributes: dict[str, int], flop: int
) -> None:
    constants: dict[str, tuple[int, ...]] = {"cos": (9, 4), "sin": (9, 4)}
    net = NetworkOf()
    trained("x", shape, net)
    for name, size in constants.items():
        net.const(name, size)
    net.input("at", (2, 5), "int64")
    graph = graph_of_layer(
        net.layer("it", "RotaryEmbedding", "x cos sin at", shape, **attributes).network()
    )
    assert op_named(graph, "it").flop == flop
    gradient = op_named(graph, "it.input_gradient.1")
    assert (gradient.flop, gradient.inputs) == (flop, ("loss.input_gradient", "at"))
    assert [item.name for item in graph.trainable] == ["x.bias"]
