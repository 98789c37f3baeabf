"""Tensors of which the file stores only some numbers: read as dense ones of their shape."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.import_report import Topic
from tests.helpers.onnx_models import floats, load, model_of, node, weight
from tests.solver.loaders.test_onnx_account import report_of, texts


def _sparse(
    name: str, dims: list[int], values: list[float], places: list[int], *, rank: int = 1
) -> onnx.SparseTensorProto:
    count = [len(values)] if rank == 1 else [len(values), rank]
    dtype = TensorProto.FLOAT if any(isinstance(item, float) for item in values) else 7
    return helper.make_sparse_tensor(
        helper.make_tensor(name, dtype, [len(values)], values),
        helper.make_tensor("places", TensorProto.INT64, count, places),
        dims,
    )


def _linear(stored: onnx.SparseTensorProto) -> onnx.ModelProto:
    model = model_of([node("MatMul", "x w")], [floats("x", 1, 4)])
    model.graph.sparse_initializer.append(stored)
    return model


def test_that_a_sparse_weight_is_trained_as_a_dense_one_and_said_so(tmp_path: Path) -> None:
    model = _linear(_sparse("w", [4, 2], [1.0, 2.0], [0, 5]))
    network = load(model, tmp_path)
    assert network.values["w"].bytes == 4 * 2 * 4
    report = report_of(model, tmp_path)
    assert texts(report, Topic.SIZES)[0] == (
        "1 tensor of which the file stores only some numbers is counted whole, as training would "
        "hold it: w"
    )
    assert texts(report, Topic.WEIGHTS) == ["1 weight of 32 B is trained"]


@pytest.mark.parametrize(
    ("places", "rank"), [([1, 2], 1), ([0, 1, 0, 2], 2)], ids=["counted through", "by row, column"]
)
def test_that_the_numbers_of_a_small_one_decide_a_shape(
    places: list[int], rank: int, tmp_path: Path
) -> None:
    # [[0, 2, 6]] without its first column is the shape (2, 6).
    nodes = [
        node("Slice", "s one three one", "cut"),
        node("Squeeze", "cut zero", "target"),
        node("Reshape", "x target"),
    ]
    numbers = {"one": 1, "three": 3, "zero": 0}
    stored = [helper.make_tensor(k, TensorProto.INT64, [1], [v]) for k, v in numbers.items()]
    model = model_of(nodes, [floats("x", 3, 4)], stored)
    model.graph.sparse_initializer.append(_sparse("s", [1, 3], [2, 6], places, rank=rank))
    assert load(model, tmp_path).values["y"].shape == (2, 6)


def test_that_a_constant_node_may_hold_one(tmp_path: Path) -> None:
    held = helper.make_node("Constant", [], ["w"], sparse_value=_sparse("", [4, 2], [1.0], [7]))
    network = load(model_of([held, node("MatMul", "x w")], [floats("x", 1, 4)]), tmp_path)
    assert network.values["w"].shape == (4, 2)
    assert "w" in network.constants


def test_that_a_branch_may_hold_one(tmp_path: Path) -> None:
    branch = helper.make_graph([node("MatMul", "x w", "a")], "branch", [], [floats("a", 1, 2)])
    branch.sparse_initializer.append(_sparse("w", [4, 2], [1.0], [7]))
    pick = node("If", "c", then_branch=branch, else_branch=branch)
    flag = helper.make_tensor("c", TensorProto.BOOL, [], [True])
    network = load(model_of([pick], [floats("x", 1, 4)], [flag]), tmp_path)
    assert network.values["y"].shape == (1, 2)


@pytest.mark.parametrize(
    ("stored", "told"),
    [
        (_sparse("w", [4, 2], [1.0], [8]), "an index of it lies outside of its shape 4x2"),
        (_sparse("w", [4, 2], [1.0], [-1]), "an index of it lies outside of its shape 4x2"),
        (_sparse("w", [4, 2], [1.0], [0, 2], rank=2), "outside of its shape 4x2"),
        (_sparse("w", [4, 2], [1.0], [0, 0, 0], rank=3), "do not name a place for each value"),
        (_sparse("w", [1, 1], [1.0, 2.0], [0, 0]), "2 stored values do not fit its shape 1x1"),
        (_sparse("w", [-4, 2], [1.0], [0]), "a size below zero"),
    ],
)
def test_that_one_that_contradicts_itself_is_refused_by_name(
    stored: onnx.SparseTensorProto, told: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=f"initialiser w: .*{told}"):
        load(_linear(stored), tmp_path)


def test_that_a_large_one_is_never_written_out(tmp_path: Path) -> None:
    # 2^20 x 2^20 floats are 4 TiB.
    model = model_of([node("MatMul", "x w")], [floats("x", 1, 2**20)])
    model.graph.sparse_initializer.append(_sparse("w", [2**20, 2**20], [1.0], [2**39]))
    assert load(model, tmp_path).values["w"].bytes == 2**42


def test_that_one_that_nothing_reads_is_told(tmp_path: Path) -> None:
    model = model_of([node("MatMul", "x w")], [floats("x", 1, 4)], [weight("w", 4, 2)])
    model.graph.sparse_initializer.append(_sparse("idle", [4, 2], [1.0], [0]))
    report = report_of(model, tmp_path)
    assert texts(report, Topic.IGNORED) == ["1 stored tensor is read by nothing: idle"]
