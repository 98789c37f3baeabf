"""Shapes and resolved attributes of single operators by hand, old operator sets included."""

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from tests.helpers.onnx_models import floats, integers, load, model_of, node, shapes_of, weight


def _scalar(name: str, value: float, dtype: int = TensorProto.FLOAT) -> onnx.TensorProto:
    return helper.make_tensor(name, dtype, [], [value])


def _shape(
    tmp_path: Path,
    kind: str,
    x: tuple[int, ...],
    *stored: onnx.TensorProto,
    opset: int = 17,
    **attributes: Any,
) -> tuple[int, ...]:
    names = " ".join(["x", *(tensor.name for tensor in stored)])
    model = model_of([node(kind, names, **attributes)], [floats("x", *x)], stored, opset=opset)
    return load(model, tmp_path).values["y"].shape


def test_that_a_grouped_strided_dilated_convolution_has_its_shape(tmp_path: Path) -> None:
    # Reach (3 - 1) x 2 + 1 = 5; (11 + 1 + 1 - 5) / 2 + 1 = 5, and (9 - 5) / 1 + 1 = 5.
    found = _shape(
        tmp_path,
        "Conv",
        (2, 6, 11, 9),
        weight("w", 8, 3, 3, 3),
        weight("b", 8),
        group=2,
        strides=[2, 1],
        dilations=[2, 2],
        pads=[1, 0, 1, 0],
    )
    assert found == (2, 8, 5, 5)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_that_convolutions_and_pools_work_over_any_rank(rank: int, tmp_path: Path) -> None:
    space = (8,) * rank
    kernel = weight("w", 5, 3, *(3,) * rank)
    assert _shape(tmp_path, "Conv", (1, 3, *space), kernel) == (1, 5, *(6,) * rank)
    found = _shape(tmp_path, "MaxPool", (1, 3, *space), kernel_shape=[2] * rank, strides=[2] * rank)
    assert found == (1, 3, *(4,) * rank)


@pytest.mark.parametrize(
    ("mode", "pads"), [("SAME_UPPER", (0, 1)), ("SAME_LOWER", (1, 0)), ("VALID", (0, 0))]
)
def test_that_auto_pad_becomes_explicit_pads(
    mode: str, pads: tuple[int, ...], tmp_path: Path
) -> None:
    # 5 inputs, window 2, stride 2. SAME: ceil(5 / 2) = 3 outputs need 2 x 2 + 2 - 5 = 1 pad.
    nodes = [node("MaxPool", "x", kernel_shape=[2], strides=[2], auto_pad=mode)]
    network = load(model_of(nodes, [floats("x", 1, 1, 5)]), tmp_path)
    assert network.layers[0].attributes["pads"] == pads
    assert network.values["y"].shape == (1, 1, 2 if mode == "VALID" else 3)


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "outputs"),
    [
        (6, 3, 2, 3),  # (6 - 3) / 2 + 1 = 2.5, rounded up
        (2, 1, 2, 1),  # (2 - 1) / 2 + 1 = 1.5; the second window would start at 2, outside: dropped
    ],
)
def test_that_ceil_mode_rounds_up_but_never_starts_outside(
    size: int, kernel: int, stride: int, outputs: int, tmp_path: Path
) -> None:
    options = {"kernel_shape": [kernel], "strides": [stride], "ceil_mode": 1}
    assert _shape(tmp_path, "MaxPool", (1, 1, size), **options) == (1, 1, outputs)


def test_that_indices_of_a_maximum_pool_are_int64(tmp_path: Path) -> None:
    model = model_of([node("MaxPool", "x", "y i", kernel_shape=[2])], [floats("x", 1, 1, 4)])
    network = load(model, tmp_path)
    assert (network.values["i"].shape, network.values["i"].dtype) == ((1, 1, 3), "int64")


def test_that_global_pools_leave_one_position(tmp_path: Path) -> None:
    assert _shape(tmp_path, "GlobalAveragePool", (2, 7, 5, 4)) == (2, 7, 1, 1)
    assert _shape(tmp_path, "GlobalMaxPool", (2, 7, 5)) == (2, 7, 1)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((4, 5), (5, 6), (4, 6)),
        ((2, 3, 4, 5), (5, 6), (2, 3, 4, 6)),
        ((2, 1, 4, 5), (3, 5, 6), (2, 3, 4, 6)),
        ((5,), (5, 6), (6,)),
        ((2, 4, 5), (5,), (2, 4)),
    ],
)
def test_that_products_of_any_rank_broadcast(
    a: tuple[int, ...], b: tuple[int, ...], expected: tuple[int, ...], tmp_path: Path
) -> None:
    assert _shape(tmp_path, "MatMul", a, weight("w", *b)) == expected


def test_that_gemm_transposes_either_side(tmp_path: Path) -> None:
    found = _shape(tmp_path, "Gemm", (3, 2), weight("w", 4, 3), weight("b", 4), transA=1, transB=1)
    assert found == (2, 4)


def test_that_arithmetic_broadcasts_as_numpy(tmp_path: Path) -> None:
    assert _shape(tmp_path, "Mul", (2, 1, 5), weight("w", 3, 1)) == (2, 3, 5)
    assert _shape(tmp_path, "Sum", (2, 1), weight("v", 3), weight("w", 1, 1)) == (2, 3)


def test_that_old_arithmetic_broadcasts_only_where_it_says_so(tmp_path: Path) -> None:
    bias = weight("b", 4)
    assert _shape(tmp_path, "Add", (2, 4), bias, opset=6, broadcast=1) == (2, 4)
    with pytest.raises(ModelError, match="shapes 2x4 and 4 differ"):
        _shape(tmp_path, "Add", (2, 4), bias, opset=6)
    assert _shape(tmp_path, "Add", (2, 4, 3), bias, opset=6, broadcast=1, axis=1) == (2, 4, 3)
    with pytest.raises(ModelError, match="shapes 2x4x3 and 4 do not match"):
        _shape(tmp_path, "Add", (2, 4, 3), bias, opset=6, broadcast=1)
    with pytest.raises(ModelError, match="4 does not fit from axis 3 on"):
        _shape(tmp_path, "Add", (2, 4, 3), bias, opset=6, broadcast=1, axis=3)


@pytest.mark.parametrize(("opset", "axis"), [(9, 1), (13, 2)])
def test_that_the_default_axis_of_softmax_follows_the_operator_set(
    opset: int, axis: int, tmp_path: Path
) -> None:
    network = load(model_of([node("Softmax", "x")], [floats("x", 2, 3, 4)], opset=opset), tmp_path)
    assert network.layers[0].attributes["axis"] == axis


def test_that_casts_change_the_size_of_elements(tmp_path: Path) -> None:
    model = model_of([node("Cast", "x", to=TensorProto.FLOAT16)], [floats("x", 4, 64)])
    value = load(model, tmp_path).values["y"]
    assert (value.dtype, value.bytes) == ("float16", 512)


@pytest.mark.parametrize(
    ("target", "expected"),
    [((2, -1), (2, 12)), ((0, -1), (2, 12)), ((-1, 0), (8, 3)), ((4, 1, 6), (4, 1, 6))],
)
def test_that_reshape_copies_at_zero_and_fills_at_minus_one(
    target: tuple[int, ...], expected: tuple[int, ...], tmp_path: Path
) -> None:
    assert _shape(tmp_path, "Reshape", (2, 3, 4), integers("s", *target)) == expected


@pytest.mark.parametrize("target", [(5, -1), (7,), (-1, -1), (-2, 12), (0, 0, 0, 0)])
def test_that_a_reshape_that_loses_elements_is_refused_naming_the_node(
    target: tuple[int, ...], tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"node y \(Reshape\)"):
        _shape(tmp_path, "Reshape", (2, 3, 4), integers("s", *target))


def test_that_flatten_counts_axes_from_either_end(tmp_path: Path) -> None:
    assert _shape(tmp_path, "Flatten", (2, 3, 4, 5)) == (2, 60)
    assert _shape(tmp_path, "Flatten", (2, 3, 4, 5), axis=-1) == (24, 5)
    assert _shape(tmp_path, "Flatten", (2, 3), axis=0) == (1, 6)


def test_that_squeeze_and_unsqueeze_take_axes_as_attribute_or_input(tmp_path: Path) -> None:
    assert _shape(tmp_path, "Squeeze", (1, 3, 1), integers("a", -1)) == (1, 3)
    assert _shape(tmp_path, "Squeeze", (1, 3, 1), opset=11, axes=[0]) == (3, 1)
    assert _shape(tmp_path, "Squeeze", (1, 3, 1)) == (3,)
    assert _shape(tmp_path, "Unsqueeze", (3,), integers("a", 0, -1)) == (1, 3, 1)
    assert _shape(tmp_path, "Unsqueeze", (3,), opset=11, axes=[1]) == (3, 1)
    with pytest.raises(ModelError, match="dimension 1 of 1x3x1 is not 1"):
        _shape(tmp_path, "Squeeze", (1, 3, 1), integers("a", 1))


def test_that_transpose_without_order_reverses(tmp_path: Path) -> None:
    assert _shape(tmp_path, "Transpose", (2, 3, 4)) == (4, 3, 2)
    assert _shape(tmp_path, "Transpose", (2, 3, 4), perm=[0, 2, 1]) == (2, 4, 3)


def test_that_concat_adds_up_along_its_axis_only(tmp_path: Path) -> None:
    assert _shape(tmp_path, "Concat", (2, 3, 4), weight("w", 2, 5, 4), axis=-2) == (2, 8, 4)
    with pytest.raises(ModelError, match="2x5x9 does not continue 2x3x4 along axis 1"):
        _shape(tmp_path, "Concat", (2, 3, 4), weight("w", 2, 5, 9), axis=1)


@pytest.mark.parametrize(
    ("opset", "stored", "attributes", "sizes"),
    [
        (11, [], {"split": [1, 3, 3]}, (1, 3, 3)),
        (13, [integers("s", 1, 3, 3)], {}, (1, 3, 3)),
        (18, [], {"num_outputs": 3}, (3, 3, 1)),  # 7 in three: 3, 3 and what is left
    ],
)
def test_that_split_takes_its_sizes_from_everywhere(
    opset: int,
    stored: list[onnx.TensorProto],
    attributes: dict[str, Any],
    sizes: tuple[int, ...],
    tmp_path: Path,
) -> None:
    names = " ".join(["x", *(tensor.name for tensor in stored)])
    nodes = [node("Split", names, "a b c", axis=1, **attributes)]
    model = model_of(nodes, [floats("x", 2, 7)], stored, outputs=["a"], opset=opset)
    network = load(model, tmp_path)
    assert shapes_of(network) == {n: (2, size) for n, size in zip("abc", sizes, strict=True)}
    assert network.layers[0].attributes["split"] == sizes


def test_that_an_uneven_split_without_sizes_is_refused(tmp_path: Path) -> None:
    model = model_of([node("Split", "x", "a b", axis=0)], [floats("x", 5)], outputs=["a"])
    with pytest.raises(ModelError, match="5 does not split into 2 equal parts"):
        load(model, tmp_path)


def test_that_pads_grow_and_cut(tmp_path: Path) -> None:
    assert _shape(tmp_path, "Pad", (1, 4), integers("p", 0, 2, 0, -1)) == (1, 5)
    assert _shape(tmp_path, "Pad", (1, 4), opset=10, pads=[0, 1, 0, 1]) == (1, 6)
    with pytest.raises(ModelError, match="cut more than there is of 1x4"):
        _shape(tmp_path, "Pad", (1, 4), integers("p", 0, -3, 0, -2))


def test_that_pads_of_named_axes_reach_only_those(tmp_path: Path) -> None:
    stored = [integers("p", 1, 2), integers("axes", 1)]
    model = model_of([node("Pad", "x p - axes")], [floats("x", 2, 4)], stored, opset=18)
    assert load(model, tmp_path).values["y"].shape == (2, 7)


@pytest.mark.parametrize(
    ("opset", "stored", "attributes", "expected"),
    [
        (9, [], {"ratio": 0.25}, {"ratio": 0.25, "training_mode": 0}),
        (6, [], {}, {"ratio": 0.5, "training_mode": 1}),
        (6, [], {"is_test": 1}, {"ratio": 0.5, "training_mode": 0}),
        (13, [], {}, {"ratio": 0.5, "training_mode": 0}),
        (
            13,
            [_scalar("r", 0.25), _scalar("t", 1, TensorProto.BOOL)],
            {},
            {"ratio": 0.25, "training_mode": 1},
        ),
    ],
)
def test_that_the_ratio_of_dropout_is_found_in_every_operator_set(
    opset: int,
    stored: list[onnx.TensorProto],
    attributes: dict[str, Any],
    expected: dict[str, float],
    tmp_path: Path,
) -> None:
    names = " ".join(["x", *(tensor.name for tensor in stored)])
    nodes = [node("Dropout", names, **attributes)]
    network = load(model_of(nodes, [floats("x", 1, 8)], stored, opset=opset), tmp_path)
    assert dict(network.layers[0].attributes) == expected


@pytest.mark.parametrize(("opset", "dtype"), [(9, "float32"), (10, "bool")])
def test_that_the_mask_of_dropout_changed_its_type(opset: int, dtype: str, tmp_path: Path) -> None:
    model = model_of([node("Dropout", "x", "y mask")], [floats("x", 1, 8)], opset=opset)
    assert load(model, tmp_path).values["mask"].dtype == dtype


@pytest.mark.parametrize(
    ("opset", "outputs", "attributes", "mode"),
    [
        (9, "y", {}, 0),
        (9, "y o1 o2 o3 o4", {}, 1),
        (6, "y", {"is_test": 1}, 0),
        (6, "y", {}, 1),
        (15, "y", {}, 0),
        (15, "y o1 o2", {"training_mode": 1}, 1),
    ],
)
def test_that_the_mode_of_batch_normalisation_is_found_in_every_operator_set(
    opset: int, outputs: str, attributes: dict[str, Any], mode: int, tmp_path: Path
) -> None:
    stored = [weight(name, 3) for name in "sbmv"]
    nodes = [node("BatchNormalization", "x s b m v", outputs, **attributes)]
    network = load(model_of(nodes, [floats("x", 2, 3, 4, 4)], stored, opset=opset), tmp_path)
    assert network.layers[0].attributes["training_mode"] == mode
    shapes = shapes_of(network)
    assert shapes.pop("y") == (2, 3, 4, 4)
    assert set(shapes.values()) <= {(3,)}


@pytest.mark.parametrize(
    ("kind", "x", "stored", "attributes", "said"),
    [
        ("Conv", (1, 3, 8, 8), [weight("w", 4, 2, 3, 3)], {}, "does not fit 3 channels"),
        ("Conv", (1, 3, 8, 8), [weight("w", 4, 3, 3)], {}, "does not fit input"),
        ("Conv", (1, 3, 2, 2), [weight("w", 4, 3, 3, 3)], {}, "a window of 3 does not fit into 2"),
        ("Conv", (1, 3, 8, 8), [weight("w", 4, 3, 3, 3)], {"strides": [0, 1]}, "above zero"),
        ("Conv", (1, 3, 8, 8), [weight("w", 4, 3, 3, 3)], {"auto_pad": "ODD"}, "'ODD' is not one"),
        ("Conv", (1, 3, 8), [weight("w", 4, 3, 3), weight("b", 3)], {}, "bias 3 does not fit 4"),
        (
            "BatchNormalization",
            (1, 3, 8),
            [weight("s", 3), weight("b", 3), weight("m", 2), weight("v", 3)],
            {},
            "input 4 is 2, the input has 3 channels",
        ),
        ("MaxPool", (1, 3, 8), [], {}, "kernel_shape is missing"),
        ("Gemm", (2, 3), [weight("w", 4, 5)], {}, "3 columns of the input do not fit 4 rows"),
        ("Gemm", (2, 3), [weight("w", 3, 5), weight("b", 4)], {}, "shapes 2x5 and 4 do not match"),
        ("Gemm", (2, 3), [weight("w", 3, 1), weight("b", 5)], {}, "bias 5 does not fit 2x1"),
        ("MatMul", (2, 3), [weight("w", 4, 5)], {}, "2x3 and 4x5 do not multiply"),
        ("Add", (2, 3), [weight("w", 4)], {}, "shapes 2x3 and 4 do not match"),
        ("Transpose", (2, 3), [], {"perm": [0, 0]}, "does not order 2 dimensions"),
        ("Softmax", (2, 3), [], {"axis": 2}, "axis 2 does not exist in 2 dimensions"),
        ("LRN", (2, 3, 4), [], {"size": 0}, "makes no neighbourhood"),
        ("Concat", (2, 3), [weight("w", 2, 3)], {}, "attribute axis must be an integer"),
        ("Relu", (2, 3), [], {}, "names 2 outputs, the operator has 1"),
    ],
)
def test_that_a_node_that_breaks_its_operators_rules_is_refused_by_name(
    kind: str,
    x: tuple[int, ...],
    stored: list[onnx.TensorProto],
    attributes: dict[str, Any],
    said: str,
    *,
    tmp_path: Path,
) -> None:
    names = " ".join(["x", *(tensor.name for tensor in stored)])
    outputs = "y z" if "2 outputs" in said else "y"
    model = model_of(
        [node(kind, names, outputs, name="n1", **attributes)], [floats("x", *x)], stored
    )
    with pytest.raises(ModelError) as caught:
        load(model, tmp_path)
    (issue,) = caught.value.issues
    assert issue.where == f"test.onnx: node n1 ({kind})"
    assert said in issue.message
