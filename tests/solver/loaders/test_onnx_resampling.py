"""Sizes after resizing in every operator set, and of images that are rearranged or sampled."""

from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError
from tests.helpers.onnx_models import floats, integers, load, model_of, node


def numbers(name: str, *values: float) -> onnx.TensorProto:
    return helper.make_tensor(name, TensorProto.FLOAT, [len(values)], values)


def made(
    tmp_path: Path,
    kind: str,
    names: str,
    x: tuple[int, ...],
    *stored: onnx.TensorProto,
    opset: int = 22,
    **attributes: Any,
) -> tuple[int, ...]:
    model = model_of([node(kind, names, **attributes)], [floats("x", *x)], stored, opset=opset)
    return load(model, tmp_path).values["y"].shape


IMAGE = (1, 2, 5, 10)


@pytest.mark.parametrize(
    ("kind", "opset", "names"),
    [
        ("Upsample", 9, "x s"),
        ("Resize", 10, "x s"),
        ("Resize", 11, "x - s"),
        ("Resize", 18, "x - s"),
    ],
)
def test_that_sizes_are_multiplied_and_rounded_down(
    kind: str, opset: int, names: str, tmp_path: Path
) -> None:
    scales = numbers("s", 1, 1, 1.5, 2)
    assert made(tmp_path, kind, names, IMAGE, scales, opset=opset) == (1, 2, 7, 20)


def test_that_scales_are_attributes_in_old_operator_sets(tmp_path: Path) -> None:
    first = {"height_scale": 2.0, "width_scale": 1.5, "mode": "bilinear"}
    assert made(tmp_path, "Upsample", "x", IMAGE, opset=1, **first) == (1, 2, 10, 15)
    later = {"scales": [1.0, 1.0, 2.0, 1.5], "mode": "linear"}
    assert made(tmp_path, "Upsample", "x", IMAGE, opset=7, **later) == (1, 2, 10, 15)


def test_that_products_are_rounded_as_float32(tmp_path: Path) -> None:
    # float32 0.7 is 0.699999988; times 10 it is 6.99999988, which float32 rounds to 7
    scales = numbers("s", 1, 1, 1, 0.7)
    assert made(tmp_path, "Resize", "x - s", IMAGE, scales) == (1, 2, 5, 7)


def test_that_sizes_win_where_scales_are_empty(tmp_path: Path) -> None:
    sizes, empty = integers("n", 1, 2, 8, 9), numbers("s")
    assert made(tmp_path, "Resize", "x - s n", IMAGE, empty, sizes) == (1, 2, 8, 9)


def test_that_only_named_axes_change(tmp_path: Path) -> None:
    sizes = integers("n", 30, 20)
    assert made(tmp_path, "Resize", "x - - n", IMAGE, sizes, axes=[-1, 2]) == (1, 2, 20, 30)


@pytest.mark.parametrize(
    ("policy", "shape"),
    # 5 x 10 towards 8 x 30: factors 1.6 and 3; 16 x 8 or 15 x 30
    [("stretch", (8, 30)), ("not_larger", (8, 16)), ("not_smaller", (15, 30))],
)
def test_that_the_aspect_ratio_is_kept_where_it_is_asked_for(
    policy: str, shape: tuple[int, int], tmp_path: Path
) -> None:
    options = {"axes": [2, 3], "keep_aspect_ratio_policy": policy}
    found = made(tmp_path, "Resize", "x - - n", IMAGE, integers("n", 8, 30), **options)
    assert found == (1, 2, *shape)


def test_that_a_region_is_scaled_and_not_the_whole(tmp_path: Path) -> None:
    # half of 10 columns, times 4
    region = numbers("r", 0, 0, 0, 0.5, 1, 1, 1, 1)
    options = {"coordinate_transformation_mode": "tf_crop_and_resize"}
    found = made(tmp_path, "Resize", "x r s", IMAGE, region, numbers("s", 1, 1, 1, 4), **options)
    assert found == (1, 2, 5, 20)


@pytest.mark.parametrize(
    ("names", "stored", "options", "words"),
    [
        ("x", (), {}, "scales and sizes are both missing"),
        ("x - s", (numbers("s", 2, 2),), {}, "2 scales do not fit 4 dimensions"),
        ("x - s", (numbers("s", 1, 1, 0, 1),), {}, "scale 0 of 5 makes no size"),
        ("x - s", (numbers("s", 1, 1, 1, 3e38),), {}, r"scale 3e\+38 of 10 makes no size"),
        ("x - - n", (integers("n", 1, 2, -8, 9),), {}, "are not 4 numbers above zero"),
        ("x - s", (numbers("s", 1, 1, 1, 1),), {"mode": "lanczos"}, "mode 'lanczos' is not one of"),
        ("x - - n", (integers("n", 8, 9),), {"axes": [2, -2]}, "name a dimension twice"),
        (
            "x - - n",
            (integers("n", 1, 2, 3, 4),),
            {"keep_aspect_ratio_policy": "crop"},
            "policy 'crop' is none of",
        ),
    ],
)
def test_that_a_resize_that_fits_nothing_is_told(
    names: str,
    stored: tuple[onnx.TensorProto, ...],
    options: dict[str, Any],
    words: str,
    tmp_path: Path,
) -> None:
    with pytest.raises(ModelError, match=words):
        made(tmp_path, "Resize", names, IMAGE, *stored, **options)


def test_that_scales_that_are_data_are_told(tmp_path: Path) -> None:
    model = model_of([node("Resize", "x - s")], [floats("x", *IMAGE), floats("s", 4)])
    with pytest.raises(ModelError, match="its scales are not known before the network runs"):
        load(model, tmp_path)


def test_that_blocks_move_between_channels_and_space(tmp_path: Path) -> None:
    assert made(tmp_path, "DepthToSpace", "x", (2, 12, 3, 4), blocksize=2) == (2, 3, 6, 8)
    assert made(tmp_path, "SpaceToDepth", "x", (2, 3, 6, 8), blocksize=2) == (2, 12, 3, 4)


@pytest.mark.parametrize(
    ("kind", "x", "words"),
    [
        ("DepthToSpace", (1, 6, 2, 2), "6 channels are no multiple of 2 x 2"),
        ("SpaceToDepth", (1, 6, 2, 3), "2 x 3 is no multiple of 2 x 2"),
        ("SpaceToDepth", (1, 6, 2), "blocks of 2 do not fit 1x6x2"),
    ],
)
def test_that_blocks_that_do_not_fit_are_told(
    kind: str, x: tuple[int, ...], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=words):
        made(tmp_path, kind, "x", x, blocksize=2)


def test_that_a_sample_stands_for_each_point_of_the_grid(tmp_path: Path) -> None:
    inputs = [floats("x", 2, 3, 8, 8), floats("g", 2, 5, 7, 2)]
    model = model_of([node("GridSample", "x g", mode="bilinear")], inputs, opset=16)
    network = load(model, tmp_path)
    assert network.values["y"].shape == (2, 3, 5, 7)
    assert network.layers[0].attributes["mode"] == "linear"  # as later operator sets call it


def test_that_a_grid_of_other_dimensions_is_told(tmp_path: Path) -> None:
    inputs = [floats("x", 2, 3, 8, 8), floats("g", 2, 5, 7, 3)]
    with pytest.raises(ModelError, match="grid 2x5x7x3 does not fit input 2x3x8x8"):
        load(model_of([node("GridSample", "x g")], inputs), tmp_path)


def test_that_matrices_make_the_points_of_an_image_or_a_volume(tmp_path: Path) -> None:
    size = integers("n", 2, 3, 5, 7)
    assert made(tmp_path, "AffineGrid", "x n", (2, 2, 3), size) == (2, 5, 7, 2)
    volume = integers("n", 2, 3, 4, 5, 7)
    assert made(tmp_path, "AffineGrid", "x n", (2, 3, 4), volume) == (2, 4, 5, 7, 3)
    with pytest.raises(ModelError, match="matrices 2x3x4 do not fit size 2x3x5x7"):
        made(tmp_path, "AffineGrid", "x n", (2, 3, 4), size)


def test_that_columns_become_images(tmp_path: Path) -> None:
    image, block = integers("n", 5, 5), integers("k", 1, 5)
    assert made(tmp_path, "Col2Im", "x n k", (1, 10, 5), image, block) == (1, 2, 5, 5)
    with pytest.raises(ModelError, match="does not fit 9 rows of columns"):
        made(tmp_path, "Col2Im", "x n k", (1, 9, 5), image, block)


def test_that_scales_follow_another_batch(tmp_path: Path) -> None:
    model = model_of([node("Resize", "x - s")], [floats("x", *IMAGE)], [numbers("s", 1, 1, 2, 2)])
    assert load(model, tmp_path, batch=8).values["y"].shape == (8, 2, 10, 20)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_that_every_way_to_fill_a_margin_is_read(mode: str, tmp_path: Path) -> None:
    pads = integers("p", 0, 0, 1, -2, 0, 0, 2, 3)
    assert made(tmp_path, "Pad", "x p", IMAGE, pads, mode=mode) == (1, 2, 8, 11)


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("mirror", "mode 'mirror' is not one of constant, edge, reflect, wrap"),
        ("reflect", "mode 'reflect' cannot add to a dimension of 1"),
    ],
)
def test_that_a_margin_of_nothing_is_told(mode: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=words):
        made(tmp_path, "Pad", "x p", (1, 4), integers("p", 1, 0, 0, 0), mode=mode)
