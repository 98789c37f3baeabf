"""Rows of a model, collected as triplets and handed to CVXPY as one sparse matrix per family."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp

from solver.costs import FloatArray

Stop = Callable[[], bool]

Terms = list[tuple[int, float]]
"""(Column, coefficient) pairs."""


class BuildStopped(Exception):  # noqa: N818 - an event, not an error
    """Somebody or the clock asked to stop while a model was being written."""


def never() -> bool:
    """Nobody asks to stop."""
    return False


class RowFamily:
    """Constraints of one kind: matrix @ x >= lower, one row at a time.

    `stop` is asked every 64 rows; BuildStopped is raised when it says so.
    """

    def __init__(self, stop: Stop = never) -> None:
        self._stop = stop
        self._rows: list[int] = []
        self._columns: list[int] = []
        self._values: list[float] = []
        self.lower: list[float] = []

    def add(self, terms: Iterable[tuple[int, float]], lower: float) -> None:
        """Add sum(value * x[column]) >= lower."""
        row = len(self.lower)
        if row % 64 == 0 and self._stop():
            raise BuildStopped
        for column, value in terms:
            self._rows.append(row)
            self._columns.append(column)
            self._values.append(value)
        self.lower.append(lower)

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def terms(self) -> int:
        """Number of coefficients."""
        return len(self._values)

    def matrix(self, columns: int) -> sp.csr_matrix:
        """The family's coefficients, shape (rows, columns); equal positions are added up."""
        entries = (self._values, (self._rows, self._columns))
        return sp.csr_matrix(entries, shape=(len(self.lower), columns))

    def lower_bounds(self) -> FloatArray:
        """Right-hand sides, shape (rows,)."""
        return np.array(self.lower, dtype=np.float64)


def least_sum_reaching(sizes: Sequence[int], needed: int, *, limit_bits: int = 1 << 24) -> int:
    """The smallest sum of a subset of `sizes` that is >= `needed`; `needed` where that is too dear.

    Exact subset sums on a bit set of sums divided by the sizes' greatest common divisor. Used to
    tighten rows: whatever is dropped takes away a sum of whole tensors.
    """
    if needed <= 0:
        return needed
    unit = int(np.gcd.reduce(np.array(sizes, dtype=np.int64))) if sizes else 0
    total = sum(sizes)
    if unit == 0 or total < needed or total // unit * len(sizes) > limit_bits:
        return needed
    sums = 1
    for size in sizes:
        sums |= sums << (size // unit)
    target = -(-needed // unit)
    above = sums >> target
    return (target + ((above & -above).bit_length() - 1)) * unit


_UNITS: Final = 4
"""Distinct sizes for which a rounded row is added beside each memory row."""


@dataclass(frozen=True, slots=True)
class Held:
    """A 0/1 quantity that occupies `size` bytes when 1: constant + sum(factor * x[column])."""

    size: int
    terms: tuple[tuple[int, float], ...]
    constant: int = 0


def add_fit(rows: RowFamily, held: Sequence[Held], free: int) -> bool:
    """Add sum(size * held) <= free, sharpened, when it can bind; False when it cannot be met.

    The right-hand side is the largest sum of whole tensors that fits; and per distinct size u the
    row sum(floor(size / u) * held) <= floor(free / u), Chvatal and Gomory's rounding, is added.
    """
    sizes = [entry.size for entry in held]
    total = sum(sizes)
    if free < sum(entry.size for entry in held if entry.constant and not entry.terms):
        return False
    if total <= free:
        return True
    most = total - least_sum_reaching(sizes, total - free)
    _knapsack(rows, held, sizes, most)
    for unit in sorted({size for size in sizes if size}, reverse=True)[:_UNITS]:
        parts = [size // unit for size in sizes]
        if sum(parts) > most // unit:
            _knapsack(rows, held, parts, most // unit)
    return True


def _knapsack(rows: RowFamily, held: Sequence[Held], weights: Sequence[int], most: int) -> None:
    unit = max(most, 1, *weights)
    terms = [
        (column, -weight / unit * factor)
        for entry, weight in zip(held, weights, strict=True)
        for column, factor in entry.terms
        if weight
    ]
    constant = sum(w * entry.constant for entry, w in zip(held, weights, strict=True))
    rows.add(terms, -(most - constant) / unit)
