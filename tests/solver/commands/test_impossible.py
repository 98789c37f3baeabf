"""Claim: what `poet solve` says would work works, and a byte less is impossible."""

import json
from pathlib import Path

import pytest

from solver import impossible as explaining
from solver.cli import run
from tests.helpers.command import DEAR, GRAPHS, Document, solve_and_check

FILES = sorted(path.name for path in GRAPHS.glob("0*.json"))
RANDOM = sorted(f"random/{path.name}" for path in (GRAPHS / "random").glob("*_0[0-3].json"))
LEAST_WITHOUT_PAGING = {
    file: facts["one_byte_less_than_min"]["budget"] + 1
    for file, facts in json.loads((GRAPHS / "expected.json").read_text()).items()
    if facts.get("one_byte_less_than_min")
}
"""Bytes, from an exhaustive dynamic programme (tests/data/graphs/README.md)."""


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The searches end by their work: what is claimed must not depend on the clock."""
    monkeypatch.setattr(explaining, "PATIENCE_S", 3600.0)


def impossible(folder: Path, file: str, *options: str) -> Document:
    """The result of an impossible solve; `poet check` finds no fault in it."""
    solved = solve_and_check(folder, str(GRAPHS / file), DEAR, *options)
    assert solved.code == 3
    assert run(["check", str(folder / "result.json")]) == 0
    return solved.result


def works(folder: Path, file: str, *options: str) -> bool:
    """Whether a schedule is found; else its absence is proven."""
    solved = solve_and_check(folder, str(GRAPHS / file), DEAR, *options)
    assert solved.code in {0, 3}
    return solved.code == 0


def assert_least_ram_works(folder: Path, file: str) -> None:
    """Ask at the floor without paging, take the answer, and a byte less."""
    graph_path = folder / "graph.json"
    run(["graph", str(GRAPHS / file), "--device", DEAR, "--json", str(graph_path)])
    floor = json.loads(graph_path.read_text())["floor_bytes"]
    if works(folder, file, "--no-paging", "--ram", str(floor)):
        return
    reason = impossible(folder, file, "--no-paging", "--ram", str(floor))["reason"]
    assert reason["limit"] == "ram"
    assert reason["exact"]
    assert reason["missing"] == reason["needed"] - floor
    if file in LEAST_WITHOUT_PAGING:
        assert reason["needed"] == LEAST_WITHOUT_PAGING[file]
    assert works(folder, file, "--no-paging", "--ram", str(reason["needed"]))
    assert not works(folder, file, "--no-paging", "--ram", str(reason["needed"] - 1))


def assert_least_runtime_works(folder: Path, file: str) -> None:
    """Ask for the baseline's runtime in the middle of floor and plain peak; take the answer."""
    graph_path = folder / "graph.json"
    run(["graph", str(GRAPHS / file), "--device", DEAR, "--json", str(graph_path)])
    graph = json.loads(graph_path.read_text())
    ram = str((graph["floor_bytes"] + graph["plain_peak_bytes"]) // 2)
    limit_s = repr(graph["baseline"]["runtime_s"])
    budgets = ("--io", "blocking", "--ram", ram)
    if works(folder, file, *budgets, "--runtime", limit_s):
        return
    result = impossible(folder, file, *budgets, "--runtime", limit_s)
    reason = result["reason"]
    assert reason["limit"] == "runtime"
    assert reason["exact"]
    assert "the least RAM that works within" in result["message"]
    assert works(folder, file, *budgets, "--runtime", repr(reason["needed"]))
    less = reason["needed"] * (1 - 1e-5)
    assert not works(folder, file, *budgets, "--runtime", repr(less))


@pytest.mark.slow
@pytest.mark.parametrize("file", [*FILES, *RANDOM])
def test_that_the_least_ram_of_every_graph_works(file: str, tmp_path: Path) -> None:
    assert_least_ram_works(tmp_path, file)


@pytest.mark.slow
@pytest.mark.parametrize("file", [*FILES, *RANDOM])
def test_that_the_least_runtime_of_every_graph_works(file: str, tmp_path: Path) -> None:
    assert_least_runtime_works(tmp_path, file)
