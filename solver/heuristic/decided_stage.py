"""One stage decided: what runs and is paged in, in which order, and what is in RAM meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass

from solver.staged import StagedProblem, bits


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A stage decided: reruns in order, tensors paged in, and their cost.

    runs : ops in order, the stage's own op last. during : per run, mask of what is in RAM, the
    outputs apart and without what only passes through (held before and after, touched by no run).
    paged_in : mask. cost : at the prices of the search; seconds : of the reruns and page-ins.
    peak : bytes, workspace and outputs included, without what passes through. used, touched : masks
    of the tensors that some run of the stage reads, or reads or makes.
    """

    runs: tuple[int, ...]
    during: tuple[int, ...]
    paged_in: int
    cost: float
    seconds: float
    peak: int
    used: int
    touched: int


def decided_stage(
    staged: StagedProblem,
    runs: tuple[int, ...],
    loads: Sequence[int],
    *,
    start: int,
    end: int,
    cost: float,
) -> StagePlan:
    """The stage that runs these ops, with these page-ins directly before each of them."""
    op_in, op_out = staged.op_in, staged.op_out
    used = touched = paged_in = 0
    seconds = -staged.run_s[runs[-1]]
    for op, load in zip(runs, loads, strict=True):
        used |= op_in[op]
        touched |= op_out[op]
        seconds += staged.run_s[op]
        if load:
            paged_in |= load
            seconds += sum(staged.in_s[i] for i in bits(load))
    touched |= used
    # Backwards from the end, as `liveness` does, with the mass carried along.
    wanted = end & ~(start & ~touched)
    mass, peak = staged.mass(wanted), 0
    during = []
    for op, load in zip(reversed(runs), reversed(loads), strict=True):
        reads, makes = op_in[op], op_out[op]
        mass += staged.mass((reads | makes) & ~wanted)
        peak = max(peak, mass + staged.workspace[op])
        here = reads | (wanted & ~makes)
        during.append(here)
        mass -= staged.mass(makes) + staged.mass(load & here)
        wanted = here & ~load
    during.reverse()
    return StagePlan(runs, tuple(during), paged_in, cost, seconds, peak, used, touched)


def late_loads(staged: StagedProblem, runs: Sequence[int], paged_in: int) -> list[int]:
    """Per run, the tensors of `paged_in` to page in directly before it: before their first reader.

    Those that only the stage's end wants are paged in before its own op, the last run. As late as
    possible, so that they occupy RAM as briefly as possible.
    """
    loads = []
    left = paged_in
    for op in runs:
        loads.append(left & staged.op_in[op])
        left &= ~staged.op_in[op]
    loads[-1] |= left
    return loads


def liveness(
    staged: StagedProblem, runs: Sequence[int], loads: Sequence[int], end: int
) -> tuple[tuple[int, ...], int, int]:
    """What is in RAM during each run, backwards from the end; all that is read; the start.

    `loads` : per run, mask of the tensors paged in directly before it.
    """
    during = [0] * len(runs)
    used = 0
    wanted = end
    for position in range(len(runs) - 1, -1, -1):
        op = runs[position]
        during[position] = staged.op_in[op] | (wanted & ~staged.op_out[op])
        wanted = during[position] & ~loads[position]
        used |= staged.op_in[op]
    return tuple(during), used, wanted
