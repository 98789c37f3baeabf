"""A batch that the exporter wrote into constants: rewritten, or refused, never silently wrong."""

from pathlib import Path

import pytest
from onnx import helper

from solver.errors import ModelError
from tests.helpers.onnx_models import floats, integers, load, model_of, node, shapes_of, weight


def _reshaped(target: list[int], *shape: int | str, opset: int = 17):
    if opset < 5:
        return model_of([node("Reshape", "x", shape=target)], [floats("x", *shape)], opset=opset)
    return model_of([node("Reshape", "x s")], [floats("x", *shape)], [integers("s", *target)])


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ([1, 64], (8, 64)),  # the batch itself: rewritten
        ([1, -1], (8, 64)),  # accepted by element counts as 1 x 512, which would be wrong
        ([-1, 64], (8, 64)),
        ([0, -1], (8, 64)),
        ([0, 4, 16], (8, 4, 16)),
        ([1, 4, 4, 4], (8, 4, 4, 4)),
    ],
)
def test_that_a_reshape_follows_the_batch(
    target: list[int], expected: tuple[int, ...], tmp_path: Path
) -> None:
    network = load(_reshaped(target, 1, 4, 16), tmp_path, batch=8)
    assert network.values["y"].shape == expected


def test_that_a_rewritten_batch_is_told_and_the_constant_agrees(tmp_path: Path) -> None:
    network = load(_reshaped([1, 64], 1, 4, 16), tmp_path, batch=8)
    told = "batch 1 is written into the shape of Reshape (y): rewritten to 8"
    assert told in network.warnings
    assert network.values[network.layers[0].inputs[1]].data == (8, 64)


def test_that_many_rewritten_nodes_are_told_in_one_sentence(tmp_path: Path) -> None:
    nodes = [node("Reshape", f"{a} s", b) for a, b in zip("xabcd", "abcdy", strict=True)]
    model = model_of(nodes, [floats("x", 1, 6)], [integers("s", 1, 6)])
    network = load(model, tmp_path, batch=2)
    told = "5 Reshape nodes (a, b, c and 2 more): rewritten to 2"
    assert any(told in warning for warning in network.warnings)


def test_that_the_files_own_batch_is_left_alone(tmp_path: Path) -> None:
    network = load(_reshaped([1, 64], 1, 4, 16), tmp_path)
    assert network.values["y"].shape == (1, 64)
    assert network.warnings == ()


def test_that_a_batch_written_into_an_attribute_is_rewritten_too(tmp_path: Path) -> None:
    network = load(_reshaped([1, 64], 1, 4, 16, opset=4), tmp_path, batch=8)
    assert network.values["y"].shape == (8, 64)
    assert any("rewritten to 8" in warning for warning in network.warnings)


@pytest.mark.parametrize("target", [[12, -1], [12, 64], [3, -1]])
def test_that_a_batch_folded_into_another_dimension_is_refused_naming_the_node(
    target: list[int], tmp_path: Path
) -> None:
    # 12 heads of batch 1, or 12 of something else? At batch 8 nobody can tell.
    model = _reshaped(target, 1, 12, 64)
    with pytest.raises(ModelError, match=r"node y \(Reshape\): its shape .* fixed for batch 1"):
        load(model, tmp_path, batch=8)


def test_that_a_baked_batch_behind_an_open_one_is_found(tmp_path: Path) -> None:
    # The input says N, the Reshape says 4 rows: at N = 8 it would give 4 x 128.
    with pytest.raises(ModelError, match="node y"):
        load(_reshaped([4, -1], "N", 64), tmp_path, batch=8)


def test_that_a_baked_batch_that_is_the_wanted_one_is_accepted(tmp_path: Path) -> None:
    network = load(_reshaped([4, 64], "N", 64), tmp_path, batch=4)
    assert network.values["y"].shape == (4, 64)


def test_that_a_batch_behind_another_dimension_may_be_filled_in(tmp_path: Path) -> None:
    nodes = [node("Transpose", "x", "t", perm=[1, 0, 2]), node("Reshape", "t s")]
    model = model_of(nodes, [floats("x", 2, 5, 3)], [integers("s", 5, -1)])
    assert load(model, tmp_path, batch=8).values["y"].shape == (5, 24)


def _transposed(target: list[int], *shape: int):
    """The first two dimensions of x change places, then Reshape."""
    nodes = [
        node("Transpose", "x", "t", perm=[1, 0, *range(2, len(shape))]),
        node("Reshape", "t s"),
    ]
    return model_of(nodes, [floats("x", *shape)], [integers("s", *target)])


@pytest.mark.parametrize(
    ("shape", "target", "expected"),
    [
        # 5 x 2 x 3: five elements stand before the batch, as before the 2 of the target.
        ((2, 5, 3), [5, 2, -1], (5, 8, 3)),
        ((2, 5, 6), [5, 2, 3, 2], (5, 8, 3, 2)),
        ((1, 5, 6), [5, 1, 3, 2], (5, 8, 3, 2)),
        # 7 samples x 12 heads in one dimension, as attention in the layout of sequences has it.
        ((7, 5, 768), [5, 84, 64], (5, 96, 64)),
    ],
)
def test_that_a_batch_behind_another_dimension_is_rewritten(
    shape: tuple[int, ...], target: list[int], expected: tuple[int, ...], tmp_path: Path
) -> None:
    network = load(_transposed(target, *shape), tmp_path, batch=8)
    assert network.values["y"].shape == expected
    assert any("rewritten to 8" in told for told in network.warnings)


@pytest.mark.parametrize(
    "target",
    [
        [5, 1, 1, 6],  # which of the two is the batch?
        [5, 3, 2],  # at batch 1, is 3 the batch times 3 or 3 of something else?
        [5, 2, -1],
    ],
)
def test_that_an_uncertain_batch_behind_another_dimension_is_refused(
    target: list[int], tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=r"node y \(Reshape\): its shape .* fixed for batch 1"):
        load(_transposed(target, 1, 5, 6), tmp_path, batch=8)


def test_that_rows_made_of_several_samples_follow_the_batch(tmp_path: Path) -> None:
    # 7 samples of 12 heads are 84 rows: 8 samples are 96.
    network = load(_reshaped([84, 64], 7, 12, 64), tmp_path, batch=8)
    assert network.values["y"].shape == (96, 64)


def test_that_a_slice_that_would_drop_samples_is_refused(tmp_path: Path) -> None:
    # At batch 1 the first sample is all there is; at batch 8 seven would be lost.
    stored = [integers("from", 0), integers("to", 1), integers("axis", 0)]
    model = model_of([node("Slice", "x from to axis")], [floats("x", 1, 4)], stored)
    assert load(model, tmp_path).values["y"].shape == (1, 4)
    with pytest.raises(ModelError, match=r"node y \(Slice\): its output 1x4 does not follow"):
        load(model, tmp_path, batch=8)


def test_that_a_slice_of_channels_follows_the_batch(tmp_path: Path) -> None:
    stored = [integers("from", 0), integers("to", 1), integers("axis", 1)]
    model = model_of([node("Slice", "x from to axis")], [floats("x", 1, 4)], stored)
    assert load(model, tmp_path, batch=8).values["y"].shape == (8, 1)


def test_that_a_target_computed_from_the_inputs_size_is_not_touched(tmp_path: Path) -> None:
    nodes = [
        node("Shape", "x", "s", start=0, end=1),
        node("Concat", "s rest", "target", axis=0),
        node("Reshape", "x target"),
    ]
    model = model_of(nodes, [floats("x", 1, 4, 16)], [integers("rest", -1)])
    network = load(model, tmp_path, batch=8)
    assert network.values["y"].shape == (8, 64)
    assert network.warnings == ()


def test_that_a_computed_product_of_batch_and_heads_is_not_touched(tmp_path: Path) -> None:
    nodes = [
        node("Shape", "x", "n", start=0, end=1),
        node("Mul", "n heads", "rows"),
        node("Concat", "rows rest", "target", axis=0),
        node("Reshape", "x target"),
    ]
    stored = [integers("heads", 12), integers("rest", 64)]
    network = load(model_of(nodes, [floats("x", 1, 12, 64)], stored), tmp_path, batch=8)
    assert network.values["y"].shape == (96, 64)


def test_that_flattening_the_batch_away_is_refused(tmp_path: Path) -> None:
    model = model_of([node("Flatten", "x", axis=0)], [floats("x", 1, 4)])
    with pytest.raises(ModelError, match=r"output 1x32 does not follow the batch from 1 to 8"):
        load(model, tmp_path, batch=8)


def test_that_a_constant_of_the_exported_batch_is_found_where_it_would_spread(
    tmp_path: Path,
) -> None:
    # 1 x 6 + 4 x 6 = 4 x 6: legal numbers, wrong batch.
    model = model_of([node("Add", "x c")], [floats("x", 4, 6)], [weight("c", 4, 6)])
    assert load(model, tmp_path).values["y"].shape == (4, 6)
    with pytest.raises(ModelError, match="c 4x6, which it reads, may hold other numbers"):
        load(model, tmp_path, batch=1)
    with pytest.raises(ModelError, match="c 4x6, which it reads, may hold other numbers"):
        load(model, tmp_path, batch=8)


def test_that_a_channel_constant_follows_any_batch(tmp_path: Path) -> None:
    model = model_of([node("Add", "x c")], [floats("x", 1, 6, 2, 2)], [weight("c", 6, 1, 1)])
    assert load(model, tmp_path, batch=8).values["y"].shape == (8, 6, 2, 2)


def test_that_channels_shuffled_through_five_dimensions_follow_the_batch(tmp_path: Path) -> None:
    nodes = [
        node("Reshape", "x s1", "a"),
        node("Transpose", "a", "b", perm=[0, 2, 1, 3, 4]),
        node("Reshape", "b s2"),
    ]
    stored = [integers("s1", 1, 3, 8, 5, 5), integers("s2", 1, 24, 5, 5)]
    network = load(model_of(nodes, [floats("x", 1, 24, 5, 5)], stored), tmp_path, batch=2)
    assert shapes_of(network) == {
        "a": (2, 3, 8, 5, 5),
        "b": (2, 8, 3, 5, 5),
        "y": (2, 24, 5, 5),
    }


def test_that_a_file_broken_at_its_own_batch_is_told_as_such(tmp_path: Path) -> None:
    model = model_of(
        [helper.make_node("Reshape", ["x", "s"], ["y"])], [floats("x", 1, 5)], [integers("s", 1, 6)]
    )
    with pytest.raises(ModelError, match=r"1x5 does not fit into its shape \(1, 6\)"):
        load(model, tmp_path, batch=8)


def test_that_rows_of_steps_may_become_steps_and_the_batch_behind(tmp_path: Path) -> None:
    nodes = [
        node("Transpose", "x", "t", perm=[1, 0, 2]),
        node("Flatten", "t", "r", axis=2),
        node("MatMul", "r w", "m"),
        node("Shape", "x", "sizes"),
        node("Gather", "sizes zero", "n"),
        node("Concat", "six n eight", "steps", axis=0),
        node("Reshape", "m steps"),
    ]
    stored = [weight("w", 8, 8)]
    stored += [integers("zero", 0), integers("six", 6), integers("eight", 8)]
    model = model_of(nodes, [floats("x", "N", 6, 8)], stored)
    assert shapes_of(load(model, tmp_path, batch=4))["y"] == (6, 4, 8)


def test_that_a_node_that_fits_its_own_batch_alone_says_so(tmp_path: Path) -> None:
    # Both samples of a batch of two, told apart.
    model = model_of(
        [node("Split", "x", "a y", axis=0, split=[1, 1])], [floats("x", 2, 8)], opset=11
    )
    with pytest.raises(ModelError) as caught:
        load(model, tmp_path, batch=4)
    (issue,) = caught.value.issues
    assert issue.where == "test.onnx: node a (Split)"
    assert issue.message == (
        "sizes (1, 1) do not split 4 into 2 outputs; at batch 2 it fits, so a size before it is "
        "fixed for that: export with a dynamic batch, or keep batch 2"
    )
