"""A schedule as Chrome trace JSON, which Perfetto opens: named lanes, RAM as a counter.

One lane per kind of action; where transfers overlap, one for the processor and one for transfers.

Format: the "Trace Event Format" of the Chromium project. Times are microseconds. All boundaries are
rounded to whole nanoseconds first, as Perfetto keeps them: neighbours on a lane then never overlap.
"""

import json
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any, Final

from solver import ENGINE_VERSION
from solver.action_rows import ActionRow, action_rows
from solver.device import IoMode
from solver.schedule import ActionKind
from solver.simulate import Trace, at_or_after

_PROCESS: Final = 1
_KINDS: Final = {
    ActionKind.COMPUTE: "compute",
    ActionKind.RECOMPUTE: "recompute",
    ActionKind.PAGE_OUT: "page out",
    ActionKind.PAGE_IN: "page in",
    ActionKind.FREE: "free",
}
_UNITS: Final = {
    ActionKind.COMPUTE: "processor",
    ActionKind.RECOMPUTE: "processor",
    ActionKind.PAGE_OUT: "transfers",
    ActionKind.PAGE_IN: "transfers",
    ActionKind.FREE: "free",
}
_MEMORY: Final = "RAM in use (bytes)"
_BUDGET: Final = "RAM budget (bytes)"


def chrome_trace_text(trace: Trace) -> str:
    """The lanes, actions and RAM of `trace` as one JSON document."""
    problem = trace.problem
    document = {
        "traceEvents": [*_names(trace), *_events(trace)],
        "displayTimeUnit": "ms",
        "otherData": {
            "program": f"POET Explorer {ENGINE_VERSION}",
            "model": problem.costed.graph.name,
            "device": problem.costed.device.id,
            "ram_budget_bytes": problem.budgets.ram_bytes,
            "runtime_budget_s": problem.budgets.runtime_s,
            "energy_j": trace.total_energy_j,
            "runtime_s": trace.runtime_s,
            "peak_bytes": trace.peak_bytes,
        },
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class _ChromeTrace:
    name = "chrome-trace"
    summary = "Chrome trace for Perfetto (JSON)"
    suffix = ".trace.json"

    def export(self, trace: Trace) -> bytes:
        return chrome_trace_text(trace).encode()


CHROME_TRACE = _ChromeTrace()


def _names(trace: Trace) -> Iterator[dict[str, Any]]:
    costed = trace.problem.costed
    title = f"{costed.graph.name} on {costed.device.name}"
    yield {"ph": "M", "pid": _PROCESS, "name": "process_name", "args": {"name": title}}
    for lane, number in _lane_ids(trace).items():
        of_lane = {"ph": "M", "pid": _PROCESS, "tid": number}
        yield {**of_lane, "name": "thread_name", "args": {"name": lane}}
        yield {**of_lane, "name": "thread_sort_index", "args": {"sort_index": number}}


def _lanes(trace: Trace) -> Mapping[ActionKind, str]:
    return _UNITS if trace.problem.switches.io is IoMode.OVERLAPPED else _KINDS


def _lane_ids(trace: Trace) -> dict[str, int]:
    return {lane: number for number, lane in enumerate(dict.fromkeys(_lanes(trace).values()), 1)}


def _events(trace: Trace) -> Iterator[dict[str, Any]]:
    lanes, ids = _lanes(trace), _lane_ids(trace)
    yield _counter(_BUDGET, 0.0, trace.problem.budgets.ram_bytes)
    level = _Level()
    for row, action in zip(action_rows(trace), trace.schedule.actions, strict=True):
        yield from level.until(row.start_s)
        yield _action(row, ids[lanes[row.kind]])
        op = trace.problem.costed.graph.ops[action.target] if action.kind.runs_op else None
        yield level.at(row, None if op is None else op.workspace_bytes)
    yield from level.until(inf)
    yield _counter(_BUDGET, trace.runtime_s, trace.problem.budgets.ram_bytes)


class _Level:
    """RAM in use: it steps at every action, and falls when an op gives its workspace back."""

    def __init__(self) -> None:
        self._bytes = 0
        self._workspace = 0
        self._end_s = inf

    def until(self, time_s: float) -> Iterator[dict[str, Any]]:
        """The fall of a workspace that ends before `time_s`."""
        if self._workspace and at_or_after(time_s, self._end_s):
            yield _counter(_MEMORY, self._end_s, self._bytes - self._workspace)
            self._workspace = 0

    def at(self, row: ActionRow, workspace: int | None) -> dict[str, Any]:
        """The level from an action on; `workspace` is that of an op, None for other actions."""
        self._bytes = row.resident_bytes
        if workspace is not None:
            self._workspace, self._end_s = workspace, row.start_s + row.duration_s
        return _counter(_MEMORY, row.start_s, row.resident_bytes)


def _action(row: ActionRow, lane: int) -> dict[str, Any]:
    event: dict[str, Any] = {
        "name": row.op or row.tensor,
        "cat": row.kind.value,
        "pid": _PROCESS,
        "tid": lane,
        "ts": _microseconds(row.start_s),
        "args": {
            "action": row.position,
            "energy_j": row.energy_j,
            "bytes": row.bytes,
            "resident_bytes": row.resident_bytes,
        },
    }
    if row.kind is ActionKind.FREE:
        return {**event, "ph": "i", "s": "t"}
    end = _microseconds(row.start_s + row.duration_s)
    return {**event, "ph": "X", "dur": round(end - event["ts"], 3)}


def _counter(name: str, time_s: float, size: int) -> dict[str, Any]:
    time_us = _microseconds(time_s)
    return {"ph": "C", "pid": _PROCESS, "name": name, "ts": time_us, "args": {"bytes": size}}


def _microseconds(time_s: float) -> float:
    return round(time_s * 1e9) / 1e3
