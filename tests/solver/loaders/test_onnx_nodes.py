"""Order and names of nodes: sorted where they are not, unique where they are not, cycles named."""

from pathlib import Path

import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from tests.helpers.onnx_models import floats, load, model_of, node, weight


def test_that_nodes_out_of_order_are_sorted_with_a_warning(tmp_path: Path) -> None:
    nodes = [node("Relu", "h"), node("MatMul", "x w", "h")]
    network = load(model_of(nodes, [floats("x", 4, 16)], [weight("w", 16, 16)]), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["MatMul", "Relu"]
    assert "the nodes of this file were out of order and have been sorted" in network.warnings


def test_that_the_place_in_the_file_breaks_ties(tmp_path: Path) -> None:
    # c waits for d; a and b are ready from the start, in the file's order.
    nodes = [
        node("Relu", "d", "c"),
        node("Relu", "x", "b"),
        node("Relu", "x", "a"),
        node("Tanh", "x", "d"),
        node("Sum", "a b c", "y"),
    ]
    network = load(model_of(nodes, [floats("x", 2)]), tmp_path)
    assert [layer.outputs[0] for layer in network.layers] == ["b", "a", "d", "c", "y"]


def test_that_a_file_in_order_keeps_its_order_without_a_warning(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", "b"), node("Relu", "x", "a"), node("Sum", "a b")]
    network = load(model_of(nodes, [floats("x", 2)]), tmp_path)
    assert [layer.outputs[0] for layer in network.layers] == ["b", "a", "y"]
    assert network.warnings == ()


def test_that_a_cycle_names_its_nodes_in_the_direction_of_the_data(tmp_path: Path) -> None:
    nodes = [
        node("Sum", "x c", "a", name="first"),
        node("Relu", "a", "b", name="second"),
        node("Relu", "b", "c", name="third"),
        node("Relu", "c", "y", name="outside"),
    ]
    with pytest.raises(ModelError, match="first -> second -> third -> first form a cycle"):
        load(model_of(nodes, [floats("x", 2)]), tmp_path)


def test_that_a_tensor_written_again_in_order_is_read_as_last_written(tmp_path: Path) -> None:
    # Old exporters worked in place: Tanh reads what Relu wrote into x, Sum what Tanh wrote.
    nodes = [node("Relu", "x", "x"), node("Tanh", "x", "h"), node("Tanh", "h", "h"),
             node("Sum", "h x", "y")]  # fmt: skip
    network = load(model_of(nodes, [floats("x", 2)]), tmp_path)
    relu, first, second, total = network.layers
    assert relu.inputs == ("x",)
    assert first.inputs == relu.outputs
    assert second.inputs == first.outputs
    assert total.inputs == (*second.outputs, *relu.outputs)
    assert any(
        "writes x, h more than once, which ONNX forbids" in told for told in network.warnings
    )


def test_that_statistics_written_over_their_initialisers_are_followed(tmp_path: Path) -> None:
    norm = node("BatchNormalization", "x s b m v", "y m v", name="bn", training_mode=1)
    stored = [weight(name, 3) for name in "sbmv"]
    network = load(model_of([norm], [floats("x", 1, 3)], stored), tmp_path)
    (layer,) = network.layers
    assert layer.inputs == ("x", "s", "b", "m", "v")
    assert not set(layer.outputs) & set(layer.inputs)


def test_that_an_output_written_again_is_the_last_write(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", "y", name="one"), node("Tanh", "y", "y", name="two")]
    network = load(model_of(nodes, [floats("x", 2)]), tmp_path)
    assert network.outputs == network.layers[1].outputs


def test_that_a_tensor_made_twice_out_of_order_is_refused_naming_both_nodes(
    tmp_path: Path,
) -> None:
    # With its reader in front nobody can tell which of the two it reads.
    nodes = [
        node("Sigmoid", "h", name="reader"),
        node("Relu", "x", "h", name="one"),
        node("Tanh", "x", "h", name="two"),
    ]
    with pytest.raises(
        ModelError, match=r"node two \(Tanh\): tensor h is made twice, first by one"
    ):
        load(model_of(nodes, [floats("x", 2)]), tmp_path)


def test_that_reading_what_nothing_makes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"node y \(Sum\): reads lost, which nothing makes"):
        load(model_of([node("Sum", "x lost")], [floats("x", 2)]), tmp_path)


def test_that_an_output_that_nothing_makes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="output z is made by nothing"):
        load(model_of([node("Relu", "x")], [floats("x", 2)], outputs=["y", "z"]), tmp_path)


def test_that_equal_and_empty_names_become_unique_from_outputs(tmp_path: Path) -> None:
    nodes = [
        node("Relu", "x", "a", name="act"),
        node("Relu", "a", "b", name="act"),
        node("Relu", "b", "y"),
    ]
    network = load(model_of(nodes, [floats("x", 2)]), tmp_path)
    assert [layer.name for layer in network.layers] == ["act", "b", "y"]


def test_that_a_name_taken_by_another_nodes_output_is_numbered(tmp_path: Path) -> None:
    nodes = [node("Relu", "x", "a", name="y"), node("Relu", "a", "y")]
    network = load(model_of(nodes, [floats("x", 2)]), tmp_path)
    assert [layer.name for layer in network.layers] == ["y", "y 2"]


def test_that_an_absent_optional_input_stays_an_empty_name(tmp_path: Path) -> None:
    high = helper.make_tensor("hi", TensorProto.FLOAT, [], [6.0])
    network = load(model_of([node("Clip", "x - hi")], [floats("x", 1, 2)], [high]), tmp_path)
    assert network.layers[0].inputs == ("x", "", "hi")
    assert dict(network.layers[0].attributes) == {"max": 6.0}


def test_that_attributes_are_plain_values_with_defaults_filled_in(tmp_path: Path) -> None:
    nodes = [node("Conv", "x w", auto_pad="SAME_UPPER", strides=[2, 2])]
    network = load(model_of(nodes, [floats("x", 1, 3, 7, 7)], [weight("w", 8, 3, 4, 4)]), tmp_path)
    # 7 / 2 rounded up = 4 outputs; (4 - 1) x 2 + 4 - 7 = 3 pads: 1 before, 2 behind.
    assert dict(network.layers[0].attributes) == {
        "kernel_shape": (4, 4),
        "strides": (2, 2),
        "dilations": (1, 1),
        "pads": (1, 1, 2, 2),
        "auto_pad": "NOTSET",
        "group": 1,
    }


@pytest.mark.parametrize("inputs", [[], [""]])
def test_that_a_node_without_what_it_reads_is_named(inputs: list[str], tmp_path: Path) -> None:
    odd = helper.make_node("Identity", inputs, ["a"], name="odd")
    with pytest.raises(ModelError, match=r"node odd \(Identity\): input 1 is missing"):
        load(model_of([odd, node("Add", "x a")], [floats("x", 2)]), tmp_path)


def test_that_a_constant_in_a_branch_that_makes_nothing_is_named(tmp_path: Path) -> None:
    held = helper.make_tensor("", TensorProto.FLOAT, [1], [1.0])
    lost = helper.make_node("Constant", [], [], name="lost", value=held)
    branch = helper.make_graph([node("Relu", "x", "r"), lost], "branch", [], [floats("r", 2)])
    flag = helper.make_tensor("c", TensorProto.BOOL, [], [True])
    pick = node("If", "c", then_branch=branch, else_branch=branch)
    with pytest.raises(ModelError, match=r"\(Constant\): names 0 outputs"):
        load(model_of([pick], [floats("x", 2)], [flag]), tmp_path)
