"""Whatever the layers are, nothing that the chain rule asks for is missing from the graph."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.graph import Phase, TrainingGraph
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from solver.network import Network
from solver.training import TrainingOptions, expand
from tests.helpers.graph_checks import bypassing, faults_of, without_op
from tests.helpers.networks import NetworkOf
from tests.helpers.onnx_models import LIGHT_FOLDER

SHAPE = (1, 2, 4, 4)


def _add_layer(net: NetworkOf, kind: str, name: str, left: str, right: str) -> None:
    """A layer that keeps the shape, so that any two values fit each other."""
    constants = {
        "Conv": {"w": (2, 2, 3, 3), "b": (2,)},
        "BatchNormalization": dict.fromkeys(("scale", "bias", "mean", "variance"), (2,)),
        "Scale": {"c": (2, 1, 1)},
    }.get(kind, {})
    for word, shape in constants.items():
        net.const(f"{name}.{word}", shape)
    op_type = "Mul" if kind == "Scale" else kind
    reads = [left, right] if kind in {"Add", "Mul", "Div", "Sum", "MatMul"} else [left]
    if kind == "Sum":
        reads.append(left)
    inputs = " ".join((*reads, *(f"{name}.{word}" for word in constants)))
    more = {f"{name}.second": SHAPE} if kind == "Split" else None
    net.layer(name, op_type, inputs, SHAPE, more=more, kernel_shape=(1, 1), size=3)


KINDS = (
    "Conv", "BatchNormalization", "Scale", "Relu", "Sigmoid", "MaxPool", "AveragePool", "LRN",
    "Dropout", "Transpose", "Add", "Mul", "Div", "Sum", "MatMul", "Reshape", "Identity",
)  # fmt: skip


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """A convolution and up to 12 layers that each read one or two earlier values."""
    net = NetworkOf(image=SHAPE, other=SHAPE)
    values = ["image", "other"]
    for k, kind in enumerate(["Conv", *draw(st.lists(st.sampled_from(KINDS), max_size=12))]):
        left, right = (draw(st.sampled_from(values)) for _ in "lr")
        _add_layer(net, kind, f"layer{k}", left if k else "image", right)
        values.append(f"layer{k}")
    unread = [name for name in values[2:] if not any(name in x.inputs for x in net.layers)]
    if len(unread) > 1 and draw(st.booleans()):
        net.layer("joined", "Sum", " ".join(unread), SHAPE)
        unread = ["joined"]
    elif "layer0" not in unread:
        unread.append("layer0")  # there is always something to train
    return net.network(*reversed(unread))


def _trainable_output(network: Network) -> str:
    """The first output that depends on a weight, found by walking back through the layers."""
    makers = {name: layer for layer in network.layers for name in layer.outputs}
    weights = {name for name in network.constants if not name.endswith((".mean", ".variance"))}

    def depends(name: str) -> bool:
        return name in weights or (
            name in makers and any(depends(source) for source in makers[name].inputs)
        )

    return next(name for name in network.outputs if depends(name))


@settings(max_examples=60, deadline=None)
@given(networks(), st.sampled_from(["softmax-ce", "mse", "sum"]))
def test_that_no_gradient_is_missing_from_the_graph_of_any_layers(
    network: Network, loss: str
) -> None:
    options = TrainingOptions(loss=loss, output=_trainable_output(network))
    assert faults_of(expand(network, options)) == []


@settings(max_examples=25, deadline=None)
@given(networks())
def test_that_the_graph_of_any_layers_is_the_same_twice(network: Network) -> None:
    options = TrainingOptions(output=_trainable_output(network))
    assert expand(network, options) == expand(network, options)


@settings(max_examples=25, deadline=None)
@given(networks())
def test_that_every_partial_gradient_but_the_first_is_added_at_once(network: Network) -> None:
    graph = expand(network, TrainingOptions(output=_trainable_output(network)))
    seen: set[str] = set()
    for op, after in zip(graph.ops, (*graph.ops[1:], None), strict=True):
        if op.kind == "input_gradient":
            again = op.gradient_of[-1] in seen
            added = after is not None and after.kind == "add_gradient"
            assert added == again
            seen.add(op.gradient_of[-1])


@settings(max_examples=25, deadline=None)
@given(networks())
def test_that_gradients_are_like_the_tensors_they_belong_to(network: Network) -> None:
    graph = expand(network, TrainingOptions(output=_trainable_output(network)))
    tensors = {tensor.name: tensor for tensor in graph.tensors}
    for op in graph.ops:
        if op.kind == "input_gradient":
            made, target = tensors[op.outputs[0]], tensors[op.gradient_of[-1]]
            assert (made.bytes, made.shape, made.dtype) == (
                target.bytes,
                target.shape,
                target.dtype,
            )


# The oracle itself: it must miss what is taken away.


@pytest.fixture(scope="module")
def resnet50() -> TrainingGraph:
    return expand(load_onnx(LIGHT_FOLDER / "light_resnet50.onnx", LoadOptions()))


def test_that_the_graph_of_resnet50_is_whole(resnet50: TrainingGraph) -> None:
    assert faults_of(resnet50) == []


def test_that_resnet50_has_as_many_backward_ops_as_its_layers_ask_for(
    resnet50: TrainingGraph,
) -> None:
    kinds = Counter(op.kind for op in resnet50.ops if op.phase is Phase.BACKWARD)
    assert kinds == {
        # 53 convolutions without bias, scale and bias of 53 norms, weight and bias of one Gemm
        "weight_gradient": 53 + 2 * 53 + 2,
        # all convolutions but the first, 53 norms, 49 Relus, both inputs of 16 sums, two pools,
        # the Gemm; and the loss, which makes that of the Softmax's input
        "input_gradient": 52 + 53 + 49 + 32 + 2 + 1 + 1,
        # the input of each of 16 blocks is read twice
        "add_gradient": 16,
    }


@pytest.mark.slow
def test_that_any_one_backward_op_of_resnet50_is_missed_when_it_is_taken_away(
    resnet50: TrainingGraph,
) -> None:
    backward = range(resnet50.first_backward, len(resnet50.ops))
    unnoticed = [resnet50.ops[k].name for k in backward if not faults_of(without_op(resnet50, k))]
    assert unnoticed == []


def test_that_an_addition_is_missed_when_its_readers_take_one_part_for_the_sum(
    resnet50: TrainingGraph,
) -> None:
    additions = [k for k, op in enumerate(resnet50.ops) if op.kind == "add_gradient"]
    assert len(additions) == 16
    assert all(faults_of(bypassing(resnet50, k)) for k in additions)
