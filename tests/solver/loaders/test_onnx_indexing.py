"""Shapes of picking, spreading, replacing and drawing, each on a model of one node."""

from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from solver.network import Network, Value
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.onnx_models import floats, integers, load, model_of, node, weight


def _ints(name: str, *dims: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.INT64, dims)


def _number(name: str, value: float, dtype: int = TensorProto.INT64) -> onnx.TensorProto:
    return helper.make_tensor(name, dtype, [], [value])


def _net(
    folder: Path,
    made: onnx.NodeProto,
    inputs: list[onnx.ValueInfoProto],
    *stored: onnx.TensorProto,
    opset: int = 18,
) -> Network:
    """The node behind a Relu of its first input x."""
    nodes = [node("Relu", "x0", "x"), made]
    return load(model_of(nodes, [floats("x0", 2, 6, 4), *inputs], stored, opset=opset), folder)


@pytest.mark.parametrize(
    ("bounds", "shape"),
    [
        # starts, ends, axes, steps
        (([1], [5], [1], [1]), (2, 4, 4)),
        (([-3], [2**62], [1], [2]), (2, 2, 4)),  # places 3, 5
        (([-1], [-(2**63)], [-2], [-1]), (2, 6, 4)),  # all in reverse
        (([4, 0], [0, 1], [1, 0], [-2, 1]), (1, 2, 4)),  # places 4, 2
        (([5], [2], [1], [1]), (2, 0, 4)),  # none
    ],
)
def test_that_a_slice_follows_pythons_rules(
    bounds: tuple[list[int], ...], shape: tuple[int, ...], tmp_path: Path
) -> None:
    stored = [integers(name, *values) for name, values in zip("beas", bounds, strict=True)]
    network = _net(tmp_path, node("Slice", "x b e a s"), [], *stored)
    assert network.values["y"].shape == shape


def test_that_bounds_of_a_slice_were_attributes_once(tmp_path: Path) -> None:
    made = node("Slice", "x", starts=[1, 0], ends=[-1, 2], axes=[1, 2])
    assert _net(tmp_path, made, [], opset=9).values["y"].shape == (2, 4, 2)
    made = node("Slice", "x", starts=[1, 0], ends=[2, 3])
    assert _net(tmp_path, made, [], opset=1).values["y"].shape == (1, 3, 4)


def test_that_copies_are_counted_per_axis(tmp_path: Path) -> None:
    made = _net(tmp_path, node("Tile", "x r"), [], integers("r", 1, 2, 3))
    assert made.values["y"].shape == (2, 12, 12)
    made = _net(tmp_path, node("Expand", "x s"), [], integers("s", 3, 1, 1, 4))
    assert made.values["y"].shape == (3, 2, 6, 4)
    tiles = (_number("t", 3.0, TensorProto.FLOAT), _number("a", 1.0, TensorProto.FLOAT))
    with pytest.raises(ModelError, match="its count is not known before the network runs"):
        _net(tmp_path, node("Tile", "x t a"), [floats("t")], tiles[1], opset=1)
    half = _number("t", 0.5, TensorProto.FLOAT)
    with pytest.raises(ModelError, match=r"its count is 0\.5, not a whole number"):
        _net(tmp_path, node("Tile", "x t a"), [], half, tiles[1], opset=1)
    made = _net(tmp_path, node("Tile", "x t a"), [], *tiles, opset=1)
    assert made.values["y"].shape == (2, 18, 4)


@pytest.mark.parametrize(
    ("kind", "indices", "attributes", "shape"),
    [
        ("Gather", (3, 5), {"axis": 1}, (2, 3, 5, 4)),
        ("Gather", (), {"axis": -1}, (2, 6)),
        ("GatherElements", (2, 9, 4), {"axis": 1}, (2, 9, 4)),
        ("GatherND", (7, 2), {}, (7, 4)),
        ("GatherND", (7, 3), {}, (7,)),
        ("GatherND", (2, 5, 1), {"batch_dims": 1}, (2, 5, 4)),
    ],
)
def test_that_picked_elements_have_the_shape_of_their_indices(
    kind: str, indices: tuple[int, ...], attributes: dict[str, int],
    shape: tuple[int, ...], tmp_path: Path,
) -> None:  # fmt: skip
    network = _net(tmp_path, node(kind, "x k", **attributes), [_ints("k", *indices)])
    assert network.values["y"].shape == shape
    graph = expand(_trained(network), TrainingOptions(loss="sum"))
    assert faults_of(graph) == []


def _trained(network: Network) -> Network:
    """The same network; a Relu alone has nothing to train, so it becomes an added bias."""
    first, *others = network.layers
    values = {**network.values, "bias": Value("bias", (6, 1))}
    added = replace(first, op_type="Add", inputs=("x0", "bias"))
    constants = network.constants | {"bias"}
    return replace(network, layers=(added, *others), values=values, constants=constants)


@pytest.mark.parametrize(
    ("kind", "indices", "updates"),
    [
        ("ScatterElements", (1, 3, 2), (1, 3, 2)),
        ("ScatterND", (5, 2), (5, 4)),
        ("ScatterND", (5, 3), (5,)),
    ],
)
def test_that_a_scatter_has_the_shape_of_its_data(
    kind: str, indices: tuple[int, ...], updates: tuple[int, ...], tmp_path: Path
) -> None:
    inputs = [_ints("k", *indices), floats("u", *updates)]
    network = _net(tmp_path, node(kind, "x k u", reduction="add"), inputs)
    assert network.values["y"].shape == (2, 6, 4)
    assert network.layers[-1].attributes["reduction"] == "add"


@pytest.mark.parametrize(
    ("made", "inputs", "words"),
    [
        (node("GatherElements", "x k"), [_ints("k", 3)], "3 indices do not fit 2x6x4"),
        (node("GatherND", "x k"), [_ints("k", 7, 4)], "7x4 indices do not fit"),
        (node("GatherND", "x k", batch_dims=1), [_ints("k", 3, 1)], "3x1 indices do not fit"),
        (node("GatherND", "x k"), [_ints("k")], "scalar indices do not fit"),
        (node("ScatterND", "x k u"), [_ints("k", 5, 2), floats("u", 5)], "are 5, not 5x4"),
        (
            node("ScatterElements", "x k u"),
            [_ints("k", 1, 1, 1), floats("u", 2, 1, 1)],
            "2x1x1 updates and 1x1x1 indices",
        ),
        (
            node("ScatterND", "x k u", reduction="mean"),
            [_ints("k", 5, 2), floats("u", 5, 4)],
            "reduction mean is none of",
        ),
        (node("Compress", "x k"), [_ints("k", 6)], "entries it keeps depends on the data"),
        (node("NonZero", "x"), [], "elements it finds depends on the data"),
        (node("Unique", "x"), [], "different elements depends on the data"),
        (node("Range", "k k k"), [_ints("k")], "from start to limit depends on the data"),
        (node("ConstantOfShape", "k"), [_ints("k", 2)], "elements it makes depends on the data"),
    ],
)
def test_that_what_does_not_fit_or_is_not_known_is_said_of_its_node(
    made: onnx.NodeProto, inputs: list[onnx.ValueInfoProto], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError) as caught:
        _net(tmp_path, made, inputs)
    (issue,) = caught.value.issues
    assert words in issue.message
    assert issue.where is not None
    assert f"node y ({made.op_type})" in issue.where


def test_that_one_hot_rows_are_as_long_as_there_are_classes(tmp_path: Path) -> None:
    stored = (_number("d", 7), helper.make_tensor("v", TensorProto.FLOAT, [2], [0.0, 1.0]))
    for axis, shape in ((-1, (3, 5, 7)), (0, (7, 3, 5)), (1, (3, 7, 5))):
        made = node("OneHot", "k d v", "rows", axis=axis)
        nodes = [made, node("Add", "rows b")]
        model = model_of(nodes, [_ints("k", 3, 5), floats("b", 1)], stored)
        network = load(model, tmp_path)
        assert (network.values["rows"].shape, network.values["rows"].dtype) == (shape, "float32")


def test_that_a_condition_known_at_load_time_tells_what_is_kept(tmp_path: Path) -> None:
    condition = helper.make_tensor("c", TensorProto.BOOL, [6], [True, False, True, True, False, 0])
    network = _net(tmp_path, node("Compress", "x c", axis=1), [], condition)
    assert network.values["y"].shape == (2, 3, 4)
    assert _net(tmp_path, node("Compress", "x c"), [], condition).values["y"].shape == (3,)


def test_that_a_triangle_is_cut_from_matrices(tmp_path: Path) -> None:
    network = _net(tmp_path, node("Trilu", "x k", upper=0), [], _number("k", 1))
    assert network.values["y"].shape == (2, 6, 4)


def test_that_a_unit_matrix_like_the_data_is_a_constant(tmp_path: Path) -> None:
    nodes = [node("Flatten", "x0", "x"), node("EyeLike", "x", "eye"), node("Mul", "x eye")]
    network = load(model_of(nodes, [floats("x0", 3, 4)]), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["Flatten", "Mul"]
    assert "eye" in network.constants


@pytest.mark.parametrize(
    ("made", "shape", "dtype"),
    [
        (node("RandomNormal", "", "noise", shape=[6, 1]), (6, 1), "float32"),
        (node("RandomUniform", "", "noise", shape=[6, 4], dtype=10), (6, 4), "float16"),
        (node("RandomNormalLike", "x", "noise"), (2, 6, 4), "float32"),
        (node("RandomUniformLike", "x", "noise", dtype=11), (2, 6, 4), "float64"),
        (node("Bernoulli", "x", "noise"), (2, 6, 4), "float32"),
    ],
)
def test_that_random_numbers_are_a_layer_and_no_constant(
    made: onnx.NodeProto, shape: tuple[int, ...], dtype: str, tmp_path: Path
) -> None:
    nodes = [node("Relu", "x0", "x"), made, node("Mul", "x noise")]
    network = load(model_of(nodes, [floats("x0", 2, 6, 4)]), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["Relu", made.op_type, "Mul"]
    assert "noise" not in network.constants
    assert (network.values["noise"].shape, network.values["noise"].dtype) == (shape, dtype)


def test_that_a_choice_of_classes_is_a_row_of_numbers(tmp_path: Path) -> None:
    nodes = [node("Relu", "x0", "x"), node("Multinomial", "x", sample_size=3)]
    value = load(model_of(nodes, [floats("x0", 2, 6)]), tmp_path).values["y"]
    assert (value.shape, value.dtype) == ((2, 3), "int32")


def test_that_rows_of_a_table_by_constant_numbers_are_trained_not_folded(tmp_path: Path) -> None:
    nodes = [node("Gather", "table rows", "looked"), node("Add", "x looked")]
    stored = [weight("table", 8, 4), integers("rows", 0, 1, 2)]
    network = load(model_of(nodes, [floats("x", 2, 3, 4)], stored), tmp_path)
    assert [layer.op_type for layer in network.layers] == ["Gather", "Add"]
    graph = expand(network, TrainingOptions(loss="sum"))
    assert graph.trainable_bytes == 8 * 4 * 4
    assert faults_of(graph) == []


def test_that_integers_are_picked_at_load_time(tmp_path: Path) -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s i", "n"),
        node("Concat", "n m", "t", axis=0),
        node("Reshape", "x t"),
    ]
    model = model_of(nodes, [floats("x", 2, 6, 4)], [integers("i", 0), integers("m", -1)])
    network = load(model, tmp_path)
    assert [layer.op_type for layer in network.layers] == ["Reshape"]
    assert network.values["y"].shape == (2, 24)


def test_that_sizes_of_a_split_were_an_input_at_first(tmp_path: Path) -> None:
    nodes = [node("Split", "x sizes", "y z", axis=1)]
    for opset in (1, 13):
        network = load(
            model_of(nodes, [floats("x", 2, 6)], [integers("sizes", 2, 4)], opset=opset), tmp_path
        )
        assert [network.values[name].shape for name in "yz"] == [(2, 2), (2, 4)]
    nodes = [node("Split", "x", "y z", axis=1, split=[1, 5])]
    for opset in (1, 2, 11):
        network = load(model_of(nodes, [floats("x", 2, 6)], opset=opset), tmp_path)
        assert [network.values[name].shape for name in "yz"] == [(2, 1), (2, 5)]
