"""Weights beside the model: sizes come from the header, and no path leaves the model's folder."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from solver.errors import ModelError
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from tests.helpers.onnx_models import floats, load, model_of, node

DATA = Path(__file__).parents[2] / "data"


def _outside(name: str, dtype: int, dims: list[int], location: str) -> onnx.TensorProto:
    tensor = TensorProto(name=name, data_type=dtype, dims=dims)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", "8"), ("length", "16")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def _reshape_by(location: str) -> onnx.ModelProto:
    target = _outside("s", TensorProto.INT64, [2], location)
    return model_of([node("Reshape", "x s")], [floats("x", 2, 6)], [target])


def _numbers() -> bytes:
    return np.array([99, 3, 4], dtype="<i8").tobytes()


def test_that_weights_beside_the_model_are_not_needed(tmp_path: Path) -> None:
    stored = [_outside("w", TensorProto.FLOAT, [64, 32], "gone.data")]
    network = load(model_of([node("MatMul", "x w")], [floats("x", 1, 64)], stored), tmp_path)
    assert network.values["w"].bytes == 64 * 32 * 4


def test_that_an_export_with_external_weights_loads_from_its_header() -> None:
    network = load_onnx(DATA / "torch" / "tiny_cnn_dynamo.onnx", LoadOptions(batch=4))
    assert network.values[network.outputs[0]].shape == (4, 10)
    # 16 x 16 pixels in 8 channels, halved by the pool: 8 x 8 x 8 = 512 columns of the last layer.
    assert network.values["fc.weight"].bytes == 10 * 512 * 4


def test_that_numbers_that_decide_a_shape_are_read_from_the_models_folder(tmp_path: Path) -> None:
    (tmp_path / "net.data").write_bytes(_numbers())
    assert load(_reshape_by("net.data"), tmp_path).values["y"].shape == (3, 4)


@pytest.mark.parametrize("location", ["../secret.data", "sub/../../secret.data", "{}/secret.data"])
def test_that_a_path_outside_of_the_folder_is_never_opened(location: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "secret.data").write_bytes(_numbers())
    place = location.format(tmp_path)
    with pytest.raises(ModelError) as found:
        load(_reshape_by(place), folder)
    (issue,) = found.value.issues
    assert issue.message == (
        f"its target shape cannot be read: {place} may lie outside of the model's folder, where "
        "nothing is opened"
    )


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("gone.data", "gone.data is no file beside the model"),
        (".", ". is no file beside the model"),
        ("", "the file does not say where its numbers lie"),
        ("n" * 300, "n cannot be opened"),
    ],
)
def test_that_numbers_that_are_not_there_are_told_with_their_place(
    location: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=said):
        load(_reshape_by(location), tmp_path)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("offset", "-8", "ends before it, or cannot be opened there"),
        ("offset", "1" + 30 * "0", "ends before it, or cannot be opened there"),
        ("length", "8", "it needs 16 B, of net.data 8 B are said to be its"),
    ],
)
def test_that_a_place_in_the_data_that_cannot_be_is_told(
    key: str, value: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "net.data").write_bytes(_numbers())
    model = _reshape_by("net.data")
    entries = model.graph.initializer[0].external_data
    next(entry for entry in entries if entry.key == key).value = value
    with pytest.raises(ModelError, match=said):
        load(model, tmp_path)


def test_that_what_is_computed_from_unread_numbers_tells_why_too(tmp_path: Path) -> None:
    model = _reshape_by("gone.data")
    model.graph.node[0].input[1] = "t"
    model.graph.node.insert(0, node("Neg", "s", "t"))
    with pytest.raises(ModelError, match=r"node y \(Reshape\).*: gone.data is no file beside"):
        load(model, tmp_path)


@pytest.mark.parametrize("kind", ["symlink", "hardlink"])
def test_that_a_link_is_never_followed(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    secret = tmp_path / "secret.data"
    secret.write_bytes(_numbers())
    if kind == "symlink":
        (folder / "net.data").symlink_to(secret)
    else:
        (folder / "net.data").hardlink_to(secret)
    with pytest.raises(ModelError, match=r"net\.data is a link, which is not followed"):
        load(_reshape_by("net.data"), folder)


def test_that_data_said_to_lie_outside_are_sized_with_a_warning() -> None:
    path = DATA / "onnx_corner" / "13_external_data_traversal.onnx"
    network = load_onnx(path, LoadOptions())
    assert network.values["w"].bytes == 64 * 32 * 4
    assert network.warnings[0].startswith("the data of w are said to lie outside of the model's")


def test_that_a_cut_off_data_file_leaves_the_numbers_unknown(tmp_path: Path) -> None:
    (tmp_path / "net.data").write_bytes(_numbers()[:-1])
    with pytest.raises(ModelError, match=r"net\.data ends before it"):
        load(_reshape_by("net.data"), tmp_path)
