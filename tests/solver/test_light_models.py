"""The classic networks inside the package onnx: known figures, from file to training graph."""

import math
from pathlib import Path

import onnx
import pytest

from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from solver.training import TrainingOptions, expand
from tests.helpers.onnx_models import LIGHT_FOLDER

# At batch 1: weight_bytes, trainable_bytes, forward_macs, forward_bytes, saved_extra_bytes.
# ResNet-50 has 4.089 GMAC and 102.4 MB of weights, VGG-19 19.632 GMAC and 574.7 MB: the figures of
# their model cards. ShuffleNet's weights less its trainables are its running statistics:
# 5680608 - 5573280 = 107328 B = 2 x 4 B x 13416 normalised channels.
FIGURES = {
    "bvlc_alexnet": (243860896, 243860896, 654560384, 7165760, 452096),
    "squeezenet": (4941984, 4941984, 349151936, 28191616, 1407232),
    "vgg19": (574668960, 574668960, 19632062464, 125044544, 6129664),
    "resnet50": (102440608, 102228128, 4089184256, 150243136, 1015296),
    "shufflenet": (5680608, 5573280, 124664528, 46796160, 408384),
    "densenet121": (32584608, 32250016, 2834161664, 320482208, 1137408),
}


@pytest.mark.parametrize("name", FIGURES)
def test_that_the_figures_of_a_classic_network_are_exact(name: str) -> None:
    network = load_onnx(LIGHT_FOLDER / f"light_{name}.onnx", LoadOptions())
    graph = expand(network, TrainingOptions())
    found = (
        graph.weight_bytes,
        graph.trainable_bytes,
        graph.forward_macs,
        graph.forward_bytes,
        graph.saved_extra_bytes,
    )
    assert found == FIGURES[name]


def _macs_by_onnx(path: Path) -> int:
    """Multiply-accumulates of Conv and Gemm from onnx's shape inference, nothing of ours."""
    graph = onnx.shape_inference.infer_shapes(onnx.load(path)).graph
    shapes = {
        entry.name: [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
        for entry in (*graph.value_info, *graph.output, *graph.input)
    }
    total = 0
    for node in graph.node:
        if node.op_type in {"Conv", "Gemm"}:
            weight = shapes[
                node.input[1]
            ]  # [out, in / group, ...]; Gemm's is transposed: [out, in]
            # onnx leaves Gemm's output open behind a Reshape: one row of `out` numbers at batch 1.
            outputs = shapes[node.output[0]] if node.op_type == "Conv" else [1, weight[0]]
            total += math.prod(outputs) * math.prod(weight[1:])
    return total


@pytest.mark.parametrize("name", ["inception_v1", "inception_v2", "zfnet512"])
def test_that_the_other_classic_networks_import_by_the_same_rules(name: str) -> None:
    path = LIGHT_FOLDER / f"light_{name}.onnx"
    network = load_onnx(path, LoadOptions())
    graph = expand(network, TrainingOptions())
    assert network.values[network.outputs[0]].shape == (1, 1000)
    assert graph.forward_macs == _macs_by_onnx(path)


def test_that_a_batch_of_eight_is_eight_times_the_activations_of_resnet50() -> None:
    network = load_onnx(LIGHT_FOLDER / "light_resnet50.onnx", LoadOptions(batch=8))
    graph = expand(network, TrainingOptions())
    assert graph.forward_bytes == 8 * FIGURES["resnet50"][3]
    assert graph.forward_macs == 8 * FIGURES["resnet50"][2]
    assert graph.weight_bytes == FIGURES["resnet50"][0]
