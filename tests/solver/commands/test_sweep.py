"""Claim: `poet sweep` writes what the contract says, and its exit code is that of all points."""

import json
from pathlib import Path

import pytest

from solver.cli import run
from solver.codec import Origin
from solver.commands.sweep_desk import SweepDesk, SweepOrder
from solver.problem import Budgets, SolveOptions
from solver.schemas import schema_issues
from solver.sweep import SweepPoint
from solver.sweep_run import StrategySweep, SweepSettings
from tests.helpers.command import Document
from tests.helpers.results import outcome_of_kind, small_problem
from tests.helpers.sweeping import EFFORT, QUICK, SWEEP, read


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
