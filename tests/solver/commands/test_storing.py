"""Claim: `--store` starts a solve from what earlier ones proved; without it nothing is touched."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from solver.bracket_store import FILE_NAME, user_store_folder
from solver.cli import run
from tests.helpers.command import CHAIN, DEAR

SOLVE = ["solve", CHAIN, "--device", DEAR]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert user_store_folder().is_relative_to(tmp_path)
    return user_store_folder() / FILE_NAME


def solved(tmp_path: Path, *more: str, code: int = 0) -> dict[str, object]:
    path = tmp_path / "result.json"
    assert run([*SOLVE, *more, "--json", str(path)]) == code
    found = json.loads(path.read_bytes())
    assert isinstance(found, dict)
    return found


def steps(result: dict[str, object]) -> list[str]:
    solver = result["solver"]
    assert isinstance(solver, dict)
    return [point["step"] for point in solver["incumbents"]]


def test_that_nothing_is_stored_unless_asked_for(tmp_path: Path, cache: Path) -> None:
    solved(tmp_path, "--ram", "901120")
    solved(tmp_path, "--ram", "901120", "--no-store")
    assert not cache.exists()


def test_that_a_stored_optimum_answers_again_without_a_search(tmp_path: Path) -> None:
    first = solved(tmp_path, "--ram", "901120", "--store")
    again = solved(tmp_path, "--ram", "901120", "--store")
    assert "stored" not in steps(first)
    assert set(steps(again)) == {"stored"}
    assert again["status"] == first["status"] == "optimal"
    assert again["energy_j"] == first["energy_j"]
    assert again["bound_j"] == first["bound_j"]
    solver = again["solver"]
    assert isinstance(solver, dict)
    assert solver["name"] == "none"


def test_that_an_optimum_for_more_ram_is_one_from_its_own_peak_on(tmp_path: Path) -> None:
    """Its schedule needs 901120 B only, and its bound holds for less RAM, too."""
    loose = solved(tmp_path, "--ram", "1000000", "--store")
    tight = solved(tmp_path, "--ram", "910000", "--store", "--work-limit", "0")
    assert loose["peak_bytes"] == tight["peak_bytes"] == 901120
    assert tight["status"] == "optimal"
    assert tight["bound_j"] == loose["bound_j"]


def test_that_a_damaged_store_is_a_warning_and_the_solve_goes_on(
    tmp_path: Path, cache: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_bytes(b"no database" * 1000)
    assert solved(tmp_path, "--ram", "901120", "--store")["status"] == "optimal"
    assert "warning: the stored results were damaged" in capfd.readouterr().err
    with closing(sqlite3.connect(cache)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM schedules").fetchone()[0] > 0


def test_that_impossible_is_stored_too(tmp_path: Path) -> None:
    tight = ("--ram", "901120", "--no-paging", "--no-recompute")
    first = solved(tmp_path, *tight, "--store", code=3)
    again = solved(tmp_path, *tight, "--store", code=3)
    assert again["status"] == first["status"] == "infeasible"
    solver = again["solver"]
    assert isinstance(solver, dict)
    assert solver["name"] == "none"  # nothing was solved
