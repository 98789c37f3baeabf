"""BatchNormalization is statistics and their use; layers keep theirs; LRN sums windows again."""

import pytest

from solver.errors import ModelError
from solver.graph import Role, TrainingGraph
from solver.network import Network
from tests.helpers.networks import NetworkOf, graph_of_layer, kept, one_layer, op_named, trained

ELEMENTS = 2 * 3 * 4 * 4  # 96


def batch_norm() -> Network:
    shape, per_channel = (2, 3, 4, 4), (3,)
    constants = dict.fromkeys(("scale", "bias", "mean", "variance"), per_channel)
    return one_layer("BatchNormalization", {"x": shape}, shape, constants=constants)


def graph() -> TrainingGraph:
    return graph_of_layer(batch_norm())


def test_that_the_statistics_are_an_op_that_never_runs_twice() -> None:
    stats = op_named(graph(), "it.stats")
    assert (stats.kind, stats.inputs, stats.recomputable) == ("stats", ("x",), False)
    assert stats.outputs == ("it.mean", "it.inverse_std")
    assert stats.flop == 4 * ELEMENTS  # mean: +; variance: -, square, +


def test_that_the_statistics_are_two_float32_numbers_per_channel() -> None:
    tensors = {tensor.name: tensor for tensor in graph().tensors}
    for name in ("it.mean", "it.inverse_std"):
        found = tensors[name]
        assert (found.bytes, found.dtype, found.role) == (12, "float32", Role.STATISTICS)
    assert graph().saved_extra_bytes == 24


def test_that_statistics_stay_float32_in_a_network_of_halves() -> None:
    net = NetworkOf()
    net.input("x", (1, 3, 2, 2), "float16")
    for name in ("scale", "bias", "mean", "variance"):
        net.const(name, (3,), "float16")
    net.layer(
        "it", "BatchNormalization", "x scale bias mean variance", (1, 3, 2, 2), dtype="float16"
    )
    found = graph_of_layer(net.network())
    sizes = {tensor.name: tensor.bytes for tensor in found.tensors}
    assert (sizes["it"], sizes["it.mean"], sizes["it.inverse_std"]) == (24, 12, 12)


def test_that_applying_them_may_run_again_and_trains_scale_and_bias() -> None:
    apply = op_named(graph(), "it.apply")
    assert (apply.kind, apply.recomputable) == ("apply", True)
    assert apply.inputs == ("x", "it.mean", "it.inverse_std")
    assert apply.outputs == ("it",)
    assert apply.trainable == ("scale", "bias")
    assert apply.flop == 4 * ELEMENTS


def test_that_the_gradients_read_input_and_statistics_but_the_bias_nothing_kept() -> None:
    found = graph()
    statistics = ("it.mean", "it.inverse_std")
    reads = ("loss.input_gradient", "x", *statistics)
    assert op_named(found, "it.scale_gradient").inputs == reads
    assert op_named(found, "it.input_gradient").inputs == reads
    assert op_named(found, "it.bias_gradient").inputs == ("loss.input_gradient",)
    assert kept(found) == {"x", *statistics}


def test_that_the_gradients_cost_four_one_and_nine_operations_per_element() -> None:
    found = graph()
    names = ("it.scale_gradient", "it.bias_gradient", "it.input_gradient")
    flop = [op_named(found, name).flop for name in names]
    assert flop == [4 * ELEMENTS, ELEMENTS, 9 * ELEMENTS]


def test_that_one_op_stands_for_the_gradients_through_both_readers_of_the_input() -> None:
    assert op_named(graph(), "it.input_gradient").gradient_of == ("x", "x")


def test_that_running_statistics_are_weights_but_not_trained() -> None:
    found = graph()
    assert [item.name for item in found.trainable] == ["x.bias", "scale", "bias"]
    assert found.trainable_bytes == 36
    assert found.weight_bytes == 36 + 2 * 12


def test_that_updated_running_statistics_are_no_tensors_of_their_own() -> None:
    net = NetworkOf(x=(2, 3))
    for name in ("scale", "bias", "mean", "variance"):
        net.const(name, (3,))
    more = {"new_mean": (3,), "new_variance": (3,)}
    net.layer("it", "BatchNormalization", "x scale bias mean variance", (2, 3), more=more)
    found = graph_of_layer(net.network())
    assert op_named(found, "it.apply").outputs == ("it",)
    assert {"new_mean", "new_variance"}.isdisjoint(found.tensor_index)
    assert found.forward_bytes == 24


def test_that_running_statistics_used_twice_are_counted_once() -> None:
    net = NetworkOf()
    source = trained("x", (2, 3), net)
    for name in ("scale", "bias", "mean", "variance"):
        net.const(name, (3,))
    for name in ("one", "two"):
        net.layer(name, "BatchNormalization", f"{source} scale bias mean variance", (2, 3))
        source = name
    assert graph_of_layer(net.network()).weight_bytes == 36 + 2 * 12


def test_that_local_response_normalisation_keeps_its_input() -> None:
    shape = (1, 5, 2, 2)
    found = graph_of_layer(one_layer("LRN", {"x": shape}, shape, size=3))
    assert kept(found) == {"x"}
    # forward: square, scale, bias, pow, divide and three additions of the window, 20 elements
    assert op_named(found, "it").flop == (5 + 3) * 20
    # gradient: 11 and two window sums
    assert op_named(found, "it.input_gradient").flop == (11 + 6) * 20


def layer_norm(axis: int = -1) -> TrainingGraph:
    shape = (2, 3, 5)
    constants = {"scale": shape[axis:], "bias": shape[axis:]}
    return graph_of_layer(
        one_layer("LayerNormalization", {"x": shape}, shape, constants=constants, axis=axis)
    )


@pytest.mark.parametrize(("axis", "positions"), [(-1, 2 * 3), (1, 2), (2, 2 * 3)])
def test_that_layer_statistics_are_two_float32_numbers_per_position(
    axis: int, positions: int
) -> None:
    found = layer_norm(axis)
    assert op_named(found, "it").outputs == ("it", "it.mean", "it.inverse_std")
    sizes = [found.tensors[found.tensor_index[f"it.{word}"]].bytes for word in ("mean",
             "inverse_std")]  # fmt: skip
    assert sizes == [4 * positions, 4 * positions]
    assert found.saved_extra_bytes == 8 * positions


def test_that_a_layer_normalisation_is_one_op_that_may_run_again() -> None:
    op = op_named(layer_norm(), "it")
    assert (op.kind, op.recomputable, op.trainable) == (
        "LayerNormalization", True, ("scale", "bias"),
    )  # fmt: skip
    assert op.inputs == ("x",)


def test_that_gradients_of_a_layer_normalisation_read_input_and_statistics() -> None:
    found = layer_norm()
    reads = ("loss.input_gradient", "x", "it.mean", "it.inverse_std")
    assert op_named(found, "it.scale_gradient").inputs == reads
    assert op_named(found, "it.input_gradient").inputs == reads
    assert op_named(found, "it.bias_gradient").inputs == ("loss.input_gradient",)
    assert kept(found) == {"x", "it.mean", "it.inverse_std"}


def test_that_a_layer_normalisation_costs_as_that_of_a_batch_and_one_product_more_back() -> None:
    found = layer_norm()
    names = ("it", "it.scale_gradient", "it.bias_gradient", "it.input_gradient")
    # 30 elements. Forward: mean +; variance -, square, +; - mean, * inverse std, * scale, + bias.
    # Back: here every element has a scale of its own within its sum, dy * scale comes first.
    assert [op_named(found, name).flop for name in names] == [8 * 30, 4 * 30, 30, 10 * 30]


def test_that_statistics_are_kept_where_only_scale_and_bias_are_trained() -> None:
    net = NetworkOf(x=(2, 3))
    for name in ("scale", "bias"):
        net.const(name, (3,))
    net.layer("it", "LayerNormalization", "x scale bias", (2, 3), axis=-1)
    found = graph_of_layer(net.network())
    assert op_named(found, "it.scale_gradient").inputs[1:] == ("x", "it.mean", "it.inverse_std")
    assert "it.input_gradient" not in found.op_index


def test_that_an_axis_that_is_not_there_is_told() -> None:
    network = one_layer(
        "LayerNormalization", {"x": (2, 3)}, (2, 3), constants={"scale": (3,)}, axis=2
    )
    with pytest.raises(ModelError, match="layer it: axis 2 does not exist in 2 dimensions"):
        graph_of_layer(network)


def normalised(
    op_type: str, *constants: str, shape: tuple[int, ...], **attributes: int | tuple[int, ...]
) -> TrainingGraph:
    sizes = dict.fromkeys(constants, (shape[1],))
    network = one_layer(op_type, {"x": shape}, shape, constants=sizes, **attributes)
    return graph_of_layer(network)


def statistics_of(found: TrainingGraph) -> dict[str, int]:
    """Bytes of what the forward op makes besides its output."""
    extras = op_named(found, "it").outputs[1:]
    return {name: found.tensors[found.tensor_index[name]].bytes for name in extras}


@pytest.mark.parametrize(
    ("op_type", "sets"),
    [
        ("InstanceNormalization", 2 * 6),  # each channel of each sample
        ("GroupNormalization", 2 * 3),  # each of 3 groups
    ],
)
def test_that_groups_and_instances_are_normalised_as_layers_are(op_type: str, sets: int) -> None:
    found = normalised(op_type, "scale", "bias", shape=(2, 6, 4, 4), num_groups=3)
    assert statistics_of(found) == {"it.mean": 4 * sets, "it.inverse_std": 4 * sets}
    assert op_named(found, "it").recomputable
    assert kept(found) == {"x", "it.mean", "it.inverse_std"}
    names = ("it", "it.scale_gradient", "it.bias_gradient", "it.input_gradient")
    flop = [op_named(found, name).flop for name in names]
    assert flop == [8 * 192, 4 * 192, 192, 10 * 192]  # 192 elements


@pytest.mark.parametrize("op_type", ["RMSNormalization", "SimplifiedLayerNormalization"])
def test_that_a_root_mean_square_is_one_statistic(op_type: str) -> None:
    found = normalised(op_type, "scale", shape=(2, 3, 3))
    assert statistics_of(found) == {"it.inverse_rms": 4 * 6}
    assert op_named(found, "it").trainable == ("scale",)
    assert kept(found) == {"x", "it.inverse_rms"}
    names = ("it", "it.scale_gradient", "it.input_gradient")
    # Forward: square, +, * inverse root, * scale. Scale: dy * x * inverse root, +. Input: x hat,
    # dy * scale, sum of their product 2, - x hat * mean 2, * inverse root. 18 elements.
    assert [op_named(found, name).flop for name in names] == [4 * 18, 3 * 18, 7 * 18]


def test_that_a_vector_of_length_one_is_kept_with_its_former_length() -> None:
    found = normalised("LpNormalization", shape=(2, 3, 5), axis=1)
    assert statistics_of(found) == {"it.norm": 4 * 10}
    assert kept(found) == {"it", "it.norm"}
    # Forward: square, +, /. Back: dy * y, +, y * sum, dy -, / norm. 30 elements.
    assert (op_named(found, "it").flop, op_named(found, "it.input_gradient").flop) == (90, 150)


def test_that_a_normalisation_without_scale_keeps_its_output() -> None:
    found = normalised("MeanVarianceNormalization", shape=(2, 3, 5, 1), axes=(0, 2, 3))
    assert statistics_of(found) == {"it.inverse_std": 4 * 3}
    assert kept(found) == {"it", "it.inverse_std"}
    # Forward: +; -, square, +; - mean, / deviation. Back: sums 3, dy - mean - y * mean 3, /.
    assert (op_named(found, "it").flop, op_named(found, "it.input_gradient").flop) == (180, 210)
