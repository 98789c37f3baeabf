"""From rows to a CVXPY problem in matrix form, the right-hand sides of both budgets Parameters."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import cvxpy as cp
import numpy as np

from solver.milp.rows import RowFamily
from solver.staged import StagedProblem


@dataclass(slots=True)
class LaneSeconds:
    """Seconds that each column stands for, on the processor (`run_s`) and of transfers (`move_s`).

    Both grow with the columns, in their order.
    """

    run_s: list[float] = field(default_factory=list)
    move_s: list[float] = field(default_factory=list)

    def add(self, run_s: float, move_s: float) -> None:
        """The seconds of the next column."""
        self.run_s.append(run_s)
        self.move_s.append(move_s)

    def rows(self, staged: StagedProblem) -> list[tuple[list[float], float]]:
        """(Seconds per column, what their sum may be): the runtime limit of `staged`, if any.

        Blocking: one row. Overlapped: one for each lane, which every issue order keeps.
        """
        if staged.limit_s is None:
            return []
        if staged.transfer_limit_s is None:
            both = [run_s + move_s for run_s, move_s in zip(self.run_s, self.move_s, strict=True)]
            return [(both, staged.limit_s)]
        return [(self.run_s, staged.limit_s), (self.move_s, staged.transfer_limit_s)]


def assemble(
    cost: Sequence[float],
    families: Sequence[RowFamily],
    *,
    room: RowFamily,
    limits: Sequence[tuple[Sequence[float], float]],
    upper: Sequence[float] | None = None,
    binary: Sequence[int] | None = None,
) -> cp.Problem:
    """Minimise cost @ x subject to every family, the memory rows `room` and the runtime rows.

    cost : per column. limits : (seconds per column, what sum(seconds * x) may be) each.
    upper : per column, 1 where not given. binary : columns that are 0 or 1, all where not given.
    RAM enters through the right-hand sides of `room` (a Parameter; its coefficients are cut off at
    them, so another RAM budget means new rows), runtime through one Parameter per row.
    """
    count = len(cost)
    bounds = [np.zeros(count), np.ones(count) if upper is None else np.array(upper)]
    whole = np.arange(count) if binary is None else np.array(binary, dtype=int)
    x = cp.Variable(count, boolean=(whole,), bounds=bounds)
    constraints = [
        family.matrix(count) @ x >= family.lower_bounds() for family in families if len(family)
    ]
    if len(room):
        free = cp.Parameter(len(room), value=room.lower_bounds())
        constraints.append(room.matrix(count) @ x >= free)
    for seconds, limit_s in limits:
        unit = max(abs(limit_s), *seconds, 1e-300)
        limit = cp.Parameter(value=limit_s / unit)
        constraints.append(np.array(seconds) / unit @ x <= limit)
    return cp.Problem(cp.Minimize(np.array(cost) @ x), constraints)
