"""expand(): order, names, losses, options, and what is refused."""

from dataclasses import replace

import pytest

from solver.errors import ModelError, UsageError
from solver.graph import Accounting, Role, TrainingGraph, WeightGradients, Weights
from solver.network import Network
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import faults_of
from tests.helpers.networks import NetworkOf, op_named


def residual() -> NetworkOf:
    """A convolution, a residual addition around a second one, mean, classifier."""
    shape = (1, 4, 8, 8)
    net = NetworkOf(image=(1, 3, 8, 8)).const("w1", (4, 3, 3, 3)).const("w2", (4, 4, 3, 3))
    net.layer("conv1", "Conv", "image w1", shape).layer("relu1", "Relu", "conv1", shape)
    net.layer("conv2", "Conv", "relu1 w2", shape).layer("add", "Add", "conv2 relu1", shape)
    net.layer("mean", "GlobalAveragePool", "add", (1, 4, 1, 1))
    net.layer("flat", "Flatten", "mean", (1, 4))
    return net.const("w3", (10, 4)).const("b3", (10,)).layer("fc", "Gemm", "flat w3 b3", (1, 10))


def classifier(*, softmax: bool = False, batch: int = 3) -> Network:
    net = NetworkOf(x=(batch, 3)).const("w", (3, 5)).layer("fc", "MatMul", "x w", (batch, 5))
    if softmax:
        net.layer("probabilities", "Softmax", "fc", (batch, 5))
    return net.network()


def names(graph: TrainingGraph) -> list[str]:
    return [op.name for op in graph.ops]


# Order


def test_that_ops_stand_in_the_one_order_of_the_contract() -> None:
    assert names(expand(residual().network())) == [
        "image", "conv1", "relu1", "conv2", "add", "mean", "fc", "labels", "loss",
        "loss.input_gradient",
        "fc.weight_gradient", "fc.bias_gradient", "fc.input_gradient",
        "mean.input_gradient",
        "add.input_gradient.1", "add.input_gradient.2",
        "conv2.weight_gradient", "conv2.input_gradient", "add_gradient:relu1",
        "relu1.input_gradient",
        "conv1.weight_gradient",
    ]  # fmt: skip


def test_that_a_sum_of_gradients_is_read_in_place_of_its_parts() -> None:
    graph = expand(residual().network())
    addition = op_named(graph, "add_gradient:relu1")
    assert addition.inputs == ("add.input_gradient.2", "conv2.input_gradient")
    assert (addition.flop, addition.gradient_of) == (256.0, ())
    assert op_named(graph, "relu1.input_gradient").inputs == ("add_gradient:relu1", "relu1")


def test_that_three_readers_make_two_sums_one_after_the_other() -> None:
    net = NetworkOf(x=(2, 3)).const("w", (3, 3)).layer("a", "MatMul", "x w", (2, 3))
    for name in ("r", "s", "t"):
        net.layer(name, "Relu", "a", (2, 3))
    graph = expand(net.layer("sum", "Sum", "r s t", (2, 3)).network())
    backward = names(graph)[graph.first_backward + 4 :]
    assert backward == [
        "t.input_gradient",
        "s.input_gradient", "add_gradient:a",
        "r.input_gradient", "add_gradient:a~2",
        "a.weight_gradient",
    ]  # fmt: skip
    assert op_named(graph, "add_gradient:a~2").inputs == ("add_gradient:a", "r.input_gradient")


def test_that_inputs_and_labels_stand_directly_before_their_first_reader() -> None:
    net = NetworkOf(early=(2, 3), late=(2, 3)).const("w", (3, 3))
    net.layer("a", "MatMul", "early w", (2, 3)).layer("b", "Relu", "a", (2, 3))
    graph = expand(net.layer("c", "Mul", "b late", (2, 3)).network())
    assert names(graph)[:7] == ["early", "a", "b", "late", "c", "labels", "loss"]


def test_that_an_input_waits_behind_its_view_for_the_op_that_reads_it() -> None:
    net = NetworkOf(early=(2, 3), late=(3, 2)).const("w", (3, 3))
    net.layer("view", "Reshape", "late", (2, 3)).layer("a", "MatMul", "early w", (2, 3))
    graph = expand(net.layer("c", "Mul", "a view", (2, 3)).network())
    assert names(graph)[:4] == ["early", "a", "late", "c"]


def test_that_inputs_and_labels_are_in_storage_at_the_start_and_never_made_again() -> None:
    graph = expand(classifier())
    for name, role in (("x", Role.INPUT), ("labels", Role.LABEL)):
        op, tensor = op_named(graph, name), graph.tensors[graph.tensor_index[name]]
        assert (op.kind, op.flop, op.recomputable) == ("input", 0, False)
        assert (tensor.role, tensor.in_storage_at_start) == (role, True)
    assert not any(
        tensor.in_storage_at_start for tensor in graph.tensors if tensor.name not in {"x", "labels"}
    )


def test_that_an_input_that_nothing_reads_is_nowhere() -> None:
    net = NetworkOf(x=(2, 3), idle=(2, 3)).const("w", (3, 5))
    assert "idle" not in names(expand(net.layer("fc", "MatMul", "x w", (2, 5)).network()))


def test_that_a_gradient_is_made_only_where_something_trainable_lies_behind() -> None:
    graph = expand(residual().network())
    assert "conv1.input_gradient" not in graph.op_index


def test_that_a_constant_used_twice_has_two_gradients_and_is_listed_once() -> None:
    net = NetworkOf(x=(2, 3)).const("w", (3, 3)).layer("a", "MatMul", "x w", (2, 3))
    graph = expand(net.layer("b", "MatMul", "a w", (2, 3)).network())
    made = [op.name for op in graph.ops if op.gradient_of == ("w",)]
    assert made == ["b.weight_gradient", "a.weight_gradient"]
    assert [(item.name, item.bytes) for item in graph.trainable] == [("w", 36)]
    assert graph.trainable_bytes == 36


def test_that_names_that_the_file_has_used_get_a_number() -> None:
    net = NetworkOf(labels=(2, 3)).const("w", (3, 3)).layer("loss", "MatMul", "labels w", (2, 3))
    graph = expand(net.layer("loss.input_gradient", "Relu", "loss", (2, 3)).network())
    assert names(graph) == [
        "labels", "loss", "loss.input_gradient", "labels~2", "loss~2",
        "loss~2.input_gradient", "loss.input_gradient.input_gradient", "loss.weight_gradient",
    ]  # fmt: skip
    assert faults_of(graph) == []


def test_that_the_same_network_gives_the_same_graph() -> None:
    assert expand(residual().network()) == expand(residual().network())


# Totals and settings


def test_that_totals_leave_out_views_inputs_labels_and_the_loss() -> None:
    graph = expand(residual().network())
    # conv1, relu1, conv2, add: 256 each, mean 4, fc 10 elements of 4 B
    assert graph.forward_bytes == (4 * 256 + 4 + 10) * 4
    # 256 * 27 + 256 * 36 + 10 * 4
    assert graph.forward_macs == 16168
    assert graph.trainable_bytes == (108 + 144 + 40 + 10) * 4 == graph.weight_bytes
    assert graph.saved_extra_bytes == 0


def test_that_the_settings_tell_what_was_chosen_for_the_user() -> None:
    settings = expand(classifier()).settings
    assert settings.accounting is Accounting.AUTODIFF
    assert (settings.loss, settings.output, settings.batch) == ("softmax-ce", "fc", 1)


def test_that_weights_are_not_counted_unless_they_are_asked_for() -> None:
    network = classifier()
    assert expand(network).fixed_bytes == 0
    resident = expand(network, TrainingOptions(weights=Weights.RESIDENT))
    assert resident.fixed_bytes == resident.weight_bytes == 60
    assert resident.settings.weights is Weights.RESIDENT


def test_that_an_applied_weight_gradient_has_no_output() -> None:
    gradient = op_named(expand(classifier()), "fc.weight_gradient")
    assert (gradient.outputs, gradient.gradient_of) == ((), ("w",))


def test_that_a_buffered_weight_gradient_is_a_tensor_of_the_weights_size() -> None:
    options = TrainingOptions(weight_gradients=WeightGradients.BUFFERED)
    graph = expand(classifier(), options)
    (made,) = op_named(graph, "fc.weight_gradient").outputs
    tensor = graph.tensors[graph.tensor_index[made]]
    assert (tensor.bytes, tensor.role) == (60, Role.WEIGHT_GRADIENT)
    assert graph.readers[graph.tensor_index[made]] == ()


# Losses


def test_that_cross_entropy_keeps_the_probabilities_that_its_op_makes() -> None:
    graph = expand(classifier())
    loss, gradient = op_named(graph, "loss"), op_named(graph, "loss.input_gradient")
    assert loss.inputs == ("fc", "labels")
    assert loss.outputs == ("loss", "loss.probabilities")
    assert graph.loss_tensors == ("loss",)
    assert loss.flop == 5 * 15 + 2 * 3  # softmax of 15 elements; log and addition for 3 samples
    assert gradient.inputs == ("loss.probabilities", "labels")
    assert gradient.gradient_of == ("fc",)
    assert gradient.flop == 2 * 15  # (p - t) / samples
    sizes = {tensor.name: tensor.bytes for tensor in graph.tensors}
    assert (sizes["loss"], sizes["loss.probabilities"], sizes["labels"]) == (4, 60, 24)


def test_that_an_output_that_is_a_softmax_is_read_as_probabilities() -> None:
    graph = expand(classifier(softmax=True))
    loss, gradient = op_named(graph, "loss"), op_named(graph, "loss.input_gradient")
    assert loss.outputs == ("loss",)
    assert loss.flop == 2 * 3
    assert gradient.inputs == ("probabilities", "labels")
    assert gradient.gradient_of == ("probabilities", "fc")
    assert gradient.flop == 2 * 15
    assert "probabilities.input_gradient" not in graph.op_index
    assert faults_of(graph) == []


def test_that_a_softmax_behind_a_view_is_found() -> None:
    net = NetworkOf(x=(2, 3)).const("w", (3, 5)).layer("fc", "MatMul", "x w", (2, 5))
    net.layer("soft", "Softmax", "fc", (2, 5)).layer("view", "Reshape", "soft", (2, 5, 1, 1))
    graph = expand(net.network())
    assert op_named(graph, "loss.input_gradient").gradient_of == ("soft", "fc")
    assert graph.tensors[graph.tensor_index["labels"]].shape == (2, 1, 1)


@pytest.mark.parametrize(
    ("shape", "labels"),
    [((2, 5), (2,)), ((2, 7, 5), (2, 7)), ((2, 5, 4, 4), (2, 4, 4)), ((5,), ())],
)
def test_that_labels_are_one_class_number_per_position(
    shape: tuple[int, ...], labels: tuple[int, ...]
) -> None:
    net = NetworkOf(x=shape).const("w", (shape[-1], shape[-1]))
    graph = expand(net.layer("it", "MatMul", "x w", shape).network())
    tensor = graph.tensors[graph.tensor_index["labels"]]
    assert (tensor.shape, tensor.dtype) == (labels, "int64")


def test_that_the_squared_error_reads_the_output_and_labels_of_its_shape() -> None:
    graph = expand(classifier(), TrainingOptions(loss="mse"))
    assert op_named(graph, "loss").flop == 3 * 15
    gradient = op_named(graph, "loss.input_gradient")
    assert (gradient.inputs, gradient.flop) == (("fc", "labels"), 30)
    assert graph.tensors[graph.tensor_index["labels"]].bytes == 60


def test_that_the_sum_has_no_labels_and_a_gradient_that_reads_nothing() -> None:
    graph = expand(classifier(), TrainingOptions(loss="sum"))
    assert "labels" not in graph.op_index
    gradient = op_named(graph, "loss.input_gradient")
    assert op_named(graph, "loss").flop == 15
    assert (gradient.inputs, gradient.flop) == ((), 15)
    assert faults_of(graph) == []


def test_that_another_loss_differentiates_a_final_softmax_as_any_layer() -> None:
    graph = expand(classifier(softmax=True), TrainingOptions(loss="mse"))
    assert op_named(graph, "probabilities.input_gradient").gradient_of == ("fc",)


# Outputs


def two_heads() -> Network:
    net = NetworkOf(x=(2, 3)).const("w", (3, 5)).const("v", (3, 4))
    net.layer("main", "MatMul", "x w", (2, 5)).layer("side", "MatMul", "x v", (2, 4))
    return net.network("main", "side")


def test_that_other_outputs_run_but_get_no_gradient_and_a_warning() -> None:
    graph = expand(two_heads())
    assert "side" in graph.op_index
    assert op_named(graph, "side").trainable == ()
    assert [item.name for item in graph.trainable] == ["w"]
    assert graph.weight_bytes == 60 + 48  # the idle head is in memory all the same
    first, second = graph.warnings
    assert first == "the loss is taken of output main; no gradient for: side"
    assert second.startswith("1 weight does not lead to output main and is not trained")
    assert faults_of(graph) == []


def test_that_the_output_of_the_loss_can_be_chosen() -> None:
    graph = expand(two_heads(), TrainingOptions(output="side"))
    assert [item.name for item in graph.trainable] == ["v"]
    assert graph.settings.output == "side"


def test_that_the_first_float_output_is_the_default() -> None:
    net = NetworkOf(x=(2, 3)).const("w", (3, 5)).layer("fc", "MatMul", "x w", (2, 5))
    net.layer("number", "Cast", "fc", (2, 5), dtype="int64")
    assert expand(net.network("number", "fc")).settings.output == "fc"


def test_that_the_networks_own_warnings_come_first() -> None:
    network = replace(two_heads(), warnings=("from the file",))
    assert expand(network).warnings[0] == "from the file"


# Refusals


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (TrainingOptions(loss="mae"), "--loss: unknown loss 'mae' (did you mean mse?)"),
        (
            TrainingOptions(output="mane"),
            "--output: the network has no output 'mane' (did you mean main?)",
        ),
    ],
)
def test_that_an_unknown_choice_is_wrong_usage_with_the_nearest_name(
    options: TrainingOptions, sentence: str
) -> None:
    with pytest.raises(UsageError) as caught:
        expand(two_heads(), options)
    assert str(caught.value) == sentence


def test_that_an_output_of_integers_cannot_have_a_loss() -> None:
    net = NetworkOf(x=(2, 3)).const("w", (3, 5)).layer("fc", "MatMul", "x w", (2, 5))
    net.layer("number", "Cast", "fc", (2, 5), dtype="int64")
    with pytest.raises(UsageError, match="output number is int64"):
        expand(net.network("number", "fc"), TrainingOptions(output="number"))
    with pytest.raises(ModelError, match="no output has a float type"):
        expand(net.network("number"))


def test_that_a_network_without_weights_is_refused_with_a_sentence() -> None:
    with pytest.raises(ModelError, match="output relu: there is nothing to train"):
        expand(NetworkOf(x=(2, 3)).layer("relu", "Relu", "x", (2, 3)).network())


def test_that_weights_that_do_not_lead_to_the_output_are_nothing_to_train() -> None:
    net = NetworkOf(x=(2, 3)).const("w", (3, 5)).layer("side", "MatMul", "x w", (2, 5))
    network = net.layer("relu", "Relu", "x", (2, 3)).network("relu", "side")
    with pytest.raises(ModelError, match="there is nothing to train"):
        expand(network)


def test_that_an_output_that_is_an_input_is_nothing_to_train() -> None:
    net = NetworkOf(x=(2, 3)).const("w", (3, 5)).layer("side", "MatMul", "x w", (2, 5))
    with pytest.raises(ModelError, match="there is nothing to train"):
        expand(net.network("x", "side"))


def test_that_all_operators_without_a_rule_are_named_at_once() -> None:
    net = NetworkOf(x=(2, 3)).layer("a", "acme::Fold", "x", (2, 3)).layer("b", "Relu", "a", (2, 3))
    net.layer("c", "acme::Fold", "b", (2, 3)).layer("d", "NonZero", "c", (2, 3))
    with pytest.raises(ModelError) as caught:
        expand(net.network())
    assert [issue.message for issue in caught.value.issues] == [
        "no training rule for acme::Fold: layer a and 1 more",
        "no training rule for NonZero: layer d",
    ]
    assert all(issue.suggestion for issue in caught.value.issues)


def test_that_layers_of_constants_need_no_rule_and_are_no_ops() -> None:
    net = NetworkOf(x=(2, 3)).const("w", (3, 5)).layer("size", "Shape", "x", (2,), dtype="int64")
    net.layers[-1] = replace(net.layers[-1], outputs=("size", ""))  # an optional output left out
    net.const("size", (2,), "int64").layer("fc", "MatMul", "x w", (2, 5))
    assert "size" not in expand(net.network()).op_index


def test_that_reading_a_second_output_that_training_does_not_make_is_refused() -> None:
    net = NetworkOf(x=(2, 4)).const("w", (4, 4)).layer("fc", "MatMul", "x w", (2, 4))
    net.layer("drop", "Dropout", "fc", (2, 4), more={"mask": (2, 4)})
    net.layer("mul", "Mul", "drop mask", (2, 4))
    with pytest.raises(ModelError, match="layer mul: it reads mask, which nothing before it"):
        expand(net.network())


def test_that_cross_entropy_of_a_single_number_is_refused_with_a_way_out() -> None:
    net = NetworkOf(x=(3,)).const("w", (3,)).layer("dot", "MatMul", "x w", ())
    with pytest.raises(ModelError, match="--loss sum"):
        expand(net.network())


def test_that_a_missing_attribute_is_named_with_its_layer() -> None:
    net = NetworkOf(x=(1, 2, 4, 4)).const("w", (2, 2, 1, 1))
    net.layer("conv", "Conv", "x w", (1, 2, 4, 4))
    with pytest.raises(ModelError, match="layer pool: attribute kernel_shape of MaxPool"):
        expand(net.layer("pool", "MaxPool", "conv", (1, 2, 2, 2)).network())


def test_that_an_empty_tensor_has_no_bytes_and_a_scalar_has_one_element() -> None:
    net = NetworkOf(x=(0, 3)).const("w", (3, 2)).layer("fc", "MatMul", "x w", (0, 2))
    graph = expand(net.network(), TrainingOptions(loss="sum"))
    sizes = {tensor.name: tensor.bytes for tensor in graph.tensors}
    assert (sizes["fc"], sizes["loss"]) == (0, 4)
