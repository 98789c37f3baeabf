"""Running rows one after the other, each in a process of its own, within a time for all."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec

from solver.bench.records import Document, ReleasedResult, Request, Row, RowResult

_T = TypeVar("_T")
Ask = Callable[[Request], bytes]
"""Answers one request; b"" when the process died."""
START_S: Final = 5.0
"""What a process takes besides its solves: imports, the model, the small first solve."""
_GRACE_S: Final = 60.0
"""Beyond its limits a process is not waited for: a solve that does not end is a fault of ours."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How long to measure: one run of long_s and `repeats` of short_s per row, total_s for all.

    The released formulation comes on top.

    Early rows leave what they save to later ones; where time runs short, long runs become shorter.
    """

    long_s: float = 60.0
    short_s: float = 5.0
    repeats: int = 2
    total_s: float = 70 * 60.0

    def limits_s(self, left_s: float, rows_left: int) -> tuple[float, ...]:
        """Limits of the runs of the next row, with `rows_left` rows to go, itself included."""
        short = (self.short_s,) * self.repeats
        least = START_S + self.short_s * (1 + self.repeats)
        spare = left_s - rows_left * least
        return (min(self.long_s, max(self.short_s, self.short_s + spare)), *short)


FULL: Final = Plan()
QUICK: Final = Plan(long_s=5.0, repeats=0, total_s=180.0)


def run_rows(
    rows: Sequence[Row],
    plan: Plan,
    *,
    done: Document,
    ask: Ask,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Document]:
    """Measure the rows that `done` does not hold; yields the document as it grows.

    What stands in `done` is kept. A row whose process dies is there too, as failed.
    """
    began = clock()
    known = {result.name for result in done.rows}
    todo = [row for row in rows if row.name not in known]
    for position, row in enumerate(todo):
        left_s = plan.total_s - (clock() - began)
        limits_s = plan.limits_s(left_s, len(todo) - position)
        data = ask(Request(row=row, limits_s=limits_s))
        died = RowResult(name=row.name, note="the measuring process died", failed=True)
        result = msgspec.json.decode(data, type=RowResult) if data else died
        done = msgspec.structs.replace(done, rows=_ordered((*done.rows, result), rows))
        yield done


def run_released(
    rows: Sequence[Row], plan: Plan, *, done: Document, ask: Ask
) -> Iterator[Document]:
    """Measure the released formulation on `rows`, as run_rows does."""
    known = {result.name for result in done.released}
    for row in rows:
        if row.name in known:
            continue
        data = ask(Request(row=row, limits_s=(plan.long_s,), released=True))
        died = ReleasedResult(name=row.name, note="the measuring process died")
        result = msgspec.json.decode(data, type=ReleasedResult) if data else died
        done = msgspec.structs.replace(done, released=_ordered((*done.released, result), rows))
        yield done


def _ordered(results: Sequence[_T], rows: Sequence[Row]) -> tuple[_T, ...]:
    """Results in the order of the rows, those of no row behind them."""
    places = {row.name: place for place, row in enumerate(rows)}
    return tuple(sorted(results, key=lambda each: places.get(_name(each), len(rows))))


def _name(result: object) -> str:
    assert isinstance(result, RowResult | ReleasedResult)
    return result.name


def ask_process(request: Request) -> bytes:
    """The answer of a fresh measuring process, b"" when it died or did not end.

    Raises what interrupts the waiting (Ctrl+C), once the process is gone.
    """
    with _process() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(msgspec.json.encode(request) + b"\n")
        process.stdin.flush()
        watch = threading.Timer(sum(request.limits_s) + _GRACE_S, process.kill)
        watch.start()
        try:
            data = process.stdout.read()
            return data if process.wait() == 0 else b""
        finally:
            watch.cancel()
            watch.join()


@contextmanager
def _process() -> Iterator["subprocess.Popen[bytes]"]:
    """A measuring process in a session of its own: the terminal's Ctrl+C is for its parent."""
    process = subprocess.Popen(
        [sys.executable, "-m", "solver.bench.process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        with process:
            try:
                yield process
            finally:
                process.kill()
    finally:
        process.wait()
