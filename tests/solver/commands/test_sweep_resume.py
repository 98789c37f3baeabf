"""Claim: a sweep goes on from an earlier one of the same question, and keeps what stands up."""

import json
from pathlib import Path

import pytest

from solver.cli import run
from solver.codec import decode_sweep
from tests.helpers.sweeping import EFFORT, SWEEP, read


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


LINEAR = ("sweep", "linear", "--accounting", "poet", "--strategy", "keep-all", "--jobs", "1")


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A slim sweep of two points of another network."""
    path = str(tmp_path_factory.mktemp("sweep") / "earlier.json")
    assert run([*LINEAR, "--device", "mkr1000", "--points", "2", "--json", path]) == 0
    return path


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
    arguments: list[str], words: str, earlier: str, capfd: pytest.CaptureFixture[str]
) -> None:
    device = [] if "--device" in arguments else ["--device", "mkr1000"]

    assert run([*LINEAR, *device, *arguments, "--resume", earlier]) == 2
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
