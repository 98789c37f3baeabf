"""Numbers on their way into JSON: finite, and no negative zero."""

import math

import numpy as np
from numpy.typing import NDArray


def finite(value: float) -> float:
    """The same number as a plain float, -0.0 as 0.0.

    Raises ValueError for NaN and infinity: JSON has none, msgspec would write null.
    """
    number = float(value) + 0.0
    if not math.isfinite(number):
        raise ValueError(f"{value} cannot be written into a document")
    return number


def finite_or_none(value: float | None) -> float | None:
    """As `finite`; None, NaN and infinity (nothing known yet) become None."""
    return None if value is None or not math.isfinite(value) else finite(value)


def finite_list(values: NDArray[np.float64]) -> list[float]:
    """As `finite`, for each number of an array. Raises ValueError as it does."""
    if not np.isfinite(values).all():
        raise ValueError("a number that is not finite cannot be written into a document")
    numbers: list[float] = (values + 0.0).tolist()
    return numbers
