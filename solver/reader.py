"""The reading process: `python -m solver.reader PATH`, one request on stdin, one answer on stdout.

Both are msgpack, which knows infinities. A file may be hostile or damaged: what it does to the
libraries that read it ends with this process, which limits its own memory and time beforehand and
outlives no parent. The path is an argument because text cannot carry every name that a file system
can.
"""

import faulthandler
import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from solver.device import Device
from solver.errors import EngineError, Issue, ModelError
from solver.graph import TrainingGraph
from solver.graph_request import GraphRequest
from solver.json_hooks import plain
from solver.loading import load_training_graph
from solver.messages import PackedOutcome
from solver.problem import Budgets, SolveOptions, Switches
from solver.text import one_line, printable

MEMORY_EXIT: Final = 77
"""Exit code where the memory was used up and no words could be said any more."""

_MOST_ISSUES: Final = 1000
_LONGEST_TEXT: Final = 2000
_WATCH_S: Final = 0.25
_SPARE_CPU_S: Final = 2  # the parent's clock ends it first: this is for a parent that is gone


class ReadRequest(msgspec.Struct, frozen=True):
    """What to read within which limits; `parent` is the process id of whoever waits for it.

    `request` None: not a model but a saved result.
    """

    request: GraphRequest | None
    memory_bytes: int
    seconds: float
    parent: int


class ReadDone(msgspec.Struct, frozen=True, tag="done"):
    """The training graph, where it came from, and the digest of the file."""

    graph: TrainingGraph
    source: str
    sha256: str | None


class ReadResult(msgspec.Struct, frozen=True, tag="result"):
    """A saved result that says nothing untrue, as SavedResult but for what is worked out anew."""

    source: str
    sha256: str | None
    graph: TrainingGraph
    device: Device
    budgets: Budgets
    switches: Switches
    options: SolveOptions
    outcome: PackedOutcome


class ReadNoResult(msgspec.Struct, frozen=True, tag="no_result"):
    """The file is no saved result."""


class ReadRefused(msgspec.Struct, frozen=True, tag="refused"):
    """Every mistake found; `usage`: in what was asked for, not in the file."""

    issues: list[Issue]
    usage: bool


class ReadExhausted(msgspec.Struct, frozen=True, tag="exhausted"):
    """The memory was not enough."""


class ReadFault(msgspec.Struct, frozen=True, tag="fault"):
    """A fault of this program: its kind in one line, and where it happened."""

    message: str
    details: str


Failure = ReadRefused | ReadExhausted | ReadFault
Answer = ReadDone | ReadResult | ReadNoResult | Failure


def encode(message: ReadRequest | Answer) -> bytes:
    """The message as msgpack."""
    return msgspec.msgpack.encode(message, enc_hook=plain)


def answer(path: str, request: GraphRequest | None) -> bytes:
    """Read the file; every way in which it can fail becomes an answer, as msgpack."""
    try:
        found = _result(path) if request is None else _model(replace(request, model=path))
        return _packed(found, Path(path).name)
    except EngineError as error:
        usage = error.exit_code == 2  # noqa: PLR2004 - wrong usage, as EngineError says
        return encode(ReadRefused(_to_be_shown(error.issues), usage))
    except MemoryError:
        return encode(ReadExhausted())
    except Exception as error:  # noqa: BLE001 - the top loop: a fault of ours is told like any other
        kind = one_line(f"{type(error).__name__}: {error}")
        return encode(ReadFault(kind, printable(traceback.format_exc())))


def _packed(found: Answer, file: str) -> bytes:
    """The answer as msgpack, which ends at 64 bits. Raises ModelError for a number beyond them."""
    try:
        return encode(found)
    except OverflowError as error:
        words = "a size or a count in it is beyond 64 bits: damaged, or no network of this world"
        raise ModelError(Issue(words, file)) from error


def _model(request: GraphRequest) -> ReadDone:
    model = load_training_graph(request)
    return ReadDone(model.graph, model.source, model.sha256)


def _result(path: str) -> ReadResult | ReadNoResult:
    from solver.packing import pack_outcome  # noqa: PLC0415 - models need none of it
    from solver.saved_result import load_result  # noqa: PLC0415 - nor this

    saved = load_result(Path(path))
    if saved is None:
        return ReadNoResult()
    costed = saved.problem.costed
    return ReadResult(
        source=printable(saved.source),
        sha256=saved.sha256,
        graph=costed.graph,
        device=costed.device,
        budgets=saved.problem.budgets,
        switches=saved.problem.switches,
        options=saved.options,
        outcome=pack_outcome(saved.outcome),
    )


def limit_itself(memory_bytes: int, seconds: float) -> bool:
    """Bound address space and processor time of this process; False where memory has no bound.

    Windows has no such limits, and macOS keeps none of memory.
    """
    try:
        import resource  # noqa: PLC0415 - not everywhere
    except ImportError:
        return False

    def bound(kind: int, value: int) -> bool:
        _, hard = resource.getrlimit(kind)
        soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (soft, hard))
        except (ValueError, OSError):
            return False
        return True

    bound(resource.RLIMIT_CORE, 0)
    bound(resource.RLIMIT_CPU, math.ceil(seconds) + _SPARE_CPU_S)
    return sys.platform != "darwin" and bound(resource.RLIMIT_AS, memory_bytes)


def _to_be_shown(issues: Sequence[Issue]) -> list[Issue]:
    """The issues within what a window can show; how many are left out stands at the end."""
    shown = [_one_line(issue) for issue in issues[:_MOST_ISSUES]]
    left = len(issues) - len(shown)
    return [*shown, Issue(f"and {left:,} more")] if left else shown


def _one_line(issue: Issue) -> Issue:
    """Names in a damaged file may hold anything, a terminal's commands too, and have no end."""
    return replace(
        issue,
        message=_short(issue.message),
        where=_short(issue.where),
        suggestion=_short(issue.suggestion),
    )


def _short(text: str) -> str:
    """The text on one line; where it is longer than any sentence, its beginning and its end."""
    half = _LONGEST_TEXT // 2
    return one_line(text if len(text) <= _LONGEST_TEXT else f"{text[:half]}...{text[-half:]}")


def _watch(parent: int, memory_bytes: int | None) -> None:
    """End this process when its parent is gone, or its memory has grown by more than it may."""
    before = _peak_bytes()
    while os.getppid() == parent or os.name == "nt":  # Windows keeps the id of a dead parent
        time.sleep(_WATCH_S)
        if memory_bytes is not None and _peak_bytes() - before > memory_bytes:
            os._exit(MEMORY_EXIT)
    os._exit(1)


def _peak_bytes() -> int:
    """The most memory this process has held so far; 0 where that cannot be asked."""
    try:
        import resource  # noqa: PLC0415 - not everywhere
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main() -> None:
    """Entry point of the process."""
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which ends this one
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not touch the answer
    asked = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=ReadRequest)
    limited = limit_itself(asked.memory_bytes, asked.seconds)
    watched = None if limited else asked.memory_bytes
    threading.Thread(target=_watch, args=(asked.parent, watched), daemon=True).start()
    try:
        words = answer(sys.argv[1], asked.request)
    except MemoryError:  # not enough for the answer either
        os._exit(MEMORY_EXIT)
    with suppress(BrokenPipeError):  # cancelled: there is nobody to tell
        answers.write(words)
        answers.flush()
    os._exit(0)  # not sys.exit: taking a large message apart piece by piece serves nobody


if __name__ == "__main__":
    main()
