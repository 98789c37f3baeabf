"""From rows to a CVXPY problem in matrix form, the right-hand sides of both budgets Parameters."""

from collections.abc import Sequence

import cvxpy as cp
import numpy as np

from solver.milp.rows import RowFamily


def assemble(
    cost: Sequence[float],
    families: Sequence[RowFamily],
    *,
    room: RowFamily,
    seconds: Sequence[float],
    limit_s: float | None,
    upper: Sequence[float] | None = None,
    binary: Sequence[int] | None = None,
) -> cp.Problem:
    """Minimise cost @ x subject to every family, the memory rows `room` and the runtime row.

    cost, seconds : per column; `limit_s` : what sum(seconds * x) may be, None without a limit.
    upper : per column, 1 where not given. binary : columns that are 0 or 1, all where not given.
    RAM enters through the right-hand sides of `room` (a Parameter; its coefficients are cut off at
    them, so another RAM budget means new rows), runtime through one Parameter.
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
    if limit_s is not None:
        unit = max(abs(limit_s), *seconds, 1e-300)
        limit = cp.Parameter(value=limit_s / unit)
        constraints.append(np.array(seconds) / unit @ x <= limit)
    return cp.Problem(cp.Minimize(np.array(cost) @ x), constraints)
