"""Claim: an exported program is traced and replayed like a module, and runs nothing else.

Needs PyTorch; tests/solver/loaders/test_pt2_file.py tests what is refused before PyTorch sees it.
"""

import warnings
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from solver import api
from solver.errors import ModelError, UsageError
from solver.graph import Role, TrainingGraph, Weights
from solver.graph_request import GraphRequest
from solver.loaders.options import LoadOptions
from solver.loaders.registry import load_file
from solver.problem import SolveOptions
from solver.pytorch.replay import replay
from solver.reading import read_model
from solver.simulate import Trace
from tests.helpers.pt2_archives import TINY_CNN, changed, program
from tests.solver.loaders.test_pt2_file import MARK, evil

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:TF32 acceleration"),
]


@pytest.fixture(scope="module")
def tiny() -> TrainingGraph:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = load_file(TINY_CNN, LoadOptions(batch=4))
    assert isinstance(graph, TrainingGraph)
    return graph


def test_that_sizes_and_work_are_those_of_the_network(tiny: TrainingGraph) -> None:
    sizes = {tensor.name: tensor.bytes for tensor in tiny.tensors}
    assert sizes["input"] == 4 * 3 * 16 * 16 * 4
    assert sizes["c1.convolution"] == 4 * 8 * 16 * 16 * 4
    # 8 channels by 3x3x3, 8 by 3x3x8 on 16x16, and 512 numbers (8 x 8 x 8 after the pool) to 10
    assert tiny.forward_macs == 4 * (256 * 8 * 27 + 256 * 8 * 72 + 512 * 10)
    parameters = 8 * 27 + 8 + 8 + 8 + 8 * 72 + 8 + 512 * 10 + 10
    assert tiny.trainable_bytes == 4 * parameters
    assert {tensor.role for tensor in tiny.tensors} >= {Role.MASK, Role.INDICES, Role.STATISTICS}


def test_that_the_batch_and_the_open_size_are_written_down(tiny: TrainingGraph) -> None:
    assert tiny.settings.batch == 4
    assert tiny.report is not None
    assert [size.name for size in tiny.report.open_sizes] == ["s77"]


def test_that_a_schedule_of_it_keeps_its_promise(tiny: TrainingGraph) -> None:
    problem = api.make_problem(tiny, api.load_device("rpi4"), ram_ratio=0.7)
    outcome = api.solve(problem, SolveOptions(time_limit_s=20))
    trace = getattr(outcome, "trace", None)
    assert isinstance(trace, Trace)
    report = replay(trace, lambda done, of: None)
    assert report.agrees, report
    assert report.gradients == 8
    assert report.peak_bytes == trace.peak_bytes


def test_that_loss_and_weights_are_those_asked_for() -> None:
    options = LoadOptions(weights=Weights.RESIDENT, loss="mse")
    graph = load_file(TINY_CNN, options)
    assert isinstance(graph, TrainingGraph)
    assert graph.fixed_bytes == graph.weight_bytes
    assert graph.settings.loss == "mse"
    (labels,) = (tensor for tensor in graph.tensors if tensor.role is Role.LABEL)
    assert labels.shape == (2, 10)  # the least batch that the export allows
    with pytest.raises(UsageError, match="unknown loss"):
        load_file(TINY_CNN, LoadOptions(loss="huber"))


def test_that_a_program_exported_for_inference_is_told(tmp_path: Path) -> None:
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4)).eval()
    exported = torch.export.export(network, (torch.ones(2, 3, 8, 8),))
    torch.export.save(exported, tmp_path / "net.pt2")
    graph = load_file(tmp_path / "net.pt2", LoadOptions(loss="sum"))
    assert isinstance(graph, TrainingGraph)
    assert "batch_norm was exported for inference" in graph.warnings[0]


def test_that_a_program_of_another_version_is_one_sentence(tmp_path: Path) -> None:
    document = program()
    document["schema_version"]["major"] = 99
    document["torch_version"] = "9.9.0"
    with pytest.raises(ModelError, match=r"exported by PyTorch 9\.9\.0, and this one"):
        load_file(changed(tmp_path, program=document), LoadOptions())


def test_that_opening_it_in_the_reading_process_runs_nothing(tmp_path: Path) -> None:
    """Handed to torch.export.load as it is, the example inputs would be unpickled."""
    path = changed(tmp_path, entries={"data/sample_inputs/model.pt": evil(tmp_path)})
    model = read_model(GraphRequest(str(path), loss="sum", batch=3))
    assert not (tmp_path / MARK).exists()
    assert model.graph.settings.batch == 3
    assert model.graph.program is not None
    assert model.graph.program.source.kind == "pt2"


def test_that_the_mark_would_be_made_if_the_archive_were_loaded_as_it_is(tmp_path: Path) -> None:
    path = changed(tmp_path, entries={"data/sample_inputs/model.pt": evil(tmp_path)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError):
            torch.export.load(path)
    assert (tmp_path / MARK).exists()
