"""Claim: what was promised of a traced model's schedule happens on real tensors, to the bit.

Needs PyTorch, which is an optional extra; without it, recorded replays are compared elsewhere.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("torch")

from solver import api
from solver.costs import price
from solver.errors import EngineError
from solver.graph import TrainingGraph
from solver.problem import SolveOptions
from solver.pytorch.replay import ReplayReport, replay
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import Trace, simulate
from solver.verify import verify
from tests.helpers.traced import INPUT, keep_all, traced

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:TF32 acceleration"),
]


@pytest.fixture(scope="module")
def graph() -> TrainingGraph:
    return traced("net", INPUT)


def solved(graph: TrainingGraph, device: str, ratio: float, strategy: str = "joint") -> Trace:
    problem = api.make_problem(graph, api.load_device(device), ram_ratio=ratio)
    outcome = api.solve(problem, SolveOptions(strategy=strategy, time_limit_s=20))
    trace = getattr(outcome, "trace", None)
    assert isinstance(trace, Trace), outcome
    return trace


def run(trace: Trace) -> ReplayReport:
    return replay(trace, lambda done, of: None)


def changed(trace: Trace, actions: Sequence[Action]) -> Trace:
    """The trace with other actions, whatever the verifier says of them."""
    return replace(trace, schedule=Schedule(tuple(actions)))


def kinds(trace: Trace) -> set[ActionKind]:
    return {action.kind for action in trace.schedule.actions}


@pytest.mark.parametrize(
    ("device", "strategy"), [("nrf52840", "remat-only"), ("rpi4", "joint"), ("rpi4", "page-all")]
)
def test_that_gradients_are_bit_equal_and_the_peak_is_met_to_the_byte(
    graph: TrainingGraph, device: str, strategy: str
) -> None:
    trace = solved(graph, device, 0.75, strategy)
    report = run(trace)
    assert report.fault == ""
    assert report.different == ()
    assert report.gradients == 8
    assert report.peak_bytes == trace.peak_bytes
    assert report.eager_error is not None
    assert report.eager_error <= 1e-5
    assert report.agrees


def test_that_batch_norm_runs_again_and_leaves_its_statistics_alone(graph: TrainingGraph) -> None:
    trace = solved(graph, "nrf52840", 1.0, "keep-all")
    norm = graph.op_index["first.1.batch_norm"]
    first = next(
        place
        for place, action in enumerate(trace.schedule.actions)
        if action == Action(ActionKind.COMPUTE, norm)
    )
    actions = list(trace.schedule.actions)
    actions.insert(first + 1, Action(ActionKind.RECOMPUTE, norm))
    again = simulate(Schedule(tuple(actions)), trace.problem)
    assert verify(again.schedule, trace.problem).faults == ()
    assert run(again).agrees


def test_that_a_free_one_action_early_is_the_first_fault(graph: TrainingGraph) -> None:
    trace = solved(graph, "rpi4", 1.0, "keep-all")
    actions = list(trace.schedule.actions)
    relu = graph.tensor_index["first.2.relu"]
    place = actions.index(Action(ActionKind.FREE, relu))
    reader = max(
        k
        for k, action in enumerate(actions[:place])
        if action.kind is ActionKind.COMPUTE and relu in graph.op_inputs[action.target]
    )
    actions.insert(reader, actions.pop(place))
    assert verify(Schedule(tuple(actions)), trace.problem).faults
    report = run(changed(trace, actions))
    assert report.fault.startswith(f"action {reader + 2}, compute")
    assert "relu is not in RAM" in report.fault
    assert not report.agrees


def test_that_a_page_in_of_what_was_never_written_is_a_fault(graph: TrainingGraph) -> None:
    trace = solved(graph, "rpi4", 0.6)
    actions = [a for a in trace.schedule.actions if a.kind is not ActionKind.PAGE_OUT]
    if ActionKind.PAGE_OUT not in kinds(trace):
        pytest.fail("a schedule that pages nothing shows nothing")
    report = run(changed(trace, actions))
    assert "was never written to storage" in report.fault


def test_that_a_missing_recompute_is_a_fault(graph: TrainingGraph) -> None:
    trace = solved(graph, "nrf52840", 0.7, "remat-only")
    actions = list(trace.schedule.actions)
    again = [k for k, action in enumerate(actions) if action.kind is ActionKind.RECOMPUTE]
    del actions[again[0]]
    assert verify(Schedule(tuple(actions)), trace.problem).faults
    assert "is not in RAM" in run(changed(trace, actions)).fault


def test_that_a_second_draw_of_random_numbers_is_noticed(graph: TrainingGraph) -> None:
    """The verifier forbids it; a replay without the verifier sees other bytes."""
    trace = solved(graph, "rpi4", 1.0, "keep-all")
    drop = graph.op_index["drop.dropout"]
    actions = list(trace.schedule.actions)
    place = actions.index(Action(ActionKind.COMPUTE, drop))
    actions.insert(place + 1, Action(ActionKind.RECOMPUTE, drop))
    assert verify(Schedule(tuple(actions)), trace.problem).faults
    report = run(changed(trace, actions))
    assert "are not those of plain order" in report.fault
    assert report.different


def test_that_two_replays_are_the_same(graph: TrainingGraph) -> None:
    trace = solved(graph, "rpi4", 1.0, "keep-all")
    assert run(trace).loss == run(trace).loss


def with_call(graph: TrainingGraph, name: str, **changes: object) -> TrainingGraph:
    """The graph whose program makes another call of that name."""
    program = graph.program
    assert program is not None
    calls = [
        msgspec.structs.replace(call, **changes) if call.name == name else call
        for call in program.calls
    ]
    return replace(graph, program=msgspec.structs.replace(program, calls=calls))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"target": "aten.mm.default"}, "aten.mm.default fails"),
        ({"target": "aten.save.default"}, "no operator that a traced step may call"),
        ({"outputs": ["first.2.relu", "more"]}, "returns 1 values, the program names 2"),
    ],
)
def test_that_a_call_that_cannot_be_made_is_told(
    graph: TrainingGraph, changes: dict[str, object], told: str
) -> None:
    trace = solved(graph, "rpi4", 0.75, "page-all")
    costed = replace(trace.problem.costed, graph=with_call(graph, "first.2.relu", **changes))
    other = replace(trace, problem=replace(trace.problem, costed=costed))
    with pytest.raises(EngineError, match=told):
        run(other)


def test_that_a_full_disk_is_told(graph: TrainingGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    trace = solved(graph, "rpi4", 0.75, "page-all")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(EngineError, match="stands for storage cannot be used: No space left"):
        run(trace)


def test_that_a_file_cut_short_is_told(
    graph: TrainingGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = solved(graph, "rpi4", 0.75, "page-all")
    monkeypatch.setattr("os.fsync", lambda descriptor: os.ftruncate(descriptor, 0))
    with pytest.raises(EngineError, match="cannot be used: it is shorter than what was written"):
        run(trace)


TIED = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(10, 16), nn.Linear(16, 10)
        self.head.weight = self.table.weight

    def forward(self, x):
        return self.head(self.table(x))

def net():
    return Net()
"""


def test_that_tied_weights_have_one_gradient_that_is_eagers(tmp_path: Path) -> None:
    file = tmp_path / "nets.py"
    file.write_text(TIED, encoding="utf-8")
    tied = traced("net", "2x6:int64<10", file=file)
    assert {item.name for item in tied.trainable} == {"table.weight", "head.bias"}
    assert tied.trainable_bytes == (10 * 16 + 10) * 4
    report = run(keep_all(price(tied, api.load_device("rpi4"))))
    assert report.eager_error is not None
    assert report.eager_error <= 1e-5
    assert report.gradients == 2
    assert report.agrees


def test_that_a_module_of_two_names_is_trained_once(tmp_path: Path) -> None:
    file = tmp_path / "nets.py"
    file.write_text(
        "from torch import nn\n"
        "def net():\n"
        "    layer = nn.Linear(8, 8)\n"
        "    return nn.Sequential(layer, nn.Tanh(), layer)\n",
        encoding="utf-8",
    )
    graph = traced("net", "4x8", file=file)
    assert {item.name for item in graph.trainable} == {"0.weight", "0.bias"}
    report = run(keep_all(price(graph, api.load_device("rpi4"))))
    assert report.agrees


@pytest.mark.parametrize(
    "made",
    [
        "nn.Sequential(nn.BatchNorm1d(8), nn.Linear(8, 3))",  # no gradient of its input is made
        "nn.Sequential(nn.Linear(8, 3), Loss())",  # a scalar in a larger storage
    ],
)
def test_that_what_the_kernels_really_make_is_promised(tmp_path: Path, made: str) -> None:
    file = tmp_path / "nets.py"
    file.write_text(
        "import torch\n"
        "from torch import nn\n"
        "class Loss(nn.Module):\n"
        "    def forward(self, x):\n"
        "        return nn.functional.mse_loss(x, torch.zeros_like(x))\n"
        f"def net():\n    return {made}\n",
        encoding="utf-8",
    )
    loss = "own" if "Loss" in made else "softmax-ce"
    graph = traced("net", "4x8", file=file, loss=loss)
    assert run(keep_all(price(graph, api.load_device("rpi4")))).agrees
