"""Cuts (11): a tensor that is read was held since some earlier stage, made again since, or written.

The relaxation splits page-ins over stages and pays the write once; these rows trade the sum of
page-ins for the write.

    S[t0,i] + P[i] + sum over t0 <= q <= t of R[q,maker] >= 1 or R[t,j]   (t or rerun j reads i)
"""

from solver.costs import FloatArray
from solver.milp.backend import Cut
from solver.milp.stage_model import StageModel

_VIOLATION = 0.02
_MOST = 400


def separate(model: StageModel, x: FloatArray) -> list[Cut]:
    """The most violated cuts at `x`, the deepest for each tensor and stage; empty when none is."""
    columns, staged = model.columns, model.staged
    found: list[tuple[float, Cut]] = []
    for i, write in columns.write.items():
        if x[write] > 1 - _VIOLATION:
            continue
        maker = staged.producer[i]
        for t in range(max(model.begin, maker + 1), columns.life[i] + 1):
            target, reader = _target(model, x, t, staged.readers[i])
            if target - x[write] <= _VIOLATION:
                continue
            left, start = _deepest(model, x, t, i, target - x[write])
            if left > _VIOLATION:
                found.append((left, _cut(model, t, start, i, reader)))
    found.sort(key=lambda entry: -entry[0])
    return [cut for _, cut in found[:_MOST]]


def _target(
    model: StageModel, x: FloatArray, t: int, readers: tuple[int, ...]
) -> tuple[float, int | None]:
    """How much stage t reads a tensor: 1 by its own op, else by the largest rerun (its column)."""
    if t in readers:
        return 1.0, None
    best, column = 0.0, None
    for j in readers:
        rerun = model.columns.rerun.get((t, j))
        if rerun is not None and x[rerun] > best:
            best, column = float(x[rerun]), rerun
    return best, column


def _deepest(model: StageModel, x: FloatArray, t: int, i: int, target: float) -> tuple[float, int]:
    """The largest violation over starting stages t0, and that t0; one scan backwards."""
    columns = model.columns
    maker = model.staged.producer[i]
    made, best, start = 0.0, 0.0, t
    for t0 in range(t, max(model.begin, maker + 1) - 1, -1):
        rerun = columns.rerun.get((t0, maker))
        if rerun is not None:
            made += x[rerun]
        left = target - made
        if left <= best:
            break
        left -= x[columns.hold[t0, i]]
        if left > best:
            best, start = float(left), t0
    return best, start


def _cut(model: StageModel, t: int, start: int, i: int, reader: int | None) -> Cut:
    columns = model.columns
    maker = model.staged.producer[i]
    used = [columns.hold[start, i], columns.write[i]]
    used += [columns.rerun[q, maker] for q in range(start, t + 1) if (q, maker) in columns.rerun]
    values = [1.0] * len(used)
    if reader is None:
        return Cut(tuple(used), tuple(values), 1.0)
    return Cut((*used, reader), (*values, -1.0), 0.0)
