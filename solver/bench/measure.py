"""Solving one row in this process, by the clock: what was known when, and the memory it took."""

import gc
import sys
import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

from solver import api
from solver.bench.records import PROVEN_GAP, Point, Row, RowResult, Run
from solver.bench.rows import ONNX_PREFIX
from solver.costs import price
from solver.events import Bound, Event, Incumbent
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.outcome import status_of
from solver.problem import Problem, SolveOptions, fingerprint

_WARM_UP_S: Final = 2.0
_BELOW_FLOOR: Final = "the budget is below the floor, {:.0%} of the plain peak"


def problem_of(row: Row) -> Problem:
    """The problem that `row` describes.

    Raises EngineError when its model cannot be loaded.
    """
    graph = api.load_training_graph(GraphRequest(_model(row.model), row.accounting)).graph
    device = api.load_device(row.device)
    ram = row.ram_bytes
    if row.of_floor is not None:
        ram = int(row.of_floor * price(graph, device).floor_bytes)
    return api.make_problem(
        graph,
        device,
        ram=ram,
        ram_ratio=row.share,
        runtime_ratio=row.runtime_ratio,
        io=row.io,
    )


def _model(name: str) -> str:
    if not name.startswith(ONNX_PREFIX):
        return name
    folder = Path(str(files("onnx"))) / "backend" / "test" / "data" / "light"
    return str(folder / f"{name.removeprefix(ONNX_PREFIX)}.onnx")


def measure(row: Row, limits_s: Sequence[float]) -> RowResult:
    """Solve `row` once per limit, after one small solve that leaves nothing to import or to fill.

    A row below the floor is not solved: its note says so.
    """
    _warm_up()
    problem = problem_of(row)
    costed = problem.costed
    below = problem.budgets.ram_bytes < costed.floor_bytes
    share = costed.floor_bytes / costed.plain_peak_bytes
    runs = () if below else tuple(_run(problem, limit_s) for limit_s in limits_s)
    return RowResult(
        name=row.name,
        problem=fingerprint(problem),
        ops=len(costed.graph.ops),
        tensors=len(costed.graph.tensors),
        baseline_j=costed.baseline_energy_j,
        plain_peak_bytes=costed.plain_peak_bytes,
        floor_bytes=costed.floor_bytes,
        ram_bytes=problem.budgets.ram_bytes,
        runtime_s=problem.budgets.runtime_s,
        memory_bytes=peak_memory_bytes(),
        runs=runs,
        note=_BELOW_FLOOR.format(share) if below else "",
    )


def _warm_up() -> None:
    """Solve the smallest network: the window's solve process has its libraries loaded as well."""
    graph = api.load_training_graph(GraphRequest("linear", Accounting.POET)).graph
    problem = api.make_problem(graph, api.load_device("nrf52840"), ram_ratio=0.6)
    api.solve(problem, SolveOptions(gap=0.0, time_limit_s=_WARM_UP_S))


def _run(problem: Problem, limit_s: float) -> Run:
    gc.collect()
    history = _History(problem.costed.baseline_energy_j)
    outcome = api.solve(problem, SolveOptions(gap=PROVEN_GAP, time_limit_s=limit_s), history.take)
    wall_s = history.elapsed_s
    return Run(
        limit_s=limit_s,
        wall_s=wall_s,
        status=status_of(outcome),
        verified=api.audited(outcome) is outcome,
        points=tuple(history.points),
    )


class _History:
    """Events of one solve as points of time, by a clock that starts before the solve does."""

    def __init__(self, baseline_j: float) -> None:
        self._energy_j: float | None = None
        self._bound_j = baseline_j
        self.points: list[Point] = []
        self._began = time.perf_counter()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self._began

    def take(self, event: Event) -> None:
        """Note a better schedule or bound."""
        if isinstance(event, Incumbent):
            self._energy_j = event.energy_j
        if isinstance(event, Incumbent | Bound):
            self._bound_j = max(self._bound_j, event.bound_j)
            self.points.append(Point(self.elapsed_s, event.step, self._energy_j, self._bound_j))


def peak_memory_bytes() -> int | None:
    """Largest resident size of this process so far; None where the system does not tell."""
    try:
        import resource  # noqa: PLC0415 - POSIX only
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # Linux counts in KiB
