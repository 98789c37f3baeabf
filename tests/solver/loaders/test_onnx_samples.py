"""Constants and target sizes of the exported batch: read for more samples where certain, and told.

A file that was exported at a fixed batch holds class tokens, initial states and masks for it.
"""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from solver.errors import ModelError
from solver.network import Network
from tests.helpers.onnx_models import floats, integers, load, model_of, node, weight


def _stored(name: str, values: object) -> onnx.TensorProto:
    return numpy_helper.from_array(np.array(values, dtype=np.float32), name)


def _with_token(
    token: list[onnx.NodeProto], *stored: onnx.TensorProto, own: int
) -> onnx.ModelProto:
    """Four tokens of a linear layer behind a class token."""
    nodes = [*token, node("MatMul", "x w", "h"), node("Concat", "token h", axis=1)]
    return model_of(nodes, [floats("x", own, 4, 6)], [*stored, weight("w", 6, 6)])


def _told(network: Network) -> str:
    (text,) = [text for text in network.warnings if "alike for each sample" in text]
    return text


def test_that_a_class_token_of_one_sample_is_read_for_each(tmp_path: Path) -> None:
    network = load(_with_token([], weight("token", 1, 1, 6), own=1), tmp_path, batch=8)
    assert network.values["y"].shape == (8, 5, 6)
    read = network.layers[-1].inputs[0]
    assert network.values[read].shape == (8, 1, 6)
    assert read in network.constants
    assert _told(network) == (
        "y reads constants that the file holds for batch 1, alike for each sample: read for 8"
    )


def test_that_the_files_own_batch_needs_no_word(tmp_path: Path) -> None:
    network = load(_with_token([], weight("token", 1, 1, 6), own=1), tmp_path)
    assert network.values["y"].shape == (1, 5, 6)
    assert not any("alike" in text for text in network.warnings)


@pytest.mark.parametrize(
    ("kind", "numbers"), [("Expand", (4, 1, 600)), ("Tile", (4, 1, 1))], ids=["Expand", "Tile"]
)
def test_that_a_token_spread_over_the_exported_batch_is_spread_further(
    kind: str, numbers: tuple[int, ...], tmp_path: Path
) -> None:
    # 4 x 600 numbers are too many to be looked at: that they are alike is known from the node
    nodes = [node(kind, "one n", "token"), node("MatMul", "x w", "h")]
    model = model_of(
        [*nodes, node("Concat", "token h", axis=1)],
        [floats("x", 4, 3, 600)],
        [weight("one", 1, 1, 600), integers("n", *numbers), weight("w", 600, 600)],
    )
    network = load(model, tmp_path, batch=8)
    assert network.values["y"].shape == (8, 4, 600)
    assert "for batch 4" in _told(network)


def test_that_tokens_that_differ_between_samples_are_refused_by_name(tmp_path: Path) -> None:
    token = _stored("token", np.arange(12).reshape(2, 1, 6))
    with pytest.raises(ModelError) as found:
        load(_with_token([], token, own=2), tmp_path, batch=8)
    (issue,) = found.value.issues
    assert issue.where == "test.onnx: node y (Concat)"
    assert issue.message == (
        "token 2x1x6, which it reads, may hold other numbers for each of 2 samples; export with a "
        "dynamic batch, or keep batch 2"
    )


def test_that_numbers_of_a_large_constant_are_not_taken_to_be_alike(tmp_path: Path) -> None:
    mask = onnx.TensorProto(name="mask", data_type=onnx.TensorProto.BOOL, dims=[2, 1200])
    model = model_of([node("Where", "mask x x")], [floats("x", 2, 1200)], [mask])
    with pytest.raises(ModelError, match="mask 2x1200, which it reads, may hold other numbers"):
        load(model, tmp_path, batch=8)


@pytest.mark.parametrize(("layout", "state"), [(0, (1, 1, 4)), (1, (1, 1, 4))])
def test_that_an_initial_state_of_zeros_follows_the_batch(
    layout: int, state: tuple[int, ...], tmp_path: Path
) -> None:
    nodes = [
        node("ConstantOfShape", "size", "zeros"),
        # steps first: batch 1 stands second and comes there from the front
        node("Transpose", "x", "t", perm=[0, 1, 2] if layout else [1, 0, 2]),
        node("LSTM", "t w r - - zeros zeros", "- y", hidden_size=4, layout=layout),
    ]
    stored = [integers("size", *state), weight("w", 1, 16, 3), weight("r", 1, 16, 4)]
    network = load(model_of(nodes, [floats("x", 1, 5, 3)], stored), tmp_path, batch=8)
    read = network.layers[-1].inputs[5]
    assert network.values[read].shape == ((8, 1, 4) if layout else (1, 8, 4))
    assert network.values["y"].shape == ((8, 1, 4) if layout else (1, 8, 4))


def test_that_lengths_alike_for_each_sample_follow_the_batch(tmp_path: Path) -> None:
    lengths = numpy_helper.from_array(np.array([5, 5], dtype=np.int32), "lengths")
    nodes = [
        node("Transpose", "x", "t", perm=[1, 0, 2]),
        node("GRU", "t w r - lengths", hidden_size=4),
    ]
    stored = [lengths, weight("w", 1, 12, 3), weight("r", 1, 12, 4)]
    network = load(model_of(nodes, [floats("x", 2, 5, 3)], stored), tmp_path, batch=8)
    assert network.values[network.layers[-1].inputs[4]].shape == (8,)


def test_that_a_grid_of_one_sample_is_read_for_each(tmp_path: Path) -> None:
    nodes, stored = [node("GridSample", "x grid")], [weight("grid", 1, 3, 4, 2)]
    network = load(model_of(nodes, [floats("x", 1, 2, 9, 9)], stored), tmp_path, batch=8)
    assert network.values["y"].shape == (8, 2, 3, 4)


def test_that_a_mask_alike_for_each_sample_is_spread(tmp_path: Path) -> None:
    mask = _stored("mask", [[1, 0, 1], [1, 0, 1]])
    network = load(
        model_of([node("Mul", "x mask")], [floats("x", 2, 3)], [mask]), tmp_path, batch=8
    )
    assert network.values[network.layers[0].inputs[1]].shape == (8, 3)


def test_that_a_resize_to_fixed_sizes_follows_the_batch(tmp_path: Path) -> None:
    nodes, sizes = [node("Resize", "x - - sizes")], integers("sizes", 1, 2, 6, 6)
    network = load(model_of(nodes, [floats("x", 1, 2, 3, 3)], [sizes]), tmp_path, batch=8)
    assert network.values["y"].shape == (8, 2, 6, 6)
    told = "batch 1 is written into the shape of Resize (y): rewritten to 8"
    assert told in network.warnings


def test_that_a_resize_of_named_axes_follows_the_batch(tmp_path: Path) -> None:
    nodes = [node("Resize", "x - - sizes", axes=[2, 0])]
    sizes = integers("sizes", 6, 1)
    model = model_of(nodes, [floats("x", 1, 2, 3)], [sizes], opset=18)
    assert load(model, tmp_path, batch=8).values["y"].shape == (8, 2, 6)


def test_that_an_expand_of_data_follows_the_batch(tmp_path: Path) -> None:
    nodes, target = [node("Expand", "x target")], integers("target", 7, 2, 5, 3)
    network = load(model_of(nodes, [floats("x", 2, 1, 3)], [target]), tmp_path, batch=8)
    assert network.values["y"].shape == (7, 8, 5, 3)
    assert any("shape of Expand (y): rewritten to 8" in text for text in network.warnings)


def test_that_an_expand_that_leaves_the_batch_alone_needs_no_word(tmp_path: Path) -> None:
    nodes, target = [node("Expand", "x target")], integers("target", 1, 5, 3)
    network = load(model_of(nodes, [floats("x", 1, 1, 3)], [target]), tmp_path, batch=8)
    assert network.values["y"].shape == (8, 5, 3)
    assert network.warnings == ()


@pytest.mark.parametrize(
    ("kind", "places"),
    [("Gather", [0, 1]), ("GatherND", [[0, 1], [1, 2]]), ("GatherElements", 2 * [4 * [6 * [0]]])],
)
def test_that_picking_the_samples_of_the_exported_batch_is_refused(
    kind: str, places: list[object], tmp_path: Path
) -> None:
    stored = [numpy_helper.from_array(np.array(places, dtype=np.int64), "places")]
    model = model_of([node(kind, "x places")], [floats("x", 2, 4, 6)], stored)
    with pytest.raises(
        ModelError, match=rf"node y \({kind}\): its output 2x.* not follow the batch"
    ):
        load(model, tmp_path, batch=8)


def test_that_picking_one_step_is_no_matter_of_samples(tmp_path: Path) -> None:
    stored = [numpy_helper.from_array(np.array(-1, dtype=np.int64), "place")]
    model = model_of([node("Gather", "x place", axis=0)], [floats("x", 5, 4, 6)], stored)
    assert load(model, tmp_path, batch=8).values["y"].shape == (4, 6)
