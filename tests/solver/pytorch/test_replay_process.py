"""Claim: a schedule is run in a process of its own, and whatever the user's module does is told.

Needs PyTorch, which is an optional extra, but for the test of what happens without it.
"""

import hashlib
import queue
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest

from solver.graph import TrainingGraph
from solver.run_messages import RunDone, RunEvent, RunRefused, RunRequest, RunStep
from solver.run_process import RUN_COMMAND, RunProcess
from solver.schedule import Schedule
from solver.simulate import Trace
from tests.helpers.traced import FILE, keep_all, traced_costed

pytestmark = pytest.mark.slow
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")
WAIT_S = 240


def run(
    request: RunRequest, folder: Path, command: tuple[str, ...] = RUN_COMMAND
) -> list[RunEvent]:
    """Every event of a run, its answer last."""
    events: queue.SimpleQueue[RunEvent | None] = queue.SimpleQueue()
    process = RunProcess(
        request,
        lambda _, event: events.put(event),
        lambda _: events.put(None),
        folder=folder,
        command=command,
    )
    found = []
    try:
        while (event := events.get(timeout=WAIT_S)) is not None:
            found.append(event)
    finally:
        process.close()
    return found


def edited(graph: TrainingGraph, **changes: object) -> TrainingGraph:
    """The graph with another source of its program."""
    assert graph.program is not None
    source = msgspec.structs.replace(graph.program.source, **changes)
    return replace(graph, program=msgspec.structs.replace(graph.program, source=source))


def request_of(
    trace: Trace, edit: Callable[[TrainingGraph], TrainingGraph] | None = None
) -> RunRequest:
    request = RunRequest.of(trace)
    return request if edit is None else msgspec.structs.replace(request, graph=edit(request.graph))


@needs_torch
def test_that_a_schedule_is_run_and_reported() -> None:
    trace = keep_all(traced_costed())
    *steps, answer = run(RunRequest.of(trace), FILE.parent)
    assert isinstance(answer, RunDone)
    assert answer.report.agrees
    assert answer.report.fault_action is None
    assert answer.report.peak_bytes == trace.peak_bytes
    total = len(trace.schedule.actions)
    assert steps[-1] == RunStep(total, total)


@needs_torch
def test_that_the_place_of_the_first_fault_is_told() -> None:
    trace = keep_all(traced_costed())
    actions = list(trace.schedule.actions)
    free = next(k for k, action in enumerate(actions) if not action.kind.runs_op)
    actions.insert(free, actions[free])
    packed = RunRequest.of(replace(trace, schedule=Schedule(tuple(actions))))
    *_, answer = run(packed, FILE.parent)
    assert isinstance(answer, RunDone)
    assert answer.report.fault_action == free + 1
    assert answer.report.fault.startswith(f"action {free + 2}, free")


@needs_torch
def test_that_a_module_that_has_changed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "small_net.py").write_text("raise SystemExit(9)\n")
    request = request_of(
        keep_all(traced_costed()), lambda graph: edited(graph, file="small_net.py")
    )
    *_, answer = run(request, tmp_path)
    assert isinstance(answer, RunRefused)
    assert "has changed since it was traced" in str(answer.issues[0])
    assert answer.details == ""


@needs_torch
def test_that_what_the_module_prints_harms_nothing(tmp_path: Path) -> None:
    text = (FILE.parent / "small_net.py").read_text("utf-8")
    (tmp_path / "noisy.py").write_text(f"print('hello' * 1000)\ninput_ = open(0).read()\n{text}")
    digest = hashlib.sha256((tmp_path / "noisy.py").read_bytes()).hexdigest()
    request = request_of(
        keep_all(traced_costed()), lambda graph: edited(graph, file="noisy.py", sha256=digest)
    )
    *_, answer = run(request, tmp_path)
    assert isinstance(answer, RunDone), answer
    assert answer.report.agrees


def test_that_without_pytorch_the_answer_is_one_sentence() -> None:
    code = (
        "import importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest); "
        "from solver.pytorch.replay_process import main; main()"
    )
    trace = keep_all(traced_costed())
    *_, answer = run(RunRequest.of(trace), FILE.parent, (sys.executable, "-P", "-c", code))
    assert isinstance(answer, RunRefused)
    assert "needs PyTorch, which is not installed here" in str(answer.issues[0])
