"""ResNet and VGG as layers, published sizes; and what holds for every network of layers."""

from collections import Counter
from collections.abc import Callable

import pytest

from solver.graph import Accounting
from solver.network import Network
from solver.training import expand
from solver.zoo.registry import accountings_of, build_network, builtin_names
from solver.zoo.resnet import resnet18, resnet18_cifar, resnet50
from solver.zoo.vgg import vgg16, vgg16_cifar
from tests.helpers.graph_checks import faults_of

LAYERED = [name for name in builtin_names() if Accounting.AUTODIFF in accountings_of(name)]


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        (resnet18, 11_689_512),
        (resnet18_cifar, 11_173_962),
        (resnet50, 25_557_032),
        (vgg16, 138_357_544),
        # 14,714,688 in thirteen convolutions, then 512-4096-4096-10:
        # 2,101,248 + 16,781,312 + 40,970
        (vgg16_cifar, 33_638_218),
    ],
)
def test_that_a_network_has_the_published_number_of_parameters(
    make: Callable[[int], Network], parameters: int
) -> None:
    graph = expand(make(1))
    assert graph.trainable_bytes == parameters * 4


@pytest.mark.parametrize(
    ("make", "macs"),
    [
        (resnet18, 1_814_073_344),  # the 1.8 GMAC of model cards
        (resnet50, 4_089_184_256),  # 4.09, as the ONNX file of the same network
        (vgg16, 15_470_264_320),  # 15.47
    ],
)
def test_that_a_network_has_the_published_number_of_multiply_adds(
    make: Callable[[int], Network], macs: int
) -> None:
    assert expand(make(1)).forward_macs == macs


@pytest.mark.parametrize("name", LAYERED)
def test_that_every_network_differentiates_into_a_whole_graph(name: str) -> None:
    assert faults_of(expand(build_network(name, 1))) == []


@pytest.mark.parametrize("name", LAYERED)
def test_that_activations_and_work_grow_with_the_batch_and_weights_do_not(name: str) -> None:
    one, four = (expand(build_network(name, batch)) for batch in (1, 4))
    assert four.forward_bytes == 4 * one.forward_bytes
    assert four.forward_macs == 4 * one.forward_macs
    assert four.weight_bytes == one.weight_bytes
    assert four.settings.batch == 4


def test_that_resnet50_has_its_stride_in_the_three_by_three_convolutions() -> None:
    strides = {
        layer.name: layer.attributes["strides"]
        for layer in resnet50(1).layers
        if layer.name.startswith("layer2.0.conv")
    }
    assert strides == {
        "layer2.0.conv1": (1, 1),
        "layer2.0.conv2": (2, 2),
        "layer2.0.conv3": (1, 1),
    }


def test_that_running_statistics_are_weights_of_resnet18() -> None:
    graph = expand(resnet18(1))
    channels = 64 + 4 * 64 + 5 * (128 + 256 + 512)
    assert graph.weight_bytes - graph.trainable_bytes == 2 * channels * 4


def test_that_the_cifar_stem_keeps_the_image_size() -> None:
    network = resnet18_cifar(1)
    assert network.values["relu1"].shape == (1, 64, 32, 32)
    assert not any(layer.op_type == "MaxPool" for layer in network.layers)


@pytest.mark.parametrize("make", [vgg16, vgg16_cifar])
def test_that_vgg16_drops_twice_in_its_classifier(make: Callable[[int], Network]) -> None:
    kinds = Counter(layer.op_type for layer in make(1).layers)
    assert kinds == {
        "Conv": 13, "Relu": 15, "MaxPool": 5, "Flatten": 1, "Gemm": 3, "Dropout": 2,
    }  # fmt: skip
    masks = [tensor for tensor in expand(make(1)).tensors if tensor.name.endswith(".mask")]
    assert [tensor.bytes for tensor in masks] == [4096, 4096]


@pytest.mark.parametrize("name", LAYERED)
def test_that_built_in_networks_need_no_warning(name: str) -> None:
    assert expand(build_network(name, 1)).warnings == ()
