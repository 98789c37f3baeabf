"""Claim: the Chrome trace has named lanes, whole events in microseconds, and RAM in bytes."""

import json
from typing import Any

import pytest

from solver.device import IoMode
from solver.exporters.chrome_trace import CHROME_TRACE, chrome_trace_text
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import Trace, simulate
from tests.helpers.builders import Line, graph_of, problem_of
from tests.helpers.schedules import random_legal_schedule
from tests.helpers.traces import beside_trace


def events(trace: Trace, phase: str) -> list[dict[str, Any]]:
    document = json.loads(chrome_trace_text(trace))
    return [event for event in document["traceEvents"] if event["ph"] == phase]


def paged() -> Trace:
    graph = graph_of(
        [Line("a", "f", 100, 1000), Line("b", "f", 50, 2000.5, ("a",), workspace=7)], fixed_bytes=3
    )
    actions = [
        Action(ActionKind.COMPUTE, 0),
        Action(ActionKind.PAGE_OUT, 0),
        Action(ActionKind.FREE, 0),
        Action(ActionKind.PAGE_IN, 0),
        Action(ActionKind.COMPUTE, 1),
        Action(ActionKind.RECOMPUTE, 0),
    ]
    return simulate(Schedule(tuple(actions)), problem_of(graph, 1000))


def test_that_lanes_and_the_process_have_names() -> None:
    names = {
        event["tid"]: event["args"]["name"]
        for event in events(paged(), "M")
        if event["name"] == "thread_name"
    }
    assert list(names.values()) == ["compute", "recompute", "page out", "page in", "free"]
    (process,) = [event for event in events(paged(), "M") if event["name"] == "process_name"]
    assert process["args"]["name"] == "test on test"
    assert {event["tid"] for event in events(paged(), "X")} <= set(names)


def test_that_actions_are_whole_events_in_microseconds_on_their_lane() -> None:
    # 1 MFLOP/s: 1000 FLOP = 1000 us, 2000.5 FLOP = 2000.5 us; 100 B at 1e5 B/s = 1000 us.
    found = events(paged(), "X")
    assert [(event["name"], event["cat"]) for event in found] == [
        ("a", "compute"), ("a", "page_out"), ("a", "page_in"), ("b", "compute"), ("a", "recompute"),
    ]  # fmt: skip
    assert [event["ts"] for event in found] == [0, 1000, 2000, 3000, 5000.5]
    assert [event["dur"] for event in found] == [1000, 1000, 1000, 2000.5, 1000]
    assert [event["tid"] for event in found] == [1, 3, 4, 1, 2]
    assert sum(event["args"]["energy_j"] for event in found) == pytest.approx(
        paged().total_energy_j
    )


def test_that_a_free_is_an_instant() -> None:
    (free,) = events(paged(), "i")
    assert (free["name"], free["ts"], free["s"]) == ("a", 2000, "t")


def test_that_ram_is_a_counter_in_bytes_that_falls_with_the_workspace() -> None:
    counters = [event for event in events(paged(), "C") if event["name"].startswith("RAM in use")]
    # 3 fixed; a 100; out; freed; in; b 50 and 7 of workspace, which end with b; a again in place.
    assert [(event["ts"], event["args"]["bytes"]) for event in counters] == [
        (0, 103), (1000, 103), (2000, 3), (2000, 103), (3000, 160), (5000.5, 153), (5000.5, 153),
    ]  # fmt: skip


def test_that_the_budget_is_a_counter_over_the_whole_step() -> None:
    budget = [event for event in events(paged(), "C") if event["name"].startswith("RAM budget")]
    assert [(event["ts"], event["args"]["bytes"]) for event in budget] == [
        (0, 1000),
        (6000.5, 1000),
    ]


@pytest.mark.parametrize("seed", range(5))
def test_that_neighbours_on_a_lane_never_overlap(seed: int) -> None:
    assert_lanes_in_order(simulate(*random_legal_schedule(seed)))


def assert_lanes_in_order(trace: Trace) -> None:
    ends: dict[int, int] = {}
    for event in events(trace, "X"):
        start = round(event["ts"] * 1000)
        assert start >= ends.get(event["tid"], 0)
        ends[event["tid"]] = start + round(event["dur"] * 1000)


def test_that_the_head_says_what_was_solved() -> None:
    head = json.loads(CHROME_TRACE.export(paged()))["otherData"]
    assert (head["model"], head["device"], head["ram_budget_bytes"]) == ("test", "test", 1000)
    assert head["energy_j"] == paged().total_energy_j
    assert head["peak_bytes"] == 160


def test_that_overlapping_transfers_have_a_lane_beside_that_of_the_processor() -> None:
    trace = beside_trace()
    names = [event["args"]["name"] for event in events(trace, "M") if "name" in event["args"]]
    assert names[1:] == ["processor", "transfers", "free"]
    found = events(trace, "X")
    assert [(event["name"], event["tid"], event["ts"]) for event in found] == [
        ("a", 1, 0), ("b", 1, 1000), ("a", 2, 1000), ("c", 1, 4000), ("a", 2, 4000), ("g", 1, 6000),
    ]  # fmt: skip


def test_that_ram_falls_with_a_workspace_while_others_run_beside_it() -> None:
    # b ends at 4 ms and gives 6 B back, then a is freed and c issued.
    counters = [e for e in events(beside_trace(), "C") if e["name"].startswith("RAM in use")]
    assert [(event["ts"], event["args"]["bytes"]) for event in counters] == [
        (0, 100), (1000, 146), (1000, 146), (4000, 140), (4000, 40), (4000, 50), (4000, 150),
        (6000, 160),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_that_neighbours_on_a_lane_of_an_overlapped_schedule_never_overlap(seed: int) -> None:
    assert_lanes_in_order(simulate(*random_legal_schedule(seed, io=IoMode.OVERLAPPED)))
