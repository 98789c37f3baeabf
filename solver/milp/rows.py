"""Rows of a model, collected as triplets and handed to CVXPY as one sparse matrix per family."""

from collections.abc import Iterable, Sequence

import numpy as np
import scipy.sparse as sp

from solver.costs import FloatArray


class RowFamily:
    """Constraints of one kind: matrix @ x >= lower, one row at a time."""

    def __init__(self) -> None:
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._values: list[float] = []
        self.lower: list[float] = []

    def add(self, terms: Iterable[tuple[int, float]], lower: float) -> None:
        """Add sum(value * x[column]) >= lower."""
        row = len(self.lower)
        for column, value in terms:
            self._rows.append(row)
            self._columns.append(column)
            self._values.append(value)
        self.lower.append(lower)

    def __len__(self) -> int:
        return len(self.lower)

    def matrix(self, columns: int) -> sp.csr_matrix:
        """The family's coefficients, shape (rows, columns); equal positions are added up."""
        entries = (self._values, (self._rows, self._columns))
        return sp.csr_matrix(entries, shape=(len(self.lower), columns))

    def lower_bounds(self) -> FloatArray:
        """Right-hand sides, shape (rows,)."""
        return np.array(self.lower, dtype=np.float64)


def least_sum_reaching(sizes: Sequence[int], needed: int, *, limit_bits: int = 1 << 20) -> int:
    """The smallest sum of a subset of `sizes` that is >= `needed`; `needed` where that is too dear.

    Exact subset sums on a bit set of sums divided by the sizes' greatest common divisor. Used to
    tighten rows: whatever is dropped takes away a sum of whole tensors.
    """
    if needed <= 0:
        return needed
    unit = int(np.gcd.reduce(np.array(sizes, dtype=np.int64))) if sizes else 0
    total = sum(sizes)
    if unit == 0 or total < needed or total // unit > limit_bits:
        return needed
    sums = 1
    for size in sizes:
        sums |= sums << (size // unit)
    target = -(-needed // unit)
    above = sums >> target
    return (target + ((above & -above).bit_length() - 1)) * unit
