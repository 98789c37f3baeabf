"""Shapes of pools over any rank, and of the way back from a maximum."""

from pathlib import Path
from typing import Any

import pytest

from solver.errors import ModelError
from tests.helpers.onnx_models import floats, integers, load, model_of, node, shapes_of


def pooled(
    tmp_path: Path, kind: str, x: tuple[int, ...], *, opset: int = 22, **attributes: Any
) -> tuple[int, ...]:
    model = model_of([node(kind, "x", **attributes)], [floats("x", *x)], opset=opset)
    return load(model, tmp_path).values["y"].shape


@pytest.mark.parametrize("kind", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_that_windows_reach_as_far_as_they_are_dilated(
    kind: str, rank: int, tmp_path: Path
) -> None:
    # reach (3 - 1) x 2 + 1 = 5; (10 - 5) / 2 + 1 = 3 (rounded down), 4 rounded up
    options = {"kernel_shape": [3] * rank, "strides": [2] * rank, "dilations": [2] * rank}
    x = (2, 3, *(10,) * rank)
    assert pooled(tmp_path, kind, x, **options) == (2, 3, *(3,) * rank)
    assert pooled(tmp_path, kind, x, ceil_mode=1, **options) == (2, 3, *(4,) * rank)


@pytest.mark.parametrize("kind", ["GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"])
def test_that_a_global_pool_leaves_one_position(kind: str, tmp_path: Path) -> None:
    assert pooled(tmp_path, kind, (2, 3, 4, 5, 6)) == (2, 3, 1, 1, 1)


def test_that_padding_may_count_or_not(tmp_path: Path) -> None:
    for count in (0, 1):
        nodes = [node("AveragePool", "x", kernel_shape=[2], pads=[1, 0], count_include_pad=count)]
        network = load(model_of(nodes, [floats("x", 1, 1, 4)]), tmp_path)
        assert network.values["y"].shape == (1, 1, 4)
        assert network.layers[0].attributes["count_include_pad"] == count


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("LpPool", {"kernel_shape": [2], "p": 0}, "p 0 makes no norm"),
        ("MaxPool", {}, "kernel_shape is missing"),
        ("MaxPool", {"kernel_shape": [2, 2]}, "must be 1 numbers above zero"),
        ("AveragePool", {"kernel_shape": [9]}, "a window of 9 does not fit into 4"),
    ],
)
def test_that_a_pool_that_fits_nothing_is_told(
    kind: str, options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=words):
        pooled(tmp_path, kind, (1, 1, 4), **options)


def test_that_elements_go_back_to_where_their_maxima_were(tmp_path: Path) -> None:
    pool = node("MaxPool", "x", "m i", kernel_shape=[2, 2], strides=[2, 2])
    back = node("MaxUnpool", "m i", "y", kernel_shape=[2, 2], strides=[2, 2])
    network = load(model_of([pool, back], [floats("x", 1, 2, 6, 4)]), tmp_path)
    assert shapes_of(network) == {"m": (1, 2, 3, 2), "i": (1, 2, 3, 2), "y": (1, 2, 6, 4)}
    assert network.values["i"].dtype == "int64"


def test_that_the_way_back_may_name_the_size_that_was_rounded_down(tmp_path: Path) -> None:
    pool = node("MaxPool", "x", "m i", kernel_shape=[2], strides=[2])
    back = node("MaxUnpool", "m i size", "y", kernel_shape=[2], strides=[2])
    stored = [integers("size", 1, 2, 7)]
    network = load(model_of([pool, back], [floats("x", 1, 2, 7)], stored), tmp_path)
    assert network.values["y"].shape == (1, 2, 7)


@pytest.mark.parametrize("size", [(1, 3, 7), (1, 7)])
def test_that_a_size_of_other_channels_is_told(size: tuple[int, ...], tmp_path: Path) -> None:
    pool = node("MaxPool", "x", "m i", kernel_shape=[2], strides=[2])
    back = node("MaxUnpool", "m i size", "y", kernel_shape=[2], strides=[2])
    stored = [integers("size", *size)]
    with pytest.raises(ModelError, match=r"output shape .* does not fit 1x2x3"):
        load(model_of([pool, back], [floats("x", 1, 2, 7)], stored), tmp_path)
