"""Shape arithmetic that our own rules do not know is evaluated by ONNX's reference, if small."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from solver.errors import ModelError
from solver.loaders.onnx_rules import reference
from solver.loaders.onnx_rules.base import Fact, Node
from tests.helpers.onnx_models import floats, integers, load, model_of, node


def _number(name: str, value: float, dtype: str = "float32") -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(value, dtype), name)


def _shape(
    nodes: list[onnx.NodeProto], folder: Path, stored: list[onnx.TensorProto], **more: Any
) -> tuple[int, ...]:
    """Shape of y = reshape(x, target) with target made by `nodes` from the shape of x, 6 x 8."""
    whole = [node("Shape", "x", "s"), *nodes, node("Reshape", "x target")]
    return load(model_of(whole, [floats("x", 6, 8)], stored, **more), folder).values["y"].shape


def test_that_a_power_found_by_logarithms_is_followed(tmp_path: Path) -> None:
    # round(2^ceil(log2 6)) = 8 rows of 6.
    nodes = [
        node("Gather", "s zero", "rows"),
        node("Cast", "rows", "f", to=TensorProto.FLOAT),
        node("Log", "f", "log"),
        node("Div", "log log2", "exact"),
        node("Ceil", "exact", "up"),
        node("Pow", "two up", "power"),
        node("Cast", "power", "whole", to=TensorProto.INT64),
        node("Concat", "whole rest", "target", axis=0),
    ]
    stored = [
        integers("zero", 0), integers("rest", -1), _number("two", 2.0),
        _number("log2", 0.6931472),
    ]  # fmt: skip
    assert _shape(nodes, tmp_path, stored) == (8, 6)


def test_that_different_sizes_are_counted(tmp_path: Path) -> None:
    # Of the sizes 6, 8, 6 two differ; sorted they are 6, 8.
    nodes = [node("Concat", "s six", "three", axis=0), node("Unique", "three", "target")]
    assert _shape(nodes, tmp_path, [integers("six", 6)]) == (6, 8)


def test_that_sizes_picked_by_a_condition_are_followed(tmp_path: Path) -> None:
    # Where(6 % 4 > 1, 3, 4) = 3; nonzero(ones of 2) has 2 places, and 3 x 2 x 8 are 48.
    nodes = [
        node("Gather", "s zero", "rows"),
        node("Mod", "rows four", "left"),
        node("Greater", "left one", "more"),
        node("Where", "more three four", "first"),
        node("ConstantOfShape", "two", "ones", value=helper.make_tensor("", 7, [1], [1])),
        node("NonZero", "ones", "places"),
        node("Shape", "places", "found"),
        node("Gather", "found one", "second"),
        node("Concat", "first second rest", "target", axis=0),
    ]
    numbers = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "rest": -1}
    stored = [integers(name, value) for name, value in numbers.items()]
    assert _shape(nodes, tmp_path, stored) == (3, 2, 8)


def test_that_a_branch_taken_by_a_size_is_followed(tmp_path: Path) -> None:
    # The sum of sizes by a matrix product, 6 x 1 + 8 x 1 = 14, is above 10: then.
    def branch(name: str) -> onnx.GraphProto:
        held = node("Identity", name, f"{name}_out")
        return helper.make_graph([held], name, [], [floats(f"{name}_out")])

    nodes = [
        node("Cast", "s", "f", to=TensorProto.FLOAT),
        node("MatMul", "f ones", "sum"),
        node("Greater", "sum ten", "large"),
        helper.make_node(
            "If", ["large"], ["target"], then_branch=branch("wide"), else_branch=branch("tall")
        ),
    ]
    stored = [
        numpy_helper.from_array(np.ones(2, "float32"), "ones"), _number("ten", 10),
        integers("wide", 2, 24), integers("tall", 24, 2),
    ]  # fmt: skip
    assert _shape(nodes, tmp_path, stored) == (2, 24)


def test_that_attributes_and_absent_inputs_reach_the_reference() -> None:
    x = np.array([[3, 1], [1, 3], [3, 1]])
    fact = Fact(x.shape, "int64", x, constant=True)
    unique = Node("Unique", 17, (fact,), 3, {"axis": 0, "sorted": 0})
    rows, first, inverse = (out.array for out in reference.by_reference(unique).outputs)
    assert rows is not None
    assert rows.tolist() == [[3, 1], [1, 3]]
    assert first is not None
    assert first.tolist() == [0, 1]
    assert inverse is not None
    assert inverse.tolist() == [0, 1, 0]
    bound = Fact((), "int64", np.array(2), constant=True)
    clipped = reference.elements_of(Node("Clip", 17, (fact, None, bound)))
    assert clipped is not None
    assert clipped[0].tolist() == [[2, 1], [1, 2], [2, 1]]


@pytest.mark.parametrize("kind", ["Einsum", "RandomNormalLike", "Conv", "HannWindow"])
def test_that_work_beyond_measure_and_chance_are_not_evaluated(kind: str) -> None:
    few = Fact((2,), "float32", np.ones(2, "float32"), constant=True)
    assert reference.elements_of(Node(kind, 17, (few, few))) is None


def test_that_a_node_that_the_reference_refuses_stays_unknown(tmp_path: Path) -> None:
    few = Fact((2,), "int64", np.ones(2, "int64"), constant=True)
    assert reference.elements_of(Node("DepthToSpace", 17, (few,), 1, {"blocksize": 7})) is None
    nodes = [node("Unique", "x", "u"), node("Reshape", "x u")]
    with pytest.raises(ModelError, match="the number of different elements depends on the data"):
        load(model_of(nodes, [floats("x", 6, 8)]), tmp_path)
