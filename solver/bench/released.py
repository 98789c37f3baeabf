"""Measuring the released formulation in HiGHS: the same clock, its own model of memory."""

import time

from solver.bench.measure import peak_memory_bytes, problem_of
from solver.bench.records import Point, ReleasedResult, Row
from solver.milp.backend import Ending, MipResult, Session
from solver.milp.released_model import ReleasedModel


def measure_released(row: Row, limit_s: float) -> ReleasedResult:
    """Build the released rows for `row` and let HiGHS search for `limit_s` seconds, one thread."""
    problem = problem_of(row)
    began = time.perf_counter()
    model = ReleasedModel(problem)
    built = model.problem()
    began, build_s = time.perf_counter(), time.perf_counter() - began
    history = _History(began, model.joules)
    session = Session(
        built,
        threads=1,
        seed=0,
        stop=lambda: history.elapsed_s >= limit_s,
        time_left_s=lambda: limit_s - history.elapsed_s,
        spend_simplex=lambda: None,
        spend_mip=lambda: None,
    )
    cost = model.objective()
    result = session.solve(
        absolute_gap=1e-6,
        start=None,
        on_solution=lambda x: history.found(float(cost @ x)),
        on_bound=history.proved,
    )
    return ReleasedResult(
        name=row.name,
        baseline_j=problem.costed.baseline_energy_j,
        columns=model.columns,
        rows=model.rows,
        build_s=build_s,
        limit_s=limit_s,
        wall_s=history.elapsed_s,
        memory_bytes=peak_memory_bytes(),
        points=tuple(history.ended(result)),
    )


class _History:
    """Objective values of one search as points of time, J."""

    def __init__(self, began: float, joules: float) -> None:
        self._began = began
        self._joules = joules
        self._energy_j: float | None = None
        self._bound_j = 0.0
        self._points: list[Point] = []

    @property
    def elapsed_s(self) -> float:
        """Seconds since HiGHS got the rows."""
        return time.perf_counter() - self._began

    def found(self, objective: float) -> None:
        """Note a better solution."""
        energy_j = objective * self._joules
        if self._energy_j is None or energy_j < self._energy_j:
            self._energy_j = energy_j
            self._note()

    def proved(self, bound: float) -> None:
        """Note a better bound."""
        if bound * self._joules > self._bound_j:
            self._bound_j = bound * self._joules
            self._note()

    def ended(self, result: MipResult) -> list[Point]:
        """All points, with what HiGHS told at the end only."""
        if result.objective is not None:
            self.found(result.objective)
        if result.ending is not Ending.INFEASIBLE:
            self.proved(result.bound)
        return self._points

    def _note(self) -> None:
        self._points.append(Point(self.elapsed_s, "released", self._energy_j, self._bound_j))
