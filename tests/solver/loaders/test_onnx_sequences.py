"""Lists of tensors and optional values: followed by name until only tensors are left."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.network import Network
from tests.helpers.onnx_models import floats, integers, load, model_of, node, weight


def _load(nodes: list[onnx.NodeProto], tmp_path: Path, *stored: onnx.TensorProto) -> Network:
    return load(model_of(nodes, [floats("x", 2, 6)], [weight("w", 2, 6), *stored]), tmp_path)


def _kinds(network: Network) -> list[str]:
    return [layer.op_type for layer in network.layers if layer.op_type != "Identity"]


_PAIR = [node("Relu", "x", "a"), node("Tanh", "x", "b"), node("SequenceConstruct", "a b", "s")]


@pytest.mark.parametrize(
    ("attributes", "shape"),
    [({"axis": 0}, (4, 6)), ({"axis": 1}, (2, 12)), ({"axis": -1, "new_axis": 1}, (2, 6, 2))],
)
def test_that_a_joined_list_is_a_concatenation(
    attributes: dict[str, int], shape: tuple[int, ...], tmp_path: Path
) -> None:
    network = _load([*_PAIR, node("ConcatFromSequence", "s", **attributes)], tmp_path)
    assert network.values["y"].shape == shape
    assert _kinds(network)[-1] == "Concat"


@pytest.mark.parametrize(("place", "kind"), [(0, "Relu"), (1, "Tanh"), (-1, "Tanh")])
def test_that_a_member_is_the_tensor_itself(place: int, kind: str, tmp_path: Path) -> None:
    nodes = [*_PAIR, node("SequenceAt", "s k", "m"), node("Sigmoid", "m")]
    network = _load(nodes, tmp_path, integers("k", place))
    made = {layer.outputs[0]: layer for layer in network.layers}
    assert made[made["m"].inputs[0]].op_type == kind


def test_that_lists_grow_and_shrink_at_the_named_places(tmp_path: Path) -> None:
    # [a, b] -> [w, a, b] -> [w, a] -> 2 x 18 where w is 2 x 6 as a is: 2 x 12.
    nodes = [
        *_PAIR,
        node("SequenceInsert", "s w zero", "more"),
        node("SequenceErase", "more", "less"),
        node("ConcatFromSequence", "less", axis=1),
    ]
    network = _load(nodes, tmp_path, integers("zero", 0))
    (joined,) = [layer for layer in network.layers if layer.op_type == "Concat"]
    assert joined.inputs == ("w", "a")
    assert network.values["y"].shape == (2, 12)


def test_that_a_list_begun_empty_is_filled_in_order(tmp_path: Path) -> None:
    nodes = [
        node("SequenceEmpty", "", "s0"),
        node("SequenceInsert", "s0 x", "s1"),
        node("SequenceInsert", "s1 w", "s2"),
        node("ConcatFromSequence", "s2", axis=0),
    ]
    network = _load(nodes, tmp_path)
    assert network.layers[-1].inputs == ("x", "w")


def test_that_the_length_of_a_list_is_a_constant(tmp_path: Path) -> None:
    nodes = [
        *_PAIR,
        node("SequenceLength", "s", "n"),
        node("Unsqueeze", "n zero", "n1"),
        node("Concat", "n1 rest", "target", axis=0),
        node("Reshape", "x target"),
    ]
    network = _load(nodes, tmp_path, integers("zero", 0), integers("rest", -1))
    assert network.values["target"].data == (2, -1)


@pytest.mark.parametrize(
    ("sizes", "shapes"),
    [
        ("3 3", [(2, 3), (2, 3)]),
        ("1 5", [(2, 1), (2, 5)]),
        ("4", [(2, 4), (2, 2)]),  # a number: parts of 4, the last one smaller
    ],
)
def test_that_a_tensor_is_split_into_a_list(
    sizes: str, shapes: list[tuple[int, ...]], tmp_path: Path
) -> None:
    numbers = [int(size) for size in sizes.split()]
    split = helper.make_tensor(
        "n", TensorProto.INT64, [len(numbers)] if len(numbers) > 1 else [], numbers
    )
    nodes = [
        node("SplitToSequence", "x n", "s", axis=1),
        node("SequenceAt", "s zero", "first"),
        node("SequenceAt", "s one", "second"),
        node("Concat", "second first", axis=1),
    ]
    network = _load(nodes, tmp_path, split, integers("zero", 0), integers("one", 1))
    assert [network.values[name].shape for name in ("first", "second")] == shapes


def test_that_a_list_of_rows_loses_the_axis_where_it_is_told_to(tmp_path: Path) -> None:
    nodes = [
        node("SplitToSequence", "x", "s", axis=0, keepdims=0),
        node("SequenceAt", "s zero"),
    ]
    assert _load(nodes, tmp_path, integers("zero", 0)).values["y"].shape == (6,)


def test_that_the_members_of_an_output_list_are_outputs(tmp_path: Path) -> None:
    model = model_of(_PAIR, [floats("x", 2, 6)], outputs=["s"])
    assert load(model, tmp_path).outputs == ("a", "b")


def test_that_a_list_where_a_tensor_is_needed_is_refused_by_node(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"node y \(Relu\): reads a list of tensors"):
        _load([*_PAIR, node("Relu", "s")], tmp_path)


def test_that_a_tensor_where_a_list_is_needed_is_refused_by_node(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"node y \(ConcatFromSequence\): input 1 is no list"):
        _load([node("ConcatFromSequence", "x", axis=0)], tmp_path)


def test_that_a_place_outside_of_a_list_is_refused_by_node(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"node y \(SequenceAt\): there is no place 2 in a list"):
        _load([*_PAIR, node("SequenceAt", "s k")], tmp_path, integers("k", 2))


def test_that_an_input_that_is_a_list_is_refused_with_its_name(tmp_path: Path) -> None:
    one = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, [2, 6])
    model = model_of([node("ConcatFromSequence", "s", axis=0)], [one])
    with pytest.raises(ModelError, match="input s: is a sequence, only tensors are supported"):
        load(model, tmp_path)


def test_that_an_optional_value_is_the_value_itself(tmp_path: Path) -> None:
    nodes = [node("Optional", "x", "o"), node("OptionalGetElement", "o", "e"), node("Relu", "e")]
    assert _kinds(_load(nodes, tmp_path)) == ["Relu"]


@pytest.mark.parametrize(("inputs", "kind"), [("x", "Relu"), ("", "Tanh")])
def test_that_a_question_for_an_optional_value_is_settled(
    inputs: str, kind: str, tmp_path: Path
) -> None:
    branches = {
        f"{name}_branch": helper.make_graph(
            [node(op, "x", "a")], name, [], [onnx.ValueInfoProto(name="a")]
        )
        for name, op in (("then", "Relu"), ("else", "Tanh"))
    }
    nodes = [
        node("Optional", inputs, "o"),
        node("OptionalHasElement", "o", "there"),
        node("If", "there", **branches),
    ]
    assert _kinds(_load(nodes, tmp_path)) == [kind]


def test_that_getting_what_is_not_there_is_refused_by_node(tmp_path: Path) -> None:
    nodes = [node("Optional", "", "o"), node("OptionalGetElement", "o")]
    with pytest.raises(ModelError, match=r"node y \(OptionalGetElement\): there is no element"):
        _load(nodes, tmp_path)


@pytest.mark.parametrize("inputs", ["x", "x one"])
def test_that_a_list_of_very_many_parts_is_refused_before_it_is_written_out(
    inputs: str, tmp_path: Path
) -> None:
    nodes = [node("SplitToSequence", inputs, "s", axis=1), node("SequenceAt", "s zero")]
    one = helper.make_tensor("one", TensorProto.INT64, [], [1])
    stored = [one, integers("zero", 0)]
    with pytest.raises(ModelError, match="lists take more than 50,000 steps"):
        load(model_of(nodes, [floats("x", 2, 2**35)], stored), tmp_path)
