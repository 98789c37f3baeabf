"""The measuring process: `python -m solver.bench.process`, one request on stdin, one answer out.

Fresh for every row, so that its peak memory is the row's; it ends when its stdin closes, so that a
benchmark that was stopped leaves none behind.
"""

import os
import sys
import threading

import msgspec

from solver.bench.measure import measure
from solver.bench.records import ReleasedResult, Request, RowResult
from solver.bench.released import measure_released
from solver.errors import EngineError


def answer(request: Request) -> RowResult | ReleasedResult:
    """Measure what is asked; a model that cannot be loaded becomes a failed result."""
    try:
        if request.released:
            return measure_released(request.row, request.limits_s[0])
        return measure(request.row, request.limits_s)
    except EngineError as error:
        note = "; ".join(str(issue) for issue in error.issues)
        if request.released:
            return ReleasedResult(name=request.row.name, note=note)
        return RowResult(name=request.row.name, note=note, failed=True)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def main() -> None:
    """Entry point of the process."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever native code prints must not touch the answer
    request = msgspec.json.decode(sys.stdin.buffer.readline(), type=Request)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    answers.write(msgspec.json.encode(answer(request)))
    answers.flush()
    os._exit(0)  # not sys.exit: a thread is reading stdin


if __name__ == "__main__":
    main()
