"""Claim: a saved result is read whole and checked, here or by the reading process alike."""

import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from solver.codec import encode_json
from solver.errors import ModelError
from solver.outcome import Feasible, NoAnswer, Optimal
from solver.reading import ReadingCancelledError, ReadingLimits, read_result
from solver.saved_result import SavedResult, load_result, may_be_result
from tests.helpers.command import GRAPHS
from tests.helpers.results import result_of_kind


def saved(folder: Path, kind: str, **changes: Any) -> Path:
    """A file with the result of that kind, some of its fields changed."""
    document = json.loads(encode_json(result_of_kind(kind))) | changes
    path = folder / f"{kind}.json"
    path.write_text(json.dumps(document))
    return path


def told(result: SavedResult | None) -> dict[str, Any]:
    """What the result says, with its trace as lists."""
    assert result is not None
    outcome = result.outcome
    said: dict[str, Any] = {f.name: getattr(outcome, f.name) for f in fields(outcome)}
    if isinstance(outcome, Optimal | Feasible):
        trace = outcome.trace
        said["trace"] = (trace.schedule, trace.start_s.tolist(), trace.resident_bytes.tolist())
    problem = result.problem
    graph = problem.costed.graph
    where = (result.source, result.sha256, graph.ops, graph.tensors, graph.settings)
    return said | {"kind": type(outcome), "of": (problem.budgets, problem.switches), "in": where}


def test_that_the_reading_process_gives_back_what_the_file_says(tmp_path: Path) -> None:
    path = saved(tmp_path, "optimal")

    assert told(read_result(path)) == told(load_result(path))


@pytest.mark.usefixtures("files_read_here")
@pytest.mark.parametrize("kind", ["feasible", "no_answer", "failed"])
def test_that_what_passes_between_the_processes_is_the_same(kind: str, tmp_path: Path) -> None:
    path = saved(tmp_path, kind)

    assert told(read_result(path)) == told(load_result(path))


@pytest.mark.usefixtures("files_read_here")
def test_that_a_bound_that_was_not_there_yet_stays_none(tmp_path: Path) -> None:
    solver = json.loads(encode_json(result_of_kind("no_answer")))["solver"]
    solver["incumbents"][0]["bound_j"] = None
    result = read_result(saved(tmp_path, "no_answer", solver=solver))

    assert result is not None
    assert isinstance(result.outcome, NoAnswer)
    assert result.outcome.record.incumbents[0].bound_j == -float("inf")


def test_that_the_format_may_stand_far_behind(tmp_path: Path) -> None:
    document = json.loads(encode_json(result_of_kind("failed")))
    path = tmp_path / "far.json"
    document["warnings"] = ["x" * 70_000]
    path.write_text(json.dumps({"warnings": document.pop("warnings"), **document}))

    assert path.read_bytes().index(b'"format"') > 65_536
    assert load_result(path) is not None


@pytest.mark.usefixtures("files_read_here")
def test_that_a_file_of_another_kind_is_no_result(tmp_path: Path) -> None:
    graph, other = GRAPHS / "01_chain.json", tmp_path / "other.json"
    other.write_text('{"a": 1}')

    assert not may_be_result(graph)  # it says what it is at once
    assert may_be_result(other)  # the format may come later
    assert not may_be_result(tmp_path / "nothing.json")
    assert read_result(graph) is None
    assert read_result(other) is None


@pytest.mark.usefixtures("files_read_here")
def test_that_a_result_that_lies_is_refused_with_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as refused:
        read_result(saved(tmp_path, "optimal", peak_bytes=1))

    assert "peak" in refused.value.issues[0].message
    assert refused.value.issues[0].where.endswith("optimal.json")


def test_that_no_more_than_twenty_faults_are_told(tmp_path: Path) -> None:
    actions = json.loads(encode_json(result_of_kind("optimal")))["actions"]
    for action in actions:
        action["energy_j"] = 7.0
    assert len(actions) > 20
    with pytest.raises(ModelError) as refused:
        load_result(saved(tmp_path, "optimal", actions=actions))

    assert len(refused.value.issues) == 20


def test_that_reading_a_result_without_end_is_stopped_or_cancelled(tmp_path: Path) -> None:
    path = saved(tmp_path, "failed")
    endless = (sys.executable, "-c", "import sys, time; sys.stdin.read(); time.sleep(3600)")
    with pytest.raises(ModelError, match="took longer than 200 ms"):
        read_result(path, limits=ReadingLimits(seconds=0.2), command=endless)
    with pytest.raises(ReadingCancelledError):
        read_result(path, cancelled=lambda: True, command=endless)


def test_that_a_result_larger_than_its_memory_is_one_sentence(tmp_path: Path) -> None:
    path = saved(tmp_path, "failed", warnings=["x"] * 1_000_000)
    # Held as text, as objects and as a second copy: 5 MB take more than the space for code alone.
    limits = ReadingLimits(memory_bytes=150 * 2**20, memory_per_byte=1)
    with pytest.raises(ModelError, match="of memory"):
        read_result(path, limits=limits)
