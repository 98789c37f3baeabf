"""Claim: the recorded schedules of the acceptance networks, run again here, keep what they promise.

Needs PyTorch and some minutes; test_recorded.py holds the recorded replays against their schedules
without it.
"""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from solver.pytorch.replay import replay
from tests.solver.pytorch.record import trace_network
from tests.solver.pytorch.recorded import (
    MODULE,
    NETWORKS,
    recorded_graph,
    recorded_runs,
    recorded_trace,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:TF32 acceleration"),
]


@pytest.mark.parametrize("network", NETWORKS)
def test_that_the_recorded_graph_is_what_is_traced_now(network: str) -> None:
    recorded, now = recorded_graph(network), trace_network(network)
    assert now.ops == recorded.ops
    assert now.tensors == recorded.tensors


@pytest.mark.parametrize("network", NETWORKS)
def test_that_every_recorded_schedule_keeps_its_promise_again(
    network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = recorded_graph(network)
    monkeypatch.chdir(Path(MODULE).parent)
    for run in recorded_runs(network):
        report = replay(recorded_trace(run, graph), lambda done, of: None)
        assert report.agrees, (run.device, run.budget, report.fault, report.different)
        assert report.peak_bytes == run.report["peak_bytes"]
