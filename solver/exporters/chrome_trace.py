"""A schedule as Chrome trace JSON, which Perfetto opens: one named lane per kind, RAM as a counter.

Format: the "Trace Event Format" of the Chromium project. Times are microseconds. All boundaries are
rounded to whole nanoseconds first, as Perfetto keeps them: neighbours on a lane then never overlap.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from solver import ENGINE_VERSION
from solver.exporters.base import ActionRow, action_rows
from solver.schedule import ActionKind
from solver.simulate import Trace

_PROCESS: Final = 1
_LANES: Final = {
    ActionKind.COMPUTE: "compute",
    ActionKind.RECOMPUTE: "recompute",
    ActionKind.PAGE_OUT: "page out",
    ActionKind.PAGE_IN: "page in",
    ActionKind.FREE: "free",
}
_LANE_IDS: Final = {kind: number for number, kind in enumerate(_LANES, 1)}
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
    for kind, lane in _LANES.items():
        of_lane = {"ph": "M", "pid": _PROCESS, "tid": _LANE_IDS[kind]}
        yield {**of_lane, "name": "thread_name", "args": {"name": lane}}
        yield {**of_lane, "name": "thread_sort_index", "args": {"sort_index": _LANE_IDS[kind]}}


def _events(trace: Trace) -> Iterator[dict[str, Any]]:
    graph = trace.problem.costed.graph
    yield _counter(_BUDGET, 0.0, trace.problem.budgets.ram_bytes)
    for row, action in zip(action_rows(trace), trace.schedule.actions, strict=True):
        yield _action(row)
        yield _counter(_MEMORY, row.start_s, row.resident_bytes)
        workspace = graph.ops[action.target].workspace_bytes if action.kind.runs_op else 0
        if workspace:
            end_s = row.start_s + row.duration_s
            yield _counter(_MEMORY, end_s, row.resident_bytes - workspace)
    yield _counter(_BUDGET, trace.runtime_s, trace.problem.budgets.ram_bytes)


def _action(row: ActionRow) -> dict[str, Any]:
    event: dict[str, Any] = {
        "name": row.op or row.tensor,
        "cat": row.kind.value,
        "pid": _PROCESS,
        "tid": _LANE_IDS[row.kind],
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
