"""How much of a frontier is still open: where the bracket is wider than a tolerance allows."""

import math
from itertools import pairwise
from typing import Final, NamedTuple

from solver.frontier import Frontier

NOISE: Final = 1e-9
"""Relative; energies are sums of floats."""


class Step(NamedTuple):
    """A stretch [start, end) of an axis, and the joules by which its bracket is too wide."""

    start: float
    end: float
    excess_j: float


def excess_j(lower_j: float, best_j: float, cap_j: float, tolerance: float) -> float:
    """How far a bracket is wider than `tolerance` of the energy allows, joules.

    An unknown schedule (best_j inf) counts as cap_j; where nothing fits (lower_j inf), nothing is
    open.
    """
    if math.isinf(best_j):
        return 0.0 if math.isinf(lower_j) else max(cap_j - lower_j, NOISE * cap_j)
    return max(0.0, best_j - lower_j - max(tolerance, NOISE) * best_j)


def missing_j(known_j: list[float], baseline_j: float) -> float:
    """What a missing schedule counts as: the known part of the curve once more on top of it."""
    finite = [each for each in known_j if not math.isinf(each)]
    top, bottom = max(finite, default=baseline_j), min(finite, default=0.0)
    return 2 * top - bottom + NOISE * baseline_j


def open_steps(
    frontier: Frontier, low: float, high: float, tolerance: float, floor_j: float = 0.0
) -> list[Step]:
    """The stretches of [low, high) that are open. `floor_j`: no energy there counts as lower."""
    best = frontier.best_j.tolist()
    cap_j = missing_j(best, float(frontier.lower_j[-1]))
    steps = []
    ends = pairwise([*frontier.position.tolist(), math.inf])
    for (start, end), lower_j, best_j in zip(ends, frontier.lower_j.tolist(), best, strict=True):
        if max(start, low) < min(end, high):
            excess = excess_j(max(lower_j, floor_j), best_j, cap_j, tolerance)
            if excess > 0:
                steps.append(Step(max(start, low), min(end, high), excess))
    return steps
