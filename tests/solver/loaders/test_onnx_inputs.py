"""Sizes that a file leaves open: batch, named dimensions, what exporters write for unknown."""

from pathlib import Path

import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError, UsageError
from tests.helpers.onnx_models import floats, load, model_of, node, weight

_POOL = [node("GlobalAveragePool", "x")]


def test_that_an_initialiser_listed_as_input_is_no_input(tmp_path: Path) -> None:
    inputs = [floats("x", 8, 32), floats("w", 32, 16)]
    network = load(model_of([node("MatMul", "x w")], inputs, [weight("w", 32, 16)]), tmp_path)
    assert network.inputs == ("x",)
    assert network.constants == {"w"}


def test_that_an_open_leading_dimension_is_one_unless_told_otherwise(tmp_path: Path) -> None:
    model = model_of(_POOL, [floats("x", "N", 3, 8, 8)])
    assert load(model, tmp_path).values["y"].shape == (1, 3, 1, 1)
    assert load(model, tmp_path, batch=5).values["y"].shape == (5, 3, 1, 1)
    assert load(model, tmp_path, dims={"N": 6}).batch == 6


def test_that_a_fixed_leading_dimension_stays_unless_a_batch_is_given(tmp_path: Path) -> None:
    model = model_of(_POOL, [floats("x", 4, 3, 8, 8)])
    assert load(model, tmp_path).batch == 4
    assert load(model, tmp_path, batch=2).values["y"].shape == (2, 3, 1, 1)


@pytest.mark.parametrize("unknown", [None, -1, 0, "?", "-1"])
def test_that_unknown_sizes_are_asked_for_by_their_place(
    unknown: int | str | None, tmp_path: Path
) -> None:
    model = model_of(_POOL, [floats("x", unknown, 3, unknown, 8)])
    with pytest.raises(UsageError) as caught:
        load(model, tmp_path)
    assert "leaves sizes open: x.2 of input x" in str(caught.value)
    network = load(model, tmp_path, dims={"x.2": 7})
    assert network.values["x"].shape == (1, 3, 7, 8)


def test_that_all_missing_names_stand_in_one_sentence_with_how_to_give_them(tmp_path: Path) -> None:
    model = model_of(_POOL, [floats("x", "N", "C", "H", "H")])
    with pytest.raises(UsageError) as caught:
        load(model, tmp_path, dims={"H": 8})
    (issue,) = caught.value.issues
    assert "C of input x (N, C, H, H)" in issue.message
    assert "--dim C=VALUE" in issue.suggestion
    assert "--batch N" in issue.suggestion


def test_that_dimensions_bound_by_the_user_are_recorded(tmp_path: Path) -> None:
    model = model_of(_POOL, [floats("x", "N", 3, "H", "W")])
    network = load(model, tmp_path, dims={"H": 8, "W": 6}, batch=2)
    assert network.values["x"].shape == (2, 3, 8, 6)
    assert dict(network.dims) == {"H": 8, "W": 6}
    assert network.batch == 2


def test_that_the_batch_symbol_is_bound_wherever_it_stands(tmp_path: Path) -> None:
    inputs = [floats("x", "N", 4), floats("z", 4, "N")]
    network = load(model_of([node("MatMul", "x z")], inputs), tmp_path, batch=3)
    assert network.values["y"].shape == (3, 3)


def test_that_a_second_input_of_another_fixed_size_keeps_it(tmp_path: Path) -> None:
    inputs = [floats("x", 2, 4), floats("z", 4, 6)]
    network = load(model_of([node("MatMul", "x z")], inputs), tmp_path, batch=3)
    assert network.values["y"].shape == (3, 6)


def test_that_sizes_that_do_not_fit_the_network_are_named_beside_the_node(tmp_path: Path) -> None:
    # 9 halved is 4, doubled 8: it does not fit 9.
    nodes = [
        node("MaxPool", "x", "half", kernel_shape=[2], strides=[2]),
        node("Resize", "half - two", "double", mode="nearest"),
        node("Add", "double x", name="join"),
    ]
    two = helper.make_tensor("two", TensorProto.FLOAT, [3], [1.0, 1.0, 2.0])
    model = model_of(nodes, [floats("x", 1, 3, "length")], [two])
    with pytest.raises(ModelError) as caught:
        load(model, tmp_path, dims={"length": 9})
    (issue,) = caught.value.issues
    assert issue.where == "test.onnx: node join (Add)"
    assert issue.suggestion == (
        "it was read at length = 9: others may fit, multiples of 32 often do"
    )
    assert load(model, tmp_path, dims={"length": 10}).values["y"].shape == (1, 3, 10)


def test_that_a_misspelt_dimension_is_answered_with_the_nearest(tmp_path: Path) -> None:
    model = model_of(_POOL, [floats("x", "N", 3, "height", 8)])
    with pytest.raises(UsageError, match=r"no size called 'hieght' open \(.* open: height, N\)"):
        load(model, tmp_path, dims={"hieght": 8})


def test_that_a_name_for_a_file_without_open_sizes_is_answered_so(tmp_path: Path) -> None:
    model = model_of(_POOL, [floats("x", 1, 3, 8, 8)])
    with pytest.raises(UsageError, match=r"no size called 'H' open \(every size in it is fixed"):
        load(model, tmp_path, dims={"H": 8})


def test_that_sizes_below_one_and_contradictions_are_all_named(tmp_path: Path) -> None:
    model = model_of(_POOL, [floats("x", "N", 3, "H", 8)])
    with pytest.raises(UsageError) as caught:
        load(model, tmp_path, batch=2, dims={"H": -1, "N": 3})
    assert [issue.message for issue in caught.value.issues] == [
        "H=-1 is not zero or more",
        "2 contradicts --dim N=3",
    ]


def test_that_a_size_may_be_nothing_but_the_batch_may_not(tmp_path: Path) -> None:
    inputs = [floats("x", "N", 3), floats("past", "past", 3)]
    model = model_of([node("Concat", "past x", axis=0)], inputs)
    network = load(model, tmp_path, batch=4, dims={"past": 0})
    assert network.values["y"].shape == (4, 3)
    with pytest.raises(UsageError, match="--dim: N=0 is not above zero"):
        load(model, tmp_path, dims={"N": 0, "past": 0})


def test_that_a_batch_for_a_network_of_scalars_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no input of test\.onnx has a leading dimension"):
        load(model_of([node("Relu", "x")], [floats("x")]), tmp_path, batch=2)


def test_that_a_scalar_input_is_one_value(tmp_path: Path) -> None:
    network = load(model_of([node("Relu", "x")], [floats("x")]), tmp_path)
    assert network.values["y"].bytes == 4
    assert network.batch is None


def test_that_an_input_that_nothing_reads_needs_no_size_and_is_left_out(tmp_path: Path) -> None:
    inputs = [floats("x", 2, 4), floats("unused", "A", "B")]
    assert load(model_of([node("Relu", "x")], inputs), tmp_path).inputs == ("x",)


def test_that_inputs_that_are_no_number_tensors_are_named(tmp_path: Path) -> None:
    text = helper.make_tensor_value_info("t", TensorProto.STRING, [1])
    many = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, [1])
    rankless = helper.make_tensor_value_info("r", TensorProto.FLOAT, None)
    with pytest.raises(ModelError) as caught:
        load(model_of([node("Sum", "t s r")], [text, many, rankless]), tmp_path)
    assert [issue.where for issue in caught.value.issues] == [
        "test.onnx: input t",
        "test.onnx: input s",
        "test.onnx: input r",
    ]
    assert "string" in caught.value.issues[0].message
    assert "sequence" in caught.value.issues[1].message
    assert "no shape" in caught.value.issues[2].message
