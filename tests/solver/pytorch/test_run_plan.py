"""Claim: a plan trains outside this program, as plain PyTorch would, within what it promised.

Needs PyTorch, which is an optional extra. The runner is loaded from its file, as a user does.
"""

import errno
import importlib.util
import io
import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from solver import api
from solver.exporters.plan import PLAN, RUNNER
from solver.graph import TrainingGraph
from solver.loaders.options import LoadOptions
from solver.loaders.registry import load_file
from solver.problem import SolveOptions
from solver.schedule import ActionKind
from solver.simulate import Trace
from tests.helpers.pt2_archives import TINY_CNN, changed
from tests.helpers.traced import INPUT, SHAPE, traced
from tests.helpers.traced import MODULE as FILE
from tests.solver.loaders.test_pt2_file import MARK, evil

TOLERANCE = 1e-5
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:TF32 acceleration"),
]


@cache
def schedule(device: str, ratio: float, strategy: str) -> Trace:
    return solved(traced("net", INPUT), device, ratio, strategy)


@cache
def schedule_of_an_export() -> Trace:
    graph = load_file(TINY_CNN, LoadOptions(batch=4))
    assert isinstance(graph, TrainingGraph)
    return solved(graph, "rpi4", 0.7, "joint")


def solved(graph: TrainingGraph, device: str, ratio: float, strategy: str) -> Trace:
    problem = api.make_problem(graph, api.load_device(device), ram_ratio=ratio)
    outcome = api.solve(problem, SolveOptions(strategy=strategy, time_limit_s=20))
    trace = getattr(outcome, "trace", None)
    assert isinstance(trace, Trace), outcome
    return trace


def document(device: str = "rpi4", ratio: float = 0.6, strategy: str = "joint") -> Any:
    return json.loads(PLAN.export(schedule(device, ratio, strategy)))


@pytest.fixture(scope="module")
def runner() -> Any:
    path = Path(__file__).parents[3] / "resources" / "plan" / RUNNER
    spec = importlib.util.spec_from_file_location("run_plan", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def batches(count: int) -> list[tuple[Any, Any]]:
    generator = torch.Generator().manual_seed(7)
    return [
        (
            torch.randn(SHAPE, generator=generator),
            torch.randint(10, (SHAPE[0],), generator=generator),
        )
        for _ in range(count)
    ]


def trained(network: Any, step: Callable[[Any, Any], Any]) -> list[float]:
    """Losses of three steps of SGD with momentum; dropout draws from one seed."""
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    torch.manual_seed(3)
    losses = []
    for images, labels in batches(3):
        optimizer.zero_grad()
        losses.append(float(step(images, labels)))
        optimizer.step()
    return losses


def eagerly(network: Any) -> Callable[[Any, Any], Any]:
    def step(images: Any, labels: Any) -> Any:
        loss = torch.nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        return loss.detach()

    return step


@pytest.mark.parametrize(
    ("device", "ratio", "strategy", "kind"),
    [
        ("nrf52840", 0.7, "remat-only", ActionKind.RECOMPUTE),
        ("rpi4", 0.6, "joint", ActionKind.PAGE_IN),
    ],
)
def test_that_three_steps_are_those_of_plain_pytorch(
    runner: Any, device: str, ratio: float, strategy: str, kind: ActionKind
) -> None:
    plan = runner.Plan(document(device, ratio, strategy))
    assert kind in {each for each, _ in plan.actions}
    network, plain = plan.build(), plan.build()
    step = runner.Step(plan, network)
    assert trained(network, step) == pytest.approx(trained(plain, eagerly(plain)), rel=TOLERANCE)
    state = plain.state_dict()
    for name, tensor in network.state_dict().items():
        torch.testing.assert_close(tensor, state[name], rtol=TOLERANCE, atol=TOLERANCE)
    assert int(network.state_dict()["first.1.num_batches_tracked"]) == 3
    assert step.peak_bytes == plan.peak_bytes


def test_that_gradients_add_up_like_those_of_backward(runner: Any) -> None:
    plan = runner.Plan(document())
    network, plain = plan.build(), plan.build()
    step, eager = runner.Step(plan, network), eagerly(plain)
    for one in (step, eager):
        torch.manual_seed(3)
        for images, labels in batches(2):
            one(images, labels)
    for ours, theirs in zip(network.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=TOLERANCE, atol=TOLERANCE)


def remove(plan: Any, kind: str) -> int:
    """Take the first action of a kind out; its place."""
    place = next(k for k, each in enumerate(plan["actions"]) if each["kind"] == kind)
    del plan["actions"][place]
    return place


def free_early(plan: Any) -> None:
    """A tensor is freed one action early: before the op that reads it last."""
    actions = plan["actions"]
    made = {call["name"]: call["outputs"] for call in plan["program"]["calls"]}
    place = next(
        k
        for k, (before, each) in enumerate(pairwise(actions), 1)
        if before["kind"] == "compute"
        and each["kind"] == "free"
        and each["target"] not in made.get(before["target"], [])
    )
    actions.insert(place - 1, actions.pop(place))


def unwritten(plan: Any) -> None:
    remove(plan, "page_out")


def not_again(plan: Any) -> None:
    remove(plan, "recompute")


def missing(plan: Any) -> None:
    plan["actions"] = plan["actions"][: len(plan["actions"]) // 2]


def twice(plan: Any) -> None:
    plan["actions"].insert(1, plan["actions"][0])


def no_such_op(plan: Any) -> None:
    plan["actions"].insert(0, {"kind": "compute", "target": "guess"})


def guess(plan: Any) -> None:
    plan["actions"].insert(0, {"kind": "guess", "target": "input"})


def other_version(plan: Any) -> None:
    plan["version"] = 2


def no_program(plan: Any) -> None:
    del plan["program"]


def no_operator(plan: Any) -> None:
    plan["program"]["calls"][0]["target"] = "aten.guess.default"


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (free_early, r"action \d+, compute .* is not in memory"),
        (unwritten, r"was never written to storage"),
        (missing, r"no action makes"),
        (twice, r"action 2, compute input: it has run before"),
        (no_such_op, r"action 1, compute guess: the program has no such op"),
        (guess, r"no action of the kind 'guess'"),
        (other_version, r"version 2 is not known"),
        (no_program, r"damaged.*program"),
        (no_operator, r"has no aten.guess.default"),
    ],
)
def test_that_a_harmed_plan_is_told_and_leaves_the_network_alone(
    runner: Any, harm: Callable[[Any], None], words: str
) -> None:
    whole = document()
    network = runner.Plan(whole).build()
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    harm(whole)
    with pytest.raises(runner.PlanError, match=words):
        runner.Step(runner.Plan(whole), network)(*batches(1)[0])
    assert all(parameter.grad is None for parameter in network.parameters())
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, before[name])


def test_that_a_recompute_that_is_missing_is_told(runner: Any) -> None:
    plan = document("nrf52840", 0.7, "remat-only")
    not_again(plan)
    taken = runner.Plan(plan)
    with pytest.raises(runner.PlanError, match=r"action \d+, recompute .* is not in memory"):
        runner.Step(taken, taken.build())(*batches(1)[0])


def test_that_a_batch_of_another_size_is_refused(runner: Any) -> None:
    plan = runner.Plan(document())
    step = runner.Step(plan, plan.build())
    (images, labels), *_ = batches(1)
    with pytest.raises(runner.PlanError, match=r"input is \[2, 3, 8, 8\] float32, the plan is for"):
        step(images[:2], labels)
    with pytest.raises(runner.PlanError, match=r"takes 2 tensors: input, labels"):
        step(images)


def test_that_a_network_without_the_planned_state_is_refused(runner: Any) -> None:
    plan = runner.Plan(document())
    with pytest.raises(runner.PlanError, match=r"the network has no .*head\.bias"):
        runner.Step(plan, torch.nn.Linear(2, 2))


def test_that_a_module_that_has_changed_is_not_run(runner: Any, tmp_path: Path) -> None:
    (tmp_path / FILE.name).write_text("raise SystemExit(9)\n")
    plan = runner.Plan(document(), tmp_path)
    with pytest.raises(runner.PlanError, match="has changed since it was traced"):
        plan.build(tmp_path / FILE.name)


def test_that_of_a_batch_cut_from_a_larger_tensor_only_the_batch_is_kept(runner: Any) -> None:
    plan = runner.Plan(document())
    assert ("page_in", "input") in plan.actions
    step = runner.Step(plan, plan.build())
    (images, labels), *_ = batches(1)
    step(torch.cat([images] * 5)[8:12], torch.cat([labels] * 5)[8:12])
    assert step.peak_bytes == plan.peak_bytes


@pytest.mark.parametrize("fault", ["No space left", "it is shorter than what was written"])
def test_that_a_failing_disk_is_told_and_leaves_the_network_alone(
    runner: Any, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    class Disk(io.BytesIO):
        def flush(self) -> None:
            if fault == "No space left":
                raise OSError(errno.ENOSPC, "No space left on device")
            self.truncate(0)

        close = flush

    monkeypatch.setattr(runner.tempfile, "TemporaryFile", Disk)
    plan = runner.Plan(document())
    network = plan.build()
    with pytest.raises(runner.PlanError, match=rf"paged out, in .* fails: {fault}"):
        runner.Step(plan, network)(*batches(1)[0])
    assert all(parameter.grad is None for parameter in network.parameters())


@pytest.mark.parametrize("target", ["load_library.__call__", "aten.__class__", "aten.relu"])
def test_that_a_plan_calls_nothing_but_operators(runner: Any, target: str) -> None:
    plan = document()
    plan["program"]["calls"][0]["target"] = target
    taken = runner.Plan(plan)
    with pytest.raises(runner.PlanError, match=f"has no {target}"):
        runner.Step(taken, taken.build())(*batches(1)[0])


def test_that_an_exported_program_is_loaded_only_where_it_is_trusted(runner: Any) -> None:
    plan = runner.Plan(json.loads(PLAN.export(schedule_of_an_export())))
    with pytest.raises(runner.PlanError, match=r"tiny_cnn_train\.pt2.* say --trust-export"):
        plan.build()
    network, plain = plan.build(trust_export=True), plan.build(trust_export=True)
    step = runner.Step(plan, network)
    generator = torch.Generator().manual_seed(7)
    images = torch.randn(4, 3, 16, 16, generator=generator)
    labels = torch.randint(10, (4,), generator=generator)
    for one in (step, eagerly(plain)):
        torch.manual_seed(3)
        one(images, labels)
    for ours, theirs in zip(network.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=TOLERANCE, atol=TOLERANCE)
    assert step.peak_bytes == plan.peak_bytes


def test_that_an_export_that_has_changed_is_not_loaded(runner: Any, tmp_path: Path) -> None:
    plan = runner.Plan(json.loads(PLAN.export(schedule_of_an_export())), tmp_path)
    path = changed(tmp_path, entries={"data/sample_inputs/model.pt": evil(tmp_path)})
    with pytest.raises(runner.PlanError, match="has changed since it was traced"):
        plan.build(path, trust_export=True)
    assert not (tmp_path / MARK).exists()


def train_alone(folder: Path, trace: Trace, *options: str) -> "subprocess.CompletedProcess[str]":
    """Runs the exported files alone: Python is isolated, and nothing of this program is there."""
    (folder / "net.plan.json").write_bytes(PLAN.export(trace))
    for name, data in PLAN.companions().items():
        (folder / name).write_bytes(data)
    given = ["run_plan.py", "net.plan.json", *options]
    code = (
        f"import runpy, sys; sys.modules['solver'] = None; sys.argv = {given!r}; "
        "runpy.run_path('run_plan.py', run_name='__main__')"
    )
    command = [sys.executable, "-I", "-W", "ignore", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_that_plan_and_runner_train_in_a_folder_of_their_own(tmp_path: Path) -> None:
    done = train_alone(tmp_path, schedule("rpi4", 0.6, "joint"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("step 1: loss ")
    peak = schedule("rpi4", 0.6, "joint").peak_bytes
    assert f"peak {peak:,} B, promised {peak:,} B" in done.stdout


def test_that_the_runner_alone_trains_an_export_that_is_trusted(tmp_path: Path) -> None:
    trace = schedule_of_an_export()
    done = train_alone(tmp_path, trace, "--steps", "1")
    assert done.returncode == 1
    assert done.stdout == ""
    (sentence,) = done.stderr.splitlines()
    assert "--trust-export" in sentence
    done = train_alone(tmp_path, trace, "--steps", "1", "--trust-export")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == (
        f"peak {trace.peak_bytes:,} B, promised {trace.peak_bytes:,} B"
    )
