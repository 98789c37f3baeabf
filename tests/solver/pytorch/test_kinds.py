"""Claim: networks of kinds that are easily traced wrong keep what a schedule of them promises."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from solver import api
from solver.costs import price
from solver.errors import EngineError
from solver.problem import SolveOptions
from solver.pytorch.replay import replay
from solver.replay_report import ReplayReport
from solver.simulate import Trace
from tests.helpers.traced import keep_all, traced

KINDS = Path(__file__).parents[2] / "data" / "torch" / "kinds.py"

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:TF32 acceleration")]


def replayed(trace: Trace) -> ReplayReport:
    return replay(trace, lambda done, of: None)


@pytest.mark.parametrize(
    "factory",
    [
        "called_twice", "writes_buffers", "expanded_buffer", "checkpointed", "drops_all",
        "complex_values", "padded_tokens", "attention", "several_inputs", "own_loss", "in_place",
        "channels_last", "float64", "bfloat16", "linear_algebra", "frozen_norm",
    ],
)  # fmt: skip
def test_that_a_schedule_just_above_the_floor_keeps_its_promise(factory: str) -> None:
    graph = traced(factory, file=KINDS, loss="own" if factory == "own_loss" else "softmax-ce")
    device = api.load_device("nrf52840")
    ram = price(graph, device).floor_bytes * 21 // 20
    outcome = api.solve(api.make_problem(graph, device, ram=ram), SolveOptions(work_limit=1.0))
    trace = getattr(outcome, "trace", None)
    assert isinstance(trace, Trace), outcome
    report = replayed(trace)
    assert report.fault == ""
    assert report.different == ()
    assert report.peak_bytes == trace.peak_bytes <= ram
    assert report.agrees


def test_that_a_network_that_is_not_the_same_twice_is_called_so() -> None:
    graph = traced("counting", file=KINDS)
    report = replayed(keep_all(price(graph, api.load_device("rpi4"))))
    assert report.unsteady
    assert report.different == ()
    assert not report.agrees


UNPOOLED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(2, return_indices=True)
        self.layer, self.back = nn.Conv2d(3, 4, 3, padding=1), nn.MaxUnpool2d(2)

    def forward(self, x):
        return self.back(*self.pool(self.layer(x))).mean((2, 3))

def net():
    return Net(), (torch.randn(2, 3, 8, 8),)
"""


def test_that_an_operator_without_deterministic_bits_is_told(tmp_path: Path) -> None:
    file = tmp_path / "nets.py"
    file.write_text(UNPOOLED, encoding="utf-8")
    trace = keep_all(price(traced("net", file=file), api.load_device("rpi4")))
    with pytest.raises(EngineError, match="max_unpool2d: PyTorch promises no bits"):
        replayed(trace)
