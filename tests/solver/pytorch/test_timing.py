"""Claim: every op of a traced step is timed, and `poet profile` makes a device that solves."""

import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

from solver.cli import run
from solver.device_files import read_device_file
from solver.errors import EngineError
from solver.loaders.options import LoadOptions
from solver.loaders.poet_graph import load
from solver.pytorch.machine import Machine
from solver.pytorch.timing import TimingPlan, _samples, time_ops

FOLDER = Path(__file__).parents[2] / "data" / "torch"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:TF32 acceleration"),
]
QUICK = ["--threads", "1", "--time-limit", "1"]


@pytest.fixture(autouse=True)
def _beside_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


def test_that_each_op_is_timed_once_per_round_at_least() -> None:
    graph = load(FOLDER / "small_net.json", LoadOptions())
    assert graph.program is not None
    seen: list[int] = []
    timings = time_ops(graph, graph.program, TimingPlan(0.5, 1), lambda done, _: seen.append(done))
    assert [timing.op for timing in timings] == [op.name for op in graph.ops]
    assert all(timing.median_s > 0 for timing in timings)
    assert all(len(timing.samples_s) >= 2 for timing in timings)  # one in each of two rounds
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) % len(graph.ops) == 0


def test_that_an_op_slower_than_its_part_of_the_time_runs_twice_a_round() -> None:
    runs: list[int] = []

    def slow() -> None:
        runs.append(1)
        time.sleep(0.02)

    (sample,) = _samples(slow, 0.01, time.perf_counter)
    assert len(runs) == 2
    assert sample >= 0.02


def test_that_an_op_that_this_machine_cannot_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = load(FOLDER / "small_net.json", LoadOptions())
    assert graph.program is not None

    def lacking(_machine: Machine, op: str) -> object:
        raise NotImplementedError(f"not implemented for 'Half'\nin {op}")

    monkeypatch.setattr(Machine, "prepared", lacking)
    with pytest.raises(EngineError) as raised:
        time_ops(graph, graph.program, TimingPlan(0.5, 1), lambda _done, _of: None)
    (issue,) = raised.value.issues
    assert issue.where == f"op {graph.ops[0].name}"
    assert issue.message == "cannot be run here: not implemented for 'Half'"


def test_that_a_convolution_takes_longer_than_an_addition() -> None:
    graph = load(FOLDER / "small_net.json", LoadOptions())
    assert graph.program is not None
    timings = time_ops(graph, graph.program, TimingPlan(0.5, 1), lambda _done, _of: None)
    median = {timing.op: timing.median_s for timing in timings}
    assert median["first.0.convolution"] > median["first.1.add"]  # of one number


def test_that_a_profiled_board_solves_with_its_table(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ["profile", "small_net.py:net", "--input", "4x3x8x8", "--name", "desk", "--power", "4"]
    where = ["--folder", str(tmp_path), "--storage", str(tmp_path)]
    assert run([*asked, *where, *QUICK]) == 0
    toml, table = tmp_path / "desk.toml", tmp_path / "desk.costs.csv"
    device = read_device_file(toml)
    assert device.flop_per_s / device.flop_per_j == pytest.approx(4)
    result = str(tmp_path / "r.json")
    solve = ["solve", "small_net.json", "--device", str(toml), "--profile", str(table)]
    assert run([*solve, "--ram-ratio", "0.6", "--strategy", "page-all", "--json", result]) == 0
    assert "the seconds of 28 and the joules of 28 of 28 ops" in capfd.readouterr().err
    assert run(["check", result]) == 0
    assert run([*asked, *where, *QUICK]) == 0
    out = capfd.readouterr().out
    assert "within 25% of each other; 90% is wanted (28 ops)" in out


def test_that_a_hand_made_device_is_not_written_over(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text("by hand")
    asked = ["profile", "small_net.json", "--name", "mine", "--folder", str(tmp_path)]
    assert run(asked) == 2
    assert "no profile has made it" in capfd.readouterr().err
    assert (tmp_path / "mine.toml").read_text() == "by hand"


def test_that_a_model_that_was_not_traced_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ["profile", "resnet18_cifar", "--name", "b", "--folder", str(tmp_path), *QUICK]
    assert run(asked) == 1
    assert "was not traced" in capfd.readouterr().err
