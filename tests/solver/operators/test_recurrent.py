"""Recurrent layers: gates of every step are kept, the way back through the steps is gone once."""

from dataclasses import replace

import pytest

from solver.errors import ModelError
from solver.graph import Role, TrainingGraph
from tests.helpers.graph_checks import faults_of, without_op
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, op_named, trained

STEPS, BATCH, FEATURES, HIDDEN = 5, 2, 4, 8
UNITS = STEPS * BATCH * HIDDEN  # 80 per direction
ROWS = {"LSTM": 4, "GRU": 3, "RNN": 1}


def layer(
    kind: str,
    *,
    directions: int = 1,
    names: str = "x w r b",
    outputs: tuple[str, ...] = ("it",),
    shown: str = "it",
    **attributes: int,
) -> TrainingGraph:
    """A recurrent layer `it` behind a trained input; `outputs` in ONNX order, "" absent."""
    rows = ROWS[kind] * HIDDEN
    state = (directions, BATCH, HIDDEN)
    net = NetworkOf()
    trained("x", (STEPS, BATCH, FEATURES), net)
    for name in ("h0", "c0"):
        if name in names:
            trained(name, state, net)
    net.const("w", (directions, rows, FEATURES)).const("r", (directions, rows, HIDDEN))
    net.const("b", (directions, 2 * rows)).const("p", (directions, 3 * HIDDEN))
    sequence = (STEPS, directions, BATCH, HIDDEN)
    shapes = (sequence, state, state)
    more = {name: shape for name, shape in zip(outputs[1:], shapes[1:], strict=False) if name}
    net.layer("it", kind, names, sequence, more=more, **attributes)
    net.layers[-1] = replace(net.layers[-1], outputs=outputs)
    return graph_of_layer(net.network(shown))


def sizes(graph: TrainingGraph) -> dict[str, tuple[int, Role | None]]:
    return {
        tensor.name.removeprefix("it."): (tensor.bytes, tensor.role)
        for tensor in graph.tensors
        if tensor.name.startswith("it.")
    }


def test_that_an_lstm_keeps_four_gates_and_a_cell_of_every_step() -> None:
    graph = layer("LSTM")
    found = sizes(graph)
    assert found["gates"] == (4 * UNITS * 4, Role.STATISTICS)
    assert found["cells"] == (UNITS * 4, Role.STATISTICS)
    assert graph.saved_extra_bytes == 1280 + 320
    assert kept(graph) == {"it", "it.gates", "it.cells", "x"}


def test_that_a_gru_keeps_three_gates_and_no_cell() -> None:
    graph = layer("GRU")
    assert graph.saved_extra_bytes == 3 * UNITS * 4
    assert kept(graph) == {"it", "it.gates", "x"}


def test_that_a_gru_that_resets_after_the_product_keeps_the_product() -> None:
    graph = layer("GRU", linear_before_reset=1)
    assert sizes(graph)["candidate_product"] == (UNITS * 4, Role.STATISTICS)
    assert graph.saved_extra_bytes == (3 + 1) * UNITS * 4


def test_that_a_plain_recurrence_keeps_its_states_only() -> None:
    graph = layer("RNN")
    assert kept(graph) == {"it", "x"}
    assert graph.saved_extra_bytes == 0


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_that_states_that_the_file_leaves_out_are_kept_all_the_same(kind: str) -> None:
    graph = layer(kind, outputs=("", "last"), shown="last")
    assert sizes(graph)["states"] == (UNITS * 4, Role.STATISTICS)
    assert "it.states" in op_named(graph, "it.recurrent_weight_gradient").inputs


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_that_all_steps_of_both_directions_are_products_of_input_and_state(
    kind: str, directions: int
) -> None:
    graph = layer(kind, directions=directions)
    each = 2 * ROWS[kind] * UNITS * directions  # FLOP of one column of the weights
    cost = {op.name.removeprefix("it."): op.flop for op in graph.ops if op.name.startswith("it")}
    assert cost["it"] == each * (FEATURES + HIDDEN)
    assert cost["sums_gradient"] == each * HIDDEN  # back through the steps
    assert cost["weight_gradient"] == cost["input_gradient"] == each * FEATURES
    assert cost["recurrent_weight_gradient"] == each * HIDDEN
    assert cost["bias_gradient"] == each / 2


def test_that_an_lstm_of_five_steps_costs_its_products() -> None:
    """5 steps x 2 samples x 32 gates x (4 features + 8 states) x 2, as in onnx_corner/25."""
    assert op_named(layer("LSTM"), "it").flop == 7680


def test_that_products_cost_twice_as_much_backward_as_forward() -> None:
    graph = layer("LSTM", names="x w r")
    backward = sum(op.flop for op in graph.ops if op.name.startswith("it."))
    assert backward == 2 * op_named(graph, "it").flop


def test_that_the_way_back_is_gone_before_everything_that_reads_it() -> None:
    graph = layer("LSTM")
    names = [op.name for op in graph.ops if op.name.startswith("it.")]
    assert names == [
        "it.sums_gradient",
        "it.weight_gradient",
        "it.recurrent_weight_gradient",
        "it.bias_gradient",
        "it.input_gradient",
    ]
    back = op_named(graph, names[0])
    assert back.inputs == ("loss.input_gradient", "it.gates", "it.cells", "it")
    for name in names[1:]:
        assert "it.sums_gradient" in op_named(graph, name).inputs
        assert "loss.input_gradient" not in op_named(graph, name).inputs
    made = graph.tensors[graph.tensor_index["it.sums_gradient"]]
    assert (made.bytes, made.role) == (4 * UNITS * 4, Role.GRADIENT)


def test_that_initial_states_that_are_trained_have_gradients() -> None:
    graph = layer("LSTM", names="x w r b - h0 c0")
    hidden, cell = op_named(graph, "it.input_gradient.6"), op_named(graph, "it.input_gradient.7")
    assert (hidden.gradient_of, cell.gradient_of) == (("h0",), ("c0",))
    assert hidden.flop == 2 * 4 * BATCH * HIDDEN * HIDDEN  # the first step's product
    assert {"h0", "c0"} <= set(op_named(graph, "it.sums_gradient").inputs)
    assert "h0" in op_named(graph, "it.recurrent_weight_gradient").inputs


def test_that_peepholes_are_trained_from_the_cells() -> None:
    graph = layer("LSTM", names="x w r b - - - p")
    gradient = op_named(graph, "it.peephole_weight_gradient")
    assert gradient.inputs == ("it.sums_gradient", "it.cells")
    assert gradient.flop == 2 * 3 * UNITS


def test_that_a_forget_gate_of_the_input_gate_is_not_kept() -> None:
    assert sizes(layer("LSTM", input_forget=1))["gates"][0] == 3 * UNITS * 4


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_that_no_gradient_of_a_recurrent_layer_can_be_left_out(kind: str) -> None:
    graph = layer(kind, names="x w r b - h0", outputs=("it", "last"))
    assert faults_of(graph) == []
    missing = [k for k, op in enumerate(graph.ops) if op.name.startswith("it.")]
    assert len(missing) == 6
    assert all(faults_of(without_op(graph, k)) for k in missing)


def test_that_a_layer_without_anything_to_train_keeps_no_gates() -> None:
    net = NetworkOf(x=(STEPS, BATCH, FEATURES)).input("w", (1, 32, FEATURES), "float32")
    net.input("r", (1, 32, HIDDEN), "float32").const("m", (HIDDEN, 3))
    net.layer("it", "LSTM", "x w r", (STEPS, 1, BATCH, HIDDEN))
    graph = graph_of_layer(net.layer("y", "MatMul", "it m", (STEPS, 1, BATCH, 3)).network())
    assert op_named(graph, "it").outputs == ("it",)


def test_that_lengths_of_sequences_have_no_gradient() -> None:
    net = NetworkOf()
    trained("x", (STEPS, BATCH, FEATURES), net)
    net.const("w", (1, 32, FEATURES)).const("r", (1, 32, HIDDEN)).input("n", (BATCH,), "int32")
    net.layer("it", "LSTM", "x w r - n", (STEPS, 1, BATCH, HIDDEN))
    graph = graph_of_layer(net.network())
    assert "it.input_gradient.5" not in graph.op_index


def test_that_a_missing_weight_is_told() -> None:
    net = NetworkOf()
    trained("x", (STEPS, BATCH, FEATURES), net)
    net.layer("it", "RNN", "x", (STEPS, 1, BATCH, HIDDEN))
    with pytest.raises(ModelError, match="input 3 of RNN is missing"):
        graph_of_layer(net.network())
