"""HiGHS driven through highspy on CVXPY's own problem data: cuts, incumbents, bound, interrupt.

CVXPY's HiGHS interface has no callbacks, loses the incumbent on an interrupt and takes no start, so
CVXPY formulates and this module solves the data that CVXPY hands to solvers.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import cvxpy as cp
import highspy
import numpy as np
import scipy.sparse as sp

from solver.costs import FloatArray

CvxpyProblem = cp.Problem
HIGHS_VERSION = ".".join(
    str(part)
    for part in (
        highspy.HIGHS_VERSION_MAJOR,
        highspy.HIGHS_VERSION_MINOR,
        highspy.HIGHS_VERSION_PATCH,
    )
)


ROUNDING = 1e-6
"""Of an objective: what the solver's absolute tolerances may add to a bound."""


_CONTRADICTION = 1e-4
"""Relative: beyond the rounding of an objective."""


class Ending(Enum):
    """How a solver run ended."""

    SOLVED = "solved"
    INFEASIBLE = "infeasible"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class LpResult:
    """`objective`, `x` and `reduced_costs` are those of an optimal basis; None otherwise."""

    ending: Ending
    objective: float | None
    x: FloatArray | None
    reduced_costs: FloatArray | None


@dataclass(frozen=True, slots=True)
class MipResult:
    """`bound` is valid however the run ended (-inf when nothing was proven); `x` the best found."""

    ending: Ending
    objective: float | None
    bound: float
    x: FloatArray | None


@dataclass(frozen=True, slots=True)
class Cut:
    """sum(coefficients * x[columns]) >= lower."""

    columns: tuple[int, ...]
    coefficients: tuple[float, ...]
    lower: float


class Session:
    """One model in one HiGHS instance: relaxations with growing rows first, then the MIP.

    problem : a CVXPY problem whose parameters have values. threads : of the MIP search.
    stop : asked often while solving; True interrupts. time_left_s : for the parts of HiGHS that do
    not ask (presolve). spend_simplex, spend_mip : called as often as
    HiGHS asks, in an LP and in a MIP: a count that is the same in every process.
    """

    def __init__(
        self,
        problem: cp.Problem,
        *,
        threads: int,
        seed: int,
        stop: Callable[[], bool],
        time_left_s: Callable[[], float],
        spend_simplex: Callable[[], None],
        spend_mip: Callable[[], None],
    ) -> None:
        data, _, _ = problem.get_problem_data(cp.HIGHS)
        self._stop = stop
        self._time_left_s = time_left_s
        self._spend_simplex, self._spend_mip = spend_simplex, spend_mip
        self._error: BaseException | None = None
        self._integers = np.array(data["bool_vars_idx"], dtype=np.int32)
        self.columns = len(data["c"])
        self._cost = np.asarray(data["c"], dtype=np.float64)
        # A second value of `threads` in one process would fail as long as the old scheduler lives.
        highspy.Highs.resetGlobalScheduler(True)
        with _silent_stdout():  # the constructor prints a banner
            self._highs = highspy.Highs()  # type: ignore[no-untyped-call] # no stubs
        for name, value in (
            ("output_flag", False),
            ("threads", threads),
            ("random_seed", seed),
            ("mip_rel_gap", 0.0),
        ):
            self._highs.setOptionValue(name, value)
        self._highs.passModel(_highs_lp(data))

    def relax(self) -> LpResult:
        """Solve the linear relaxation, warm from the last one."""
        highs = self._highs
        highs.cbSimplexInterrupt += self._on_simplex
        self._run()
        highs.cbSimplexInterrupt -= self._on_simplex
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            solution = highs.getSolution()
            x, duals = np.array(solution.col_value), np.array(solution.col_dual)
            return LpResult(Ending.SOLVED, highs.getInfo().objective_function_value, x, duals)
        infeasible = status == highspy.HighsModelStatus.kInfeasible
        return LpResult(Ending.INFEASIBLE if infeasible else Ending.STOPPED, None, None, None)

    def add(self, cuts: list[Cut]) -> None:
        """Add rows to the model."""
        starts = np.cumsum([0, *(len(cut.columns) for cut in cuts)])[:-1].astype(np.int32)
        columns = np.array([c for cut in cuts for c in cut.columns], dtype=np.int32)
        values = np.array([v for cut in cuts for v in cut.coefficients], dtype=np.float64)
        lower = np.array([cut.lower for cut in cuts], dtype=np.float64)
        upper = np.full(len(cuts), highspy.kHighsInf)
        self._highs.addRows(len(cuts), lower, upper, len(columns), starts, columns, values)

    def fix(self, zero: list[int], one: list[int]) -> None:
        """Leave only the value 0, or 1, to 0/1 columns; not for a relaxation that is used again."""
        for columns, value in ((zero, 0.0), (one, 1.0)):
            if columns:
                found = np.array(columns, dtype=np.int32)
                values = np.full(len(found), value)
                self._highs.changeColsBounds(len(found), found, values, values)

    def solve(
        self,
        *,
        absolute_gap: float,
        start: FloatArray | None,
        on_solution: Callable[[FloatArray], None],
        on_bound: Callable[[float], None],
    ) -> MipResult:
        """Solve the MIP until the bound is within `absolute_gap` of the best objective.

        `start` : values of the columns, feasible or not, NaN where HiGHS is to find them.
        `on_solution` gets each improving solution, `on_bound` each better bound; what they raise
        ends the run and is raised here.
        """
        highs = self._highs
        highs.setOptionValue("mip_abs_gap", absolute_gap)
        kinds = np.full(len(self._integers), highspy.HighsVarType.kInteger)
        highs.changeColsIntegrality(len(self._integers), self._integers, kinds)
        if start is not None:
            known = np.flatnonzero(~np.isnan(start)).astype(np.int32)
            highs.setSolution(len(known), known, start[known])
        best_bound = -np.inf

        def improving(event: Any) -> None:  # Any: highspy has no stubs
            self._guard(event, lambda: on_solution(np.array(event.data_out.mip_solution)))

        def watch(event: Any) -> None:
            nonlocal best_bound
            self._spend_mip()
            bound = event.data_out.mip_dual_bound
            if np.isfinite(bound) and bound > best_bound:
                best_bound = bound
                self._guard(event, lambda: on_bound(bound))
            self._interrupt(event)

        highs.cbMipImprovingSolution += improving
        highs.cbMipInterrupt += watch
        self._run()
        if self._solution_contradicts():
            # HiGHS 1.16 may call the start its optimum while reporting a better objective.
            highs.clearSolver()
            highs.setOptionValue("presolve", "off")
            self._run()
            highs.setOptionValue("presolve", "choose")
        highs.cbMipImprovingSolution -= improving
        highs.cbMipInterrupt -= watch
        return self._mip_result()

    def _run(self) -> None:
        until = self._highs.getRunTime() + max(0.0, self._time_left_s())
        self._highs.setOptionValue("time_limit", until)
        self._highs.run()
        if self._highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            # Presolve has called feasible models infeasible (HiGHS issues 1704 and 3296).
            self._highs.setOptionValue("presolve", "off")
            self._highs.run()
            self._highs.setOptionValue("presolve", "choose")
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _guard(self, event: Any, call: Callable[[], None]) -> None:
        """Python errors must not cross native frames: keep the first for `_run` and interrupt."""
        try:
            call()
        except BaseException as error:  # noqa: BLE001 - raised again by _run
            self._error = self._error or error
            event.data_in.user_interrupt = True

    def _solution_contradicts(self) -> bool:
        """Whether a model called solved comes with a solution of another objective."""
        if self._highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return False
        x = np.array(self._highs.getSolution().col_value)
        stated = self._highs.getInfo().objective_function_value
        return bool(abs(float(self._cost @ x) - stated) > _CONTRADICTION * max(1.0, abs(stated)))

    def _mip_result(self) -> MipResult:
        highs, info = self._highs, self._highs.getInfo()
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return MipResult(Ending.INFEASIBLE, None, np.inf, None)
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        x = np.array(highs.getSolution().col_value) if found else None
        objective = info.objective_function_value if found else None
        bound = info.mip_dual_bound if np.isfinite(info.mip_dual_bound) else -np.inf
        solved = status == highspy.HighsModelStatus.kOptimal
        return MipResult(Ending.SOLVED if solved else Ending.STOPPED, objective, bound, x)

    def _on_simplex(self, event: Any) -> None:
        self._spend_simplex()
        self._interrupt(event)

    def _interrupt(self, event: Any) -> None:
        if self._error is not None or self._stop():
            event.data_in.user_interrupt = True


def _highs_lp(data: dict[str, Any]) -> highspy.HighsLp:
    """CVXPY's conic data (A x + s = b, s zero or nonnegative) as rows with bounds."""
    matrix = sp.csc_matrix(data["A"])
    equalities = data["dims"].zero
    upper = np.asarray(data["b"], dtype=np.float64)
    lower = np.full(len(upper), -highspy.kHighsInf)
    lower[:equalities] = upper[:equalities]
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = matrix.shape[1], matrix.shape[0]
    lp.col_cost_ = np.asarray(data["c"], dtype=np.float64)
    lp.col_lower_, lp.col_upper_ = data["lower_bounds"], data["upper_bounds"]
    lp.row_lower_, lp.row_upper_ = lower, upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = matrix.indptr
    lp.a_matrix_.index_ = matrix.indices
    lp.a_matrix_.value_ = matrix.data
    return lp


@contextmanager
def _silent_stdout() -> Iterator[None]:
    """Point file descriptor 1 elsewhere: native code writes there without asking Python."""
    with Path(os.devnull).open("w") as nowhere:
        kept = os.dup(1)
        try:
            os.dup2(nowhere.fileno(), 1)
            yield
        finally:
            os.dup2(kept, 1)
            os.close(kept)
