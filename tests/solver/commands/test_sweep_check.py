"""Claim: `poet check` verifies every point of a sweep, and what the points say together."""

import json
from pathlib import Path

import pytest

from solver.cli import run
from tests.helpers.sweeping import read


def test_that_check_verifies_each_point_of_a_full_sweep(
    full: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(full)]) == 0
    out = capsys.readouterr().out
    assert "ok: a sweep of 8 points, " in out
    assert "not checked: the bounds, and that nothing fits" in out


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
    # A loose point claims to need what the tightest does: each alone holds, both cannot.
    document = read(full)
    loose, tight = document["points"][-2], document["points"][0]
    budget = loose["budget"]
    loose.update({key: tight[key] for key in ("energy_j", "bound_j", "gap", "status", "stop_reason",
                 "runtime_s", "peak_bytes", "actions", "solver", "message")})  # fmt: skip
    loose["budget"] = budget
    path = tmp_path / "false.json"
    path.write_text(json.dumps(document))

    assert run(["check", str(path)]) == 1
    assert "joint: the bound of" in capsys.readouterr().out


def test_that_check_of_a_slim_sweep_says_what_is_missing(
    slim: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(slim)]) == 1
    assert "make the sweep with --full" in capsys.readouterr().err
