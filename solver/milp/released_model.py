"""The formulation of the released POET code, to set ours against it: never used for an answer.

Facts (not code) from ShishirPatil/poet, poet/poet_solver.py. T ops are T stages; stage t runs op t
for the first time and may run any earlier op again. Per stage t and op i, all 0 or 1:
    R run, S in RAM at the start, D in storage at the start, I paged in, O paged out;
F[t, e] for every edge e = (i, k): i is dropped right after k ran; U[t, k]: RAM in use once k ran.
    min  sum energy_i R + in_i I + out_i O
    R[t,t] = 1,  R[t,k] <= R[t,i] + S[t,i] for every edge,  S[t+1] <= S + R + I,  D[t+1] <= D + O,
    I <= D,  O <= S,  sum of seconds R <= limit
    1 - F <= h,  h <= hmax (1 - F),  h = 1 - R[t,k] + S[t+1,i] + sum of R[t,j], later readers j of i
    U[t,0] = m_0 R[t,0] + sum m_i S[t,i],  U[t,k+1] = U[t,k] + m_{k+1} R[t,k+1] - sum m_i F[t,(i,k)]
What may not be (a later op in an earlier stage) is fixed to 0 by bounds. Bytes are divided by the
budget and energy by the baseline / 100,000; unscaled, HiGHS finds less. The duplicated edge of the
released graphs, which frees a tensor twice, is left out.
"""

from typing import Final

import cvxpy as cp
import numpy as np

from solver.costs import FloatArray
from solver.milp.rows import RowFamily
from solver.problem import Problem

_SCALE: Final = 1e5
_ARRAYS: Final = ("R", "S", "D", "I", "O", "U")


class ReleasedModel:
    """Columns, rows and the CVXPY problem, for a graph whose ops make one tensor each.

    `joules` : what one unit of the objective is worth.
    """

    def __init__(self, problem: Problem) -> None:
        graph = problem.costed.graph
        assert all(len(made) == 1 for made in graph.op_outputs), "ops make one tensor each"
        self._problem = problem
        self._count = len(graph.ops)
        producer = graph.producer
        self._inputs = [[producer[i] for i in read] for read in graph.op_inputs]
        self._edges = [(i, k) for k, read in enumerate(self._inputs) for i in read]
        self._edge_index = {edge: e for e, edge in enumerate(self._edges)}
        self._readers = [[k for k, read in enumerate(self._inputs) if i in read]
                         for i in range(self._count)]  # fmt: skip
        made = [outputs[0] for outputs in graph.op_outputs]
        size = np.array([problem.costed.tensor_bytes[i] for i in made], dtype=np.float64)
        self._size = (size / problem.budgets.ram_bytes).tolist()
        self._made = made
        self.joules = problem.costed.baseline_energy_j / _SCALE
        self.least, self.equal = RowFamily(), RowFamily()
        for t in range(self._count):
            self._add_presence(t)
            self._add_freeing(t)
            self._add_memory(t)
        self._add_runtime()

    @property
    def columns(self) -> int:
        """Number of variables."""
        return self._count * (len(_ARRAYS) * self._count + len(self._edges))

    @property
    def rows(self) -> int:
        """Number of constraints."""
        return len(self.least) + len(self.equal)

    def problem(self) -> cp.Problem:
        """The CVXPY problem in matrix form."""
        bounds = [self._lower(), self._upper()]
        binary = np.flatnonzero(np.arange(self.columns) < self._start("U"))
        x = cp.Variable(self.columns, boolean=(binary,), bounds=bounds)
        return cp.Problem(
            cp.Minimize(self.objective() @ x),
            [
                self.least.matrix(self.columns) @ x >= self.least.lower_bounds(),
                self.equal.matrix(self.columns) @ x == self.equal.lower_bounds(),
            ],
        )

    def _start(self, array: str) -> int:
        """First column of an array; F stands before U, so that all binaries stand together."""
        square = self._count**2
        first = _ARRAYS.index(array) * square
        return first + (self._count * len(self._edges) if array == "U" else 0)

    def _at(self, array: str, t: int, i: int) -> int:
        return self._start(array) + t * self._count + i

    def _freed(self, t: int, i: int, k: int) -> int:
        first = _ARRAYS.index("U") * self._count**2
        return first + t * len(self._edges) + self._edge_index[i, k]

    def objective(self) -> FloatArray:
        """What each column costs, in units of `joules`."""
        costed, made = self._problem.costed, self._made
        cost = np.zeros(self.columns)
        for array, energy in (
            ("R", costed.op_energy_j),
            ("I", costed.page_in_j[made]),
            ("O", costed.page_out_j[made]),
        ):
            first = self._start(array)
            cost[first : first + self._count**2] = np.tile(energy, self._count)
        objective: FloatArray = cost / self.joules
        return objective

    def _lower(self) -> FloatArray:
        lower = np.zeros(self.columns)
        lower[[self._at("R", t, t) for t in range(self._count)]] = 1.0
        return lower

    def _upper(self) -> FloatArray:
        upper = np.ones(self.columns)
        stage, op = np.indices((self._count, self._count))
        paging = self._problem.switches.paging
        for array, allowed in (
            ("R", op <= stage),
            ("S", op < stage),
            ("D", (op < stage) & paging),
            ("I", (op <= stage) & paging),
            ("O", (op <= stage) & paging),
        ):
            first = self._start(array)
            upper[first : first + self._count**2] = allowed.ravel()
        return upper

    def _add_presence(self, t: int) -> None:
        at, later = self._at, t + 1 < self._count
        for i, k in self._edges:
            self.least.add(((at("R", t, i), 1), (at("S", t, i), 1), (at("R", t, k), -1)), 0.0)
        for i in range(self._count):
            ram, storage = at("S", t, i), at("D", t, i)
            page_in, page_out = at("I", t, i), at("O", t, i)
            self.least.add(((storage, 1), (page_in, -1)), 0.0)
            self.least.add(((ram, 1), (page_out, -1)), 0.0)
            if later:
                kept = ((ram, 1), (at("R", t, i), 1), (page_in, 1), (at("S", t + 1, i), -1))
                self.least.add(kept, 0.0)
                self.least.add(((storage, 1), (page_out, 1), (at("D", t + 1, i), -1)), 0.0)

    def _add_freeing(self, t: int) -> None:
        """1 - F <= h and h <= hmax (1 - F), the second as one row for all of h: big M."""
        for i, k in self._edges:
            hindrances = [(self._at("R", t, k), -1.0)]
            if t + 1 < self._count:
                hindrances.append((self._at("S", t + 1, i), 1.0))
            hindrances += [(self._at("R", t, j), 1.0) for j in self._readers[i] if j > k]
            freed, most = self._freed(t, i, k), float(len(hindrances))
            self.least.add([*hindrances, (freed, 1.0)], 0.0)  # h counts a 1 beside these terms
            opposite = [(column, -value) for column, value in hindrances]
            self.least.add([*opposite, (freed, -most)], 1.0 - most)

    def _add_memory(self, t: int) -> None:
        held = [(self._at("S", t, i), -self._size[i]) for i in range(self._count)]
        first = [(self._at("U", t, 0), 1.0), (self._at("R", t, 0), -self._size[0])]
        self.equal.add([*first, *held], 0.0)
        for k in range(self._count - 1):
            dropped = [(self._freed(t, i, k), self._size[i]) for i in self._inputs[k]]
            run = (self._at("R", t, k + 1), -self._size[k + 1])
            step = [(self._at("U", t, k + 1), 1.0), (self._at("U", t, k), -1.0), run]
            self.equal.add([*step, *dropped], 0.0)

    def _add_runtime(self) -> None:
        limit_s = self._problem.budgets.runtime_s
        if limit_s is None:
            return
        seconds = self._problem.costed.op_duration_s / limit_s
        terms = [(self._at("R", t, i), -float(seconds[i]))
                 for t in range(self._count) for i in range(self._count)]  # fmt: skip
        self.least.add(terms, -1.0 - 1e-9)
