"""A head that is stored apart from its embedding is told: counted twice, it may be one weight."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from solver.loaders.onnx_tied import Twice, look_tied
from tests.helpers.onnx_models import floats, load, model_of, node, weight

_NUMBERS = np.random.default_rng(7).standard_normal((12, 5)).astype("float32")


def _model(table: NDArray[np.float32], head: NDArray[np.float32]) -> onnx.ModelProto:
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [1, 3])
    nodes = [node("Gather", "table ids", "h"), node("MatMul", "h head")]
    stored = [numpy_helper.from_array(table, "table"), numpy_helper.from_array(head, "head")]
    return model_of(nodes, [ids], stored)


def _told(model: onnx.ModelProto, folder: Path) -> list[str]:
    return [text for text in load(model, folder).warnings if "look tied" in text]


def test_that_a_transposed_copy_is_told_and_still_counts_by_itself(tmp_path: Path) -> None:
    model = _model(_NUMBERS, np.ascontiguousarray(_NUMBERS.T))
    (told,) = _told(model, tmp_path)
    assert told == (
        "table and head look tied: they hold the same numbers, one transposed; stored apart, each "
        "is counted and trained by itself here: export them as one tensor if they are one weight"
    )
    assert load(model, tmp_path).constants == {"table", "head"}


def test_that_one_different_number_is_enough_not_to_be_told(tmp_path: Path) -> None:
    other = np.ascontiguousarray(_NUMBERS.T)
    other[4, 11] = 0
    assert _told(_model(_NUMBERS, other), tmp_path) == []


def test_that_zeros_and_absent_numbers_tell_nothing(tmp_path: Path) -> None:
    zeros = np.zeros((12, 5), "float32")
    assert _told(_model(zeros, np.ascontiguousarray(zeros.T)), tmp_path) == []
    nodes = [node("MatMul", "x w", "h"), node("MatMul", "h v")]
    stored = [weight("w", 4, 64), weight("v", 64, 4)]
    assert _told(model_of(nodes, [floats("x", 1, 4)], stored), tmp_path) == []


def test_that_a_copy_that_the_file_turns_itself_is_one_weight(tmp_path: Path) -> None:
    model = _model(_NUMBERS, _NUMBERS)
    model.graph.node.insert(0, node("Transpose", "table", "turned"))
    model.graph.node[2].input[1] = "turned"
    assert _told(model, tmp_path) == []


@pytest.mark.parametrize("transposed", [False, True])
def test_that_square_matrices_are_compared_both_ways(transposed: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    square = _NUMBERS[:5]
    other = np.ascontiguousarray(square.T) if transposed else square
    stored = [numpy_helper.from_array(square, "a"), numpy_helper.from_array(other, "b")]
    graph = helper.make_graph([], "g", [], [], stored)
    assert look_tied(graph, ["a", "b"]) == (Twice("a", "b", transposed),)
    assert look_tied(graph, ["a"]) == ()


def test_that_of_large_matrices_a_sample_is_compared() -> None:
    # 1,000 x 300 numbers of which 4,096 are looked at: other numbers throughout are noticed.
    rng = np.random.default_rng(8)
    large = rng.standard_normal((1000, 300)).astype("float32")
    other = rng.standard_normal((300, 1000)).astype("float32")
    stored = [
        numpy_helper.from_array(large, "a"),
        numpy_helper.from_array(other, "b"),
        numpy_helper.from_array(np.ascontiguousarray(large.T), "c"),
    ]
    graph = helper.make_graph([], "g", [], [], stored)
    assert look_tied(graph, ["a", "b", "c"]) == (Twice("a", "c", transposed=True),)


def test_that_matrices_beyond_measure_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solver.loaders.onnx_tied._MOST_BYTES", 2 * 12 * 5 * 4 - 1)
    stored = [numpy_helper.from_array(_NUMBERS, name) for name in "ab"]
    assert look_tied(helper.make_graph([], "g", [], [], stored), ["a", "b"]) == ()
