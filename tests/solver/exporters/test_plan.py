"""Claim: a plan holds the schedule and what it runs; the runner lies beside it and is not lost."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from solver.cli import run
from solver.codec.plan import PlanDocument
from solver.errors import EngineError
from solver.exporters.base import write_companions
from solver.exporters.csv import CSV
from solver.exporters.plan import PLAN, RUNNER
from solver.schedule import ActionKind
from solver.schemas import schema_issues
from solver.simulate import simulate
from tests.helpers.command import GRAPHS
from tests.helpers.schedules import random_legal_schedule
from tests.helpers.traced import FILE, keep_all, traced_costed, traced_graph


def test_that_a_plan_names_every_action_in_order() -> None:
    trace = keep_all(traced_costed())
    plan = msgspec.json.decode(PLAN.export(trace), type=PlanDocument)
    graph = traced_graph()
    assert len(plan.actions) == len(trace.schedule.actions)
    for written, action in zip(plan.actions, trace.schedule.actions, strict=True):
        listed = graph.ops if action.kind.runs_op else graph.tensors
        assert (written.kind, written.target) == (action.kind, listed[action.target].name)
    assert plan.actions[0].kind is ActionKind.COMPUTE
    assert plan.program == graph.program


def test_that_a_plan_promises_what_the_schedule_costs() -> None:
    trace = keep_all(traced_costed())
    plan = msgspec.json.decode(PLAN.export(trace), type=PlanDocument)
    assert plan.promised.peak_bytes == trace.peak_bytes
    assert plan.promised.energy_j == trace.total_energy_j
    assert plan.promised.runtime_s == trace.runtime_s
    assert plan.device == "rpi4"


def test_that_a_plan_obeys_its_schema() -> None:
    document = json.loads(PLAN.export(keep_all(traced_costed())))
    assert schema_issues(document, "poet.plan") == ()
    document["actions"][0]["kind"] = "guess"
    assert "actions" in str(schema_issues(document, "poet.plan")[0])


def test_that_a_model_that_was_not_traced_has_no_plan() -> None:
    with pytest.raises(EngineError, match=r"was not traced.*poet trace"):
        PLAN.export(simulate(*random_legal_schedule(1)))


def test_that_the_runner_is_written_beside_a_plan(tmp_path: Path) -> None:
    said = write_companions(PLAN, tmp_path / "net.plan.json")
    assert said == (f"{RUNNER} is beside net.plan.json.",)
    runner = (tmp_path / RUNNER).read_text("utf-8")
    compile(runner, RUNNER, "exec")
    assert "import solver" not in runner
    assert write_companions(PLAN, tmp_path / "net.plan.json") == ()


def test_that_a_runner_that_was_changed_stays(tmp_path: Path) -> None:
    (tmp_path / RUNNER).write_text("mine")
    (said,) = write_companions(PLAN, tmp_path / "net.plan.json")
    assert "left as it is" in said
    assert (tmp_path / RUNNER).read_text() == "mine"


def test_that_other_formats_bring_nothing_along(tmp_path: Path) -> None:
    assert write_companions(CSV, tmp_path / "table.csv") == ()
    assert list(tmp_path.iterdir()) == []


def test_that_the_command_writes_plan_and_runner(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.plan.json"
    arguments = ["--device", "rpi4", "--strategy", "keep-all", "--ram-ratio", "1"]
    assert run(["solve", str(FILE), *arguments, "--plan", str(path)]) == 0
    assert "run_plan.py is beside net.plan.json" in capfd.readouterr().err
    assert msgspec.json.decode(path.read_bytes(), type=PlanDocument).name == "small_net"
    assert (tmp_path / RUNNER).exists()


def test_that_the_command_says_before_the_solve_that_there_can_be_no_plan(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "plan.json"
    chain = str(GRAPHS / "01_chain.json")
    assert run(["solve", chain, "--device", "rpi4", "--plan", str(path)]) == 1
    assert "was not traced" in capfd.readouterr().err
    assert not path.exists()


INTERRUPTED = "import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)\n"


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_that_the_runner_is_interrupted_in_silence_while_pytorch_is_imported(
    tmp_path: Path,
) -> None:
    (tmp_path / "torch.py").write_text(INTERRUPTED, encoding="utf-8")  # stands for PyTorch
    (tmp_path / "run_plan.py").write_bytes(PLAN.companions()["run_plan.py"])
    command = [sys.executable, "run_plan.py", "net.plan.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGINT  # which a shell calls 130
    assert done.stderr == ""
