"""Shapes of reductions, positions, largest elements and running sums."""

from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from tests.helpers.onnx_models import floats, integers, load, model_of, node, shapes_of

ALL = (
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
    "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp",
)  # fmt: skip


def shape_of(
    folder: Path, kind: str, *, axes: tuple[int, ...] | None = None, opset: int = 18, **more: Any
) -> tuple[int, ...]:
    """The shape that the reduction makes of 2x3x4; `axes` is an input."""
    stored = [] if axes is None else [integers("axes", *axes)]
    names = "x" if axes is None else "x axes"
    model = model_of([node(kind, names, **more)], [floats("x", 2, 3, 4)], stored, opset=opset)
    return load(model, folder).values["y"].shape


@pytest.mark.parametrize("kind", ALL)
def test_that_axes_are_an_input_or_in_old_files_an_attribute(kind: str, tmp_path: Path) -> None:
    assert shape_of(tmp_path, kind, axes=(-1,)) == (2, 3, 1)
    assert shape_of(tmp_path, kind, axes=(0, 2), keepdims=0) == (3,)
    model = model_of([node(kind, "x", axes=[1], keepdims=0)], [floats("x", 2, 3, 4)], opset=11)
    assert load(model, tmp_path).values["y"].shape == (2, 4)


def test_that_a_sum_takes_its_axes_as_an_input_five_sets_before_the_others(tmp_path: Path) -> None:
    assert shape_of(tmp_path, "ReduceSum", axes=(1,), opset=13) == (2, 1, 4)


def test_that_no_axes_are_all_axes_unless_told_otherwise(tmp_path: Path) -> None:
    assert shape_of(tmp_path, "ReduceMean", keepdims=0) == ()
    assert shape_of(tmp_path, "ReduceMean", axes=()) == (1, 1, 1)
    assert shape_of(tmp_path, "ReduceMean", axes=(), noop_with_empty_axes=1) == (2, 3, 4)


def test_that_axes_that_are_computed_from_data_are_refused(tmp_path: Path) -> None:
    nodes = [node("Cast", "x", "axes", to=TensorProto.INT64), node("ReduceSum", "x axes")]
    with pytest.raises(ModelError, match="its list of axes is not known before the network runs"):
        load(model_of(nodes, [floats("x", 2)]), tmp_path)


@pytest.mark.parametrize("kind", ["ArgMax", "ArgMin"])
def test_that_positions_are_counted_along_one_axis(kind: str, tmp_path: Path) -> None:
    model = model_of(
        [node(kind, "x", "first"), node(kind, "x", "y", axis=-1, keepdims=0)],
        [floats("x", 2, 3, 4)],
        outputs=("y", "first"),
    )
    nodes = [*model.graph.node, node("Relu", "x", "z")]
    network = load(model_of(nodes, [floats("x", 2, 3, 4)], outputs=("z", "y", "first")), tmp_path)
    assert shapes_of(network) == {"first": (1, 3, 4), "y": (2, 3), "z": (2, 3, 4)}
    assert network.values["y"].dtype == "int64"


def test_that_the_largest_elements_come_with_their_positions(tmp_path: Path) -> None:
    model = model_of([node("TopK", "x k", "y i", axis=1)], [floats("x", 2, 5)], [integers("k", 3)])
    network = load(model, tmp_path)
    assert (network.values["y"].shape, network.values["y"].dtype) == ((2, 3), "float32")
    assert (network.values["i"].shape, network.values["i"].dtype) == ((2, 3), "int64")


def test_that_old_files_say_how_many_in_an_attribute(tmp_path: Path) -> None:
    model = model_of([node("TopK", "x", "y i", k=2)], [floats("x", 2, 5)], opset=9)
    assert load(model, tmp_path).values["y"].shape == (2, 2)


def test_that_more_elements_than_there_are_is_told(tmp_path: Path) -> None:
    model = model_of([node("TopK", "x k", "y i")], [floats("x", 2, 5)], [integers("k", 6)])
    with pytest.raises(ModelError, match="k is 6, axis 1 of 2x5 has 5"):
        load(model, tmp_path)


def test_that_running_sums_keep_the_shape(tmp_path: Path) -> None:
    axis = helper.make_tensor("axis", TensorProto.INT64, [], [1])
    model = model_of([node("CumSum", "x axis", exclusive=1)], [floats("x", 2, 5)], [axis])
    assert load(model, tmp_path).values["y"].shape == (2, 5)
