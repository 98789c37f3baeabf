"""Claim: `poet sweep` writes what the contract says, also when interrupted, and goes on from it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from solver.cli import run
from solver.codec import Origin, decode_sweep
from solver.commands.sweep_desk import SweepDesk, SweepOrder
from solver.problem import Budgets, SolveOptions
from solver.schemas import schema_issues
from solver.sweep import SweepPoint
from solver.sweep_run import StrategySweep, SweepSettings
from tests.helpers.command import DEVICES, GRAPHS
from tests.helpers.results import outcome_of_kind, small_problem

CHAIN = str(GRAPHS / "01_chain.json")
DEAR = str(DEVICES / "dear.toml")
SWEEP = ["sweep", CHAIN, "--device", DEAR]
QUICK = [*SWEEP, "--strategy", "page-all,sqrt-n", "--jobs", "1"]
EFFORT = ["--jobs", "1", "--work-limit", "1"]

Document = dict[str, Any]


def read(path: Path) -> Document:
    document: Document = json.loads(path.read_bytes())
    return document


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A full sweep of 8 points of the joint strategy."""
    path = tmp_path_factory.mktemp("sweep") / "full.json"
    assert run([*SWEEP, "--points", "8", "--full", *EFFORT, "--json", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def slim(full: Path) -> Path:
    """The same without schedules and graph."""
    document = read(full)
    for point in document["points"]:
        del point["actions"], point["problem"]
    path = full.with_name("slim.json")
    path.write_text(json.dumps(document))
    return path


@pytest.mark.slow
def test_that_a_sweep_of_8_is_monotone(full: Path) -> None:
    points = read(full)["points"]
    rams = [point["budget"]["ram_bytes"] for point in points]
    energies = [point["energy_j"]["total"] for point in points]

    assert len(points) == 8
    assert rams == sorted(set(rams))
    assert energies == sorted(energies, reverse=True)
    assert all(point["bound_j"] <= point["energy_j"]["total"] for point in points)
    # No bound lies above the schedule of a tighter budget.
    for k, point in enumerate(points):
        assert all(point["bound_j"] <= other["energy_j"]["total"] for other in points[:k])


def test_that_both_ends_are_among_the_points_and_the_top_level_stands_once(full: Path) -> None:
    document = read(full)
    points = document["points"]

    assert list(document) == [
        "format", "version", "axis", "model", "device", "settings", "floor_bytes",
        "plain_peak_bytes", "points",
    ]  # fmt: skip
    assert (document["format"], document["version"]) == ("poet.sweep", 1)
    assert points[0]["budget"]["ram_bytes"] == document["floor_bytes"]
    assert points[-1]["budget"]["ram_bytes"] == document["plain_peak_bytes"]
    assert document["settings"]["strategy"] == "joint"
    assert document["model"] == points[0]["model"]


def test_that_full_and_slim_obey_the_schema(full: Path, slim: Path) -> None:
    assert schema_issues(read(full), "poet.sweep") == ()
    assert schema_issues(read(slim), "poet.sweep") == ()
    broken = read(slim)
    del broken["floor_bytes"]
    assert len(schema_issues(broken, "poet.sweep")) == 1


def test_that_without_full_the_points_hold_no_actions_and_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    assert run([*QUICK, "--points", "3", "--json", str(path)]) == 0

    for point in read(path)["points"]:
        assert point["format"] == "poet.result"
        assert "actions" not in point
        assert "problem" not in point


def test_that_check_verifies_each_point_of_a_full_sweep(
    full: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(full)]) == 0
    assert "ok: a sweep of 8 points, " in capsys.readouterr().out


def test_that_check_finds_a_false_point(
    full: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = read(full)
    document["points"][3]["peak_bytes"] += 1
    document["points"][0], document["points"][1] = document["points"][1], document["points"][0]
    document["floor_bytes"] += 1
    path = tmp_path / "false.json"
    path.write_text(json.dumps(document))

    assert run(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert "points[3]: peak" in out
    assert "points[1] is out of order" in out
    assert "points[0].floor_bytes is not that of the sweep" in out


def test_that_check_finds_a_false_axis(
    full: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "false.json"
    path.write_text(json.dumps({**read(full), "axis": "runtime"}))

    assert run(["check", str(path)]) == 1
    assert "axis: runtime, but the points have several RAM budgets" in capsys.readouterr().out


def test_that_check_finds_a_bound_that_a_tighter_schedule_undercuts(
    full: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The loosest point claims to need what the tightest does: each alone holds, both cannot.
    document = read(full)
    last, first = document["points"][-1], document["points"][0]
    budget = last["budget"]
    last.update({key: first[key] for key in ("energy_j", "bound_j", "gap", "status", "stop_reason",
                 "runtime_s", "peak_bytes", "actions", "solver", "message")})  # fmt: skip
    last["budget"] = budget
    path = tmp_path / "false.json"
    path.write_text(json.dumps(document))

    assert run(["check", str(path)]) == 1
    assert "joint: the bound of" in capsys.readouterr().out


def test_that_check_of_a_slim_sweep_says_what_is_missing(
    slim: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(slim)]) == 1
    assert "make the sweep with --full" in capsys.readouterr().err


@pytest.mark.slow
def test_that_the_table_shows_every_point_and_marks_a_knee(
    capsys: pytest.CaptureFixture[str],
) -> None:
    linear = ["sweep", "linear", "--accounting", "poet", "--device", "nrf52840"]
    assert run([*linear, "--points", "8", *EFFORT]) == 0
    out = capsys.readouterr().out

    lines = out.splitlines()
    assert lines[0].startswith("joint, ")
    assert "along RAM: 8 points" in lines[0]
    heads = ["RAM", "energy", "overhead", "bound", "gap", "page-ins", "page-outs", "reruns"]
    assert lines[1].split() == heads
    assert sum(line.startswith("*") for line in lines[2:10]) >= 1
    assert any(line.startswith("* knee: ") for line in lines)
    assert lines[-1].endswith("of the axis is certified within 1.0 % of the energy")


def test_that_json_on_stdout_stands_alone(capfd: pytest.CaptureFixture[str]) -> None:
    assert run([*QUICK, "--points", "3", "--json", "-"]) == 0
    out, err = capfd.readouterr()

    assert json.loads(out)["format"] == "poet.sweep"
    assert "page-all, " in err


@pytest.mark.slow
def test_that_several_strategies_give_a_curve_each_in_the_order_given(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    arguments = ["--strategy", "sqrt-n", "--strategy", "keep-all,page-all,sqrt-n"]
    assert run([*SWEEP, *arguments, "--points", "3", "--json", str(path)]) == 0

    document = read(path)
    names = [point["settings"]["strategy"] for point in document["points"]]
    assert set(names) == {"sqrt-n", "keep-all", "page-all"}
    assert document["settings"]["strategy"] == "sqrt-n"
    assert names[-3:] == ["sqrt-n", "keep-all", "page-all"]  # all at the plain peak


@pytest.mark.slow
def test_that_one_job_and_a_work_limit_give_the_same_sweep_again(
    full: Path, tmp_path: Path
) -> None:
    path = tmp_path / "again.json"
    assert run([*SWEEP, "--points", "8", "--full", *EFFORT, "--json", str(path)]) == 0

    def timeless(document: Document) -> Document:
        for point in document["points"]:
            del point["solver"]
        return document

    assert timeless(read(path)) == timeless(read(full))


@pytest.mark.slow
@pytest.mark.parametrize("keep_schedules", [True, False])
def test_that_resuming_solves_only_what_is_missing(
    keep_schedules: bool,  # noqa: FBT001 - a parameter of the test
    full: Path,
    slim: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    document = read(full if keep_schedules else slim)
    kept = document["points"][:5]
    document["points"] = kept
    earlier, path = tmp_path / "earlier.json", tmp_path / "sweep.json"
    earlier.write_text(json.dumps(document))

    options = ["--points", "8", *EFFORT, "--resume", str(earlier), "--json", str(path)]
    code = run([*SWEEP, *options, *["--full"] * keep_schedules])

    assert code == 0
    points = read(path)["points"]
    assert len(points) == 8
    # Those of before are there as they were, with the times of their own solves.
    assert all(point in points for point in kept)
    assert "5 of 5 points are taken from" in capfd.readouterr().err


def test_that_a_whole_sweep_is_resumed_without_a_solve(
    full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("a solve process was started")

    monkeypatch.setattr("solver.solve_pool.SolveProcess", refuse)
    path = tmp_path / "sweep.json"
    options = ["--points", "8", *EFFORT, "--full", "--resume", str(full), "--json", str(path)]

    assert run([*SWEEP, *options]) == 0
    assert read(path) == read(full)


@pytest.mark.slow
def test_that_cancelled_and_failed_points_are_solved_again(full: Path, tmp_path: Path) -> None:
    document = read(full)
    document["points"][2]["status"] = "feasible"
    document["points"][2]["stop_reason"] = "cancelled"
    earlier, path = tmp_path / "earlier.json", tmp_path / "sweep.json"
    earlier.write_text(json.dumps(document))
    options = ["--points", "8", *EFFORT, "--resume", str(earlier), "--json", str(path)]

    assert run([*SWEEP, *options]) == 0
    points = decode_sweep(path.read_bytes()).points
    assert len(points) == 8
    assert all(point.stop_reason != "cancelled" for point in points)


def test_that_a_schedule_that_does_not_stand_up_is_solved_again(
    full: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    document = read(full)
    del document["points"][2]["actions"][0]
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(document))

    assert run([*SWEEP, "--points", "7", *EFFORT, "--resume", str(earlier)]) == 0
    assert "7 of 8 points are taken from" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--weights", "resident"], "settings"),
        (["--axis", "runtime"], "axis"),
        (["--device", "nrf52840"], "device"),
        (["--full"], "the earlier sweep holds no schedules"),
    ],
)
def test_that_a_sweep_of_another_question_is_not_resumed(
    arguments: list[str], words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    linear = ["sweep", "linear", "--accounting", "poet", "--strategy", "keep-all", "--jobs", "1"]
    path = str(tmp_path / "sweep.json")
    assert run([*linear, "--device", "mkr1000", "--points", "2", "--json", path]) == 0
    device = [] if "--device" in arguments else ["--device", "mkr1000"]

    assert run([*linear, *device, *arguments, "--resume", path]) == 2
    assert words in capfd.readouterr().err


def test_that_figures_that_contradict_each_other_are_not_taken(
    slim: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    document = read(slim)
    document["points"][1]["peak_bytes"] = document["points"][1]["budget"]["ram_bytes"] + 1
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json.dumps(document))

    assert run([*SWEEP, "--resume", str(earlier)]) == 1
    assert "points[1]: its peak, runtime, energy and bound contradict" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--ram", "1MiB"], 2, "--ram: --axis ram varies this budget"),
        (["--axis", "runtime", "--runtime", "3s"], 2, "--runtime: --axis runtime varies"),
        (["--axis", "map", "--ram-ratio", "0.5"], 2, "--ram-ratio: --axis map varies"),
        (["--strategy", "joint,sqrtn"], 2, "did you mean sqrt-n"),
        (["--points", "1"], 2, "--points"),
        (["--jobs", "0"], 2, "--jobs"),
        (["--gap", "-1"], 2, "--gap"),
        (["--resume", "nowhere.json"], 1, "nowhere.json"),
        (["--json", "no/such/folder.json"], 1, "cannot write"),
    ],
)
def test_that_wrong_usage_is_said_before_any_solve(
    arguments: list[str], code: int, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run([*SWEEP, *arguments]) == code
    assert words in capfd.readouterr().err


def test_that_an_impossible_sweep_ends_with_3(capfd: pytest.CaptureFixture[str]) -> None:
    assert run([*QUICK, "--runtime", "1us"]) == 3
    assert "impossible" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("kinds", "code"),
    [
        (["failed", "no_answer", "infeasible", "feasible"], 0),
        (["infeasible", "infeasible"], 3),
        (["infeasible", "no_answer"], 4),  # not all are impossible
        (["infeasible", "no_answer", "failed"], 1),
        ([], 4),
    ],
)
def test_that_the_exit_code_is_that_of_all_points_together(kinds: list[str], code: int) -> None:
    problem = small_problem()
    order = SweepOrder(problem, Origin("net"), ["joint"], SweepSettings(), SolveOptions())
    desk = SweepDesk(order)
    for ram, kind in enumerate(kinds, 3004):
        point = SweepPoint(Budgets(ram), outcome_of_kind(kind, problem))
        desk._add(StrategySweep("joint", problem, SweepSettings()), point)

    assert desk.exit_code == code


def start(path: Path, *arguments: str) -> subprocess.Popen[str]:
    """A sweep that takes minutes, in a session of its own, with Ctrl+C not ignored."""
    line = ["sweep", "vgg16", "--device", "nrf52840", "--points", "20", "--gap", "0", "--jobs", "2"]
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from solver.cli import main; main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *line, *arguments, "--json", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until_written(path: Path, process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Wait until some points stand in the file; the solve processes that run then."""
    deadline = time.monotonic() + 120
    while not path.exists():
        assert process.poll() is None, "the sweep ended by itself"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return psutil.Process(process.pid).children(recursive=True)


@pytest.mark.slow
def test_that_ctrl_c_keeps_the_points_and_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    process = start(path)
    children = until_written(path, process)

    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert process.returncode == 130
    assert "interrupted: the points so far are kept" in err
    assert "along RAM" in out
    document = read(path)
    assert len(document["points"]) >= 1
    assert schema_issues(document, "poet.sweep") == ()
    assert children
    _, alive = psutil.wait_procs(children, timeout=5)
    assert alive == []


@pytest.mark.slow
def test_that_a_killed_sweep_leaves_its_file_and_no_process(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    process = start(path)
    children = until_written(path, process)

    process.kill()
    process.communicate(timeout=30)

    assert len(read(path)["points"]) >= 1
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []


@pytest.mark.slow
def test_that_a_killed_solve_process_does_not_end_the_sweep(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    process = start(path, "--time-limit", "2", "--points", "4")
    children = until_written(path, process)
    for child in children:
        child.kill()
    process.communicate(timeout=120)

    assert process.returncode == 0
    assert len(read(path)["points"]) == 4
