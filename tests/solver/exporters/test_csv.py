"""Claim: the CSV table holds every action in full, so that its columns add up to the headline."""

import csv
import io

import pytest

from solver.exporters.csv import CSV, csv_text
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import Trace, simulate
from tests.helpers.builders import Line, graph_of, problem_of
from tests.helpers.schedules import random_legal_schedule


def paged() -> Trace:
    """A is made (1000 FLOP, 100 B), paged out, freed, paged in; "b, x" reads it."""
    graph = graph_of([Line("a", "f", 100, 1000), Line('b, "x"', "f", 50, 2000, ("a",))])
    actions = [
        Action(ActionKind.COMPUTE, 0),
        Action(ActionKind.PAGE_OUT, 0),
        Action(ActionKind.FREE, 0),
        Action(ActionKind.PAGE_IN, 0),
        Action(ActionKind.COMPUTE, 1),
    ]
    return simulate(Schedule(tuple(actions)), problem_of(graph, 1000))


def rows(trace: Trace) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(csv_text(trace))))


def test_that_every_action_is_one_row_in_issue_order() -> None:
    # 1 MFLOP/s and 1e-6 J/FLOP; transfers at 1e5 B/s and 1 W: 100 B take 1 ms and 1 mJ.
    found = rows(paged())
    assert [row["kind"] for row in found] == [
        "compute", "page_out", "free", "page_in", "compute",
    ]  # fmt: skip
    assert [row["op"] for row in found] == ["a", "", "", "", 'b, "x"']
    assert [row["tensor"] for row in found] == ["", "a", "a", "a", ""]
    assert [int(row["bytes"]) for row in found] == [100, 100, 100, 100, 50]
    assert [int(row["resident_bytes"]) for row in found] == [100, 100, 0, 100, 150]
    assert [float(row["start_s"]) for row in found] == pytest.approx(
        [0, 0.001, 0.002, 0.002, 0.003]
    )
    assert [float(row["energy_j"]) for row in found] == pytest.approx([1e-3, 1e-3, 0, 1e-3, 2e-3])


@pytest.mark.parametrize("seed", range(5))
def test_that_the_energy_column_adds_up_to_the_headline(seed: int) -> None:
    trace = simulate(*random_legal_schedule(seed))
    found = rows(trace)
    assert len(found) == len(trace.schedule.actions)
    assert sum(float(row["energy_j"]) for row in found) == pytest.approx(
        trace.total_energy_j, rel=1e-12
    )
    assert max(float(row["start_s"]) + float(row["duration_s"]) for row in found) == trace.runtime_s
    assert max(int(row["resident_bytes"]) for row in found) == trace.peak_bytes


def test_that_the_file_is_the_text_in_utf8() -> None:
    assert CSV.export(paged()).decode() == csv_text(paged())
