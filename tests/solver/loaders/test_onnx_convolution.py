"""Shapes of convolutions that are not the plain one, in the layouts that exporters write."""

from pathlib import Path
from typing import Any

import onnx
import pytest

from solver.errors import ModelError
from solver.training import TrainingOptions, expand
from tests.helpers.onnx_models import floats, load, model_of, node, shapes_of, weight


def transposed(
    tmp_path: Path, x: tuple[int, ...], kernel: tuple[int, ...], **attributes: Any
) -> tuple[int, ...]:
    stored = (weight("w", *kernel),)
    model = model_of([node("ConvTranspose", "x w", **attributes)], [floats("x", *x)], stored)
    return load(model, tmp_path).values["y"].shape


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_that_a_transposed_convolution_grows_by_its_stride(rank: int, tmp_path: Path) -> None:
    # 2 x (5 - 1) + 3 = 11 in each dimension
    found = transposed(tmp_path, (1, 2, *(5,) * rank), (2, 4, *(3,) * rank), strides=[2] * rank)
    assert found == (1, 4, *(11,) * rank)


def test_that_pads_cut_and_output_padding_adds(tmp_path: Path) -> None:
    options = {"strides": [2], "dilations": [2], "pads": [1, 2], "output_padding": [1]}
    # 2 x (5 - 1) + 1 + (3 - 1) x 2 + 1 = 14, less 1 + 2
    assert transposed(tmp_path, (1, 2, 5), (2, 4, 3), **options) == (1, 4, 11)


def test_that_groups_of_a_transposed_convolution_stand_in_its_input(tmp_path: Path) -> None:
    assert transposed(tmp_path, (1, 6, 5), (6, 4, 1), group=3) == (1, 12, 5)


@pytest.mark.parametrize(
    ("options", "pads"),
    [
        # full size 2 x 4 + 3 = 11, wanted 8: 3 cut, the odd one in front ...
        ({"output_shape": [8]}, (2, 1)),
        ({"output_shape": [1, 4, 8]}, (2, 1)),  # with batch and channels, as some write it
        ({"output_shape": [8], "auto_pad": "SAME_UPPER"}, (1, 2)),  # ... or at the end
        # SAME: 5 x 2 = 10, 1 cut
        ({"auto_pad": "SAME_UPPER"}, (0, 1)),
        ({"auto_pad": "SAME_LOWER"}, (1, 0)),
        ({"auto_pad": "VALID"}, (0, 0)),
    ],
)
def test_that_a_wanted_size_becomes_pads(
    options: dict[str, Any], pads: tuple[int, int], tmp_path: Path
) -> None:
    nodes = [node("ConvTranspose", "x w", strides=[2], **options)]
    network = load(model_of(nodes, [floats("x", 1, 2, 5)], [weight("w", 2, 4, 3)]), tmp_path)
    assert network.layers[0].attributes["pads"] == pads
    assert network.values["y"].shape == (1, 4, 11 - sum(pads))


@pytest.mark.parametrize(
    ("x", "kernel", "options", "words"),
    [
        ((1, 3, 5), (2, 4, 3), {}, "weight 2x4x3 in 1 groups does not fit 3 channels"),
        ((1, 2, 5), (2, 4, 3), {"group": 0}, "in 0 groups"),
        ((1, 2, 5), (2, 4, 3), {"output_padding": [-1]}, "output_padding"),
        ((1, 2, 5), (2, 4, 3), {"output_shape": [1, 2]}, "output_shape .1, 2. does not fit 1"),
        ((1, 2, 1), (2, 4, 2), {"pads": [1, 1]}, "cut more than there is of 2"),
        ((1, 2, 5), (2, 4, 3), {"auto_pad": "SAME"}, "auto_pad 'SAME' is not one of"),
        ((1, 2), (2, 4), {}, "batch, channels and space are needed"),
    ],
)
def test_that_a_transposed_convolution_that_fits_nothing_is_told(
    x: tuple[int, ...],
    kernel: tuple[int, ...],
    options: dict[str, Any],
    words: str,
    tmp_path: Path,
) -> None:
    with pytest.raises(ModelError, match=words):
        transposed(tmp_path, x, kernel, **options)


def deformed(tmp_path: Path, offset: tuple[int, ...], mask: tuple[int, ...]) -> onnx.ModelProto:
    nodes = [node("DeformConv", "x w offset - mask", offset_group=2)]
    inputs = [floats("x", 1, 4, 6, 6), floats("offset", *offset), floats("mask", *mask)]
    return model_of(nodes, inputs, [weight("w", 3, 4, 2, 2)], opset=19)


def test_that_offsets_move_each_kernel_position_in_both_directions(tmp_path: Path) -> None:
    # 2 groups x 4 positions x 2 directions, 5 x 5 outputs
    model = deformed(tmp_path, (1, 16, 5, 5), (1, 8, 5, 5))
    assert load(model, tmp_path).values["y"].shape == (1, 3, 5, 5)


@pytest.mark.parametrize(
    ("offset", "mask", "words"),
    [
        ((1, 8, 5, 5), (1, 8, 5, 5), "offset is 1x8x5x5, it must be 1x16x5x5"),
        ((1, 16, 5, 5), (1, 8, 6, 6), "mask is 1x8x6x6, it must be 1x8x5x5"),
    ],
)
def test_that_offsets_and_masks_of_another_size_are_told(
    offset: tuple[int, ...], mask: tuple[int, ...], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=words):
        load(deformed(tmp_path, offset, mask), tmp_path)


def test_that_an_image_with_channels_behind_is_counted_as_it_is_convolved(tmp_path: Path) -> None:
    # as exported from a network of layout NHWC: 3 channels of 8 x 6, 5 filters of 3 x 3, SAME
    nodes = [
        node("Transpose", "x", "nchw", perm=[0, 3, 1, 2]),
        node("Conv", "nchw w", "conv", auto_pad="SAME_UPPER", kernel_shape=[3, 3]),
        node("Transpose", "conv", "y", perm=[0, 2, 3, 1]),
    ]
    network = load(model_of(nodes, [floats("x", 1, 8, 6, 3)], [weight("w", 5, 3, 3, 3)]), tmp_path)
    assert shapes_of(network) == {
        "nchw": (1, 3, 8, 6),
        "conv": (1, 5, 8, 6),
        "y": (1, 8, 6, 5),
    }
    graph = expand(network, TrainingOptions(loss="sum"))
    assert graph.forward_macs == 8 * 6 * 5 * 3 * 3 * 3
    # both copies of the image are real: 8 x 6 x (3 + 5 + 5) x 4 B
    assert graph.forward_bytes == 48 * 13 * 4
