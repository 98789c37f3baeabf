"""Files are read by a process of their own, with limits: whatever it meets is one sentence.

Built-in networks are made here. A model file is read and differentiated, and a saved result read
and verified, by `python -m solver.reader`, which may take as much memory and time as ReadingLimits
say; that it was stopped, crashed, or never answered is told like any other mistake in a file.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, assert_never

import msgspec

from solver.child_python import environment, module_command
from solver.costs import price
from solver.errors import EngineError, Issue, ModelError, UsageError
from solver.files import is_there, why_not_readable
from solver.graph_request import GraphRequest
from solver.loading import LoadedModel, load_training_graph
from solver.packing import unpack_outcome
from solver.problem import Problem
from solver.reader import (
    MEMORY_EXIT,
    Answer,
    Failure,
    ReadDone,
    ReadExhausted,
    ReadFault,
    ReadNoResult,
    ReadRefused,
    ReadRequest,
    ReadResult,
    encode,
)
from solver.saved_result import SavedResult
from solver.text import one_line
from solver.units import format_bytes, format_seconds
from solver.zoo.registry import builtin_names

READER_COMMAND: Final = module_command("solver.reader")

_TICK_S: Final = 0.05
_NOT_ASKED: Final = "the process that read the file answered what it was not asked"
_TOO_MUCH: Final = "the file is damaged, or larger than can be read here"
_ERROR_BYTES: Final = 4000


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading one file may take.

    seconds : of the clock. memory_bytes : address space, for a small file. memory_per_byte : so
    much more for each byte of the file, which is held twice while its message is taken apart.
    traced_seconds, traced_bytes : for an archive, whose program PyTorch traces, in their place and
    in addition.
    """

    seconds: float = 120.0
    memory_bytes: int = 2**30
    memory_per_byte: int = 4
    traced_seconds: float = 600.0
    traced_bytes: int = 2**32

    def seconds_for(self, path: Path) -> float:
        """Seconds for reading that file."""
        return max(self.seconds, self.traced_seconds) if _is_archive(path) else self.seconds

    def memory_for(self, path: Path) -> int:
        """Bytes of address space for reading that file."""
        try:
            size = path.stat().st_size
        except (OSError, ValueError):  # gone, or no path at all: the reading process says so
            size = 0
        more = self.traced_bytes if _is_archive(path) else 0
        return self.memory_bytes + self.memory_per_byte * size + more


def _is_archive(path: Path) -> bool:
    """Whether it may be an exported PyTorch program; opening a pipe could wait without end."""
    if why_not_readable(path):
        return False  # the reading process says so
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except (OSError, ValueError):  # gone, or no path at all: the reading process says so
        return False


LIMITS: Final = ReadingLimits()


class ReadingCancelledError(EngineError):
    """The user no longer wants the file."""


class ReadingFaultError(EngineError):
    """A fault of this program while it read a file; `details` say where, for a report."""

    def __init__(self, issue: Issue, details: str) -> None:
        super().__init__(issue)
        self.details = details


def read_model(
    request: GraphRequest,
    *,
    limits: ReadingLimits = LIMITS,
    cancelled: Callable[[], bool] = lambda: False,
    command: Sequence[str] = READER_COMMAND,
) -> LoadedModel:
    """The training graph of a file or a built-in network, as loading.load_training_graph makes it.

    `cancelled` is asked about 20 times a second; `command` starts the reading process. No process
    is left behind, however this ends.

    Raises
    ------
    UsageError, ModelError
        As load_training_graph; ModelError also for a file on which the process ran out of time or
        memory, or crashed.
    ReadingCancelledError
        `cancelled` said so.
    ReadingFaultError
        The program itself is at fault.
    """
    path = Path(request.model)
    if request.model in builtin_names() or not is_there(path):
        return load_training_graph(request)
    found = _asked(path, replace(request, model=""), limits, cancelled, command)
    match found:
        case ReadDone(graph=graph, source=source, sha256=sha256):
            return LoadedModel(graph, source, sha256)
        case ReadResult() | ReadNoResult():
            raise ReadingFaultError(Issue(_NOT_ASKED, one_line(path.name)), repr(type(found)))
        case _:
            raise _error(found, path, limits.memory_for(path))


def read_result(
    path: Path,
    *,
    limits: ReadingLimits = LIMITS,
    cancelled: Callable[[], bool] = lambda: False,
    command: Sequence[str] = READER_COMMAND,
) -> SavedResult | None:
    """A saved result as saved_result.load_result makes it; None for a file of another kind.

    What was verified is executed once more here: messages carry no traces. Arguments, errors and
    the end of the process as for `read_model`.
    """
    found = _asked(path, None, limits, cancelled, command)
    match found:
        case ReadResult():
            costed = price(found.graph, found.device)
            problem = Problem(costed, found.budgets, found.switches)
            outcome = unpack_outcome(found.outcome, problem)
            return SavedResult(found.source, found.sha256, problem, found.options, outcome)
        case ReadNoResult():
            return None
        case ReadDone():
            raise ReadingFaultError(Issue(_NOT_ASKED, one_line(path.name)), repr(type(found)))
        case _:
            raise _error(found, path, limits.memory_for(path))


def _asked(
    path: Path,
    request: GraphRequest | None,
    limits: ReadingLimits,
    cancelled: Callable[[], bool],
    command: Sequence[str],
) -> Answer:
    """What the reading process answers to one request; raises where it gives no answer."""
    memory, seconds = limits.memory_for(path), limits.seconds_for(path)
    asked = ReadRequest(request, memory, seconds, os.getpid())
    process = subprocess.Popen(
        [*command, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(OPENBLAS_NUM_THREADS="1"),  # numpy reserves memory for each thread
    )
    try:
        words, errors = _converse(process, encode(asked), path, seconds, cancelled)
    finally:
        process.kill()
        process.communicate()
    try:
        return msgspec.msgpack.decode(words, type=Answer)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _death(process.returncode, errors, path, memory) from error


def _converse(
    process: subprocess.Popen[bytes],
    question: bytes,
    path: Path,
    seconds: float,
    cancelled: Callable[[], bool],
) -> tuple[bytes, bytes]:
    """What the process wrote to stdout and stderr until it ended of itself."""
    deadline = time.monotonic() + seconds
    rest: bytes | None = question
    while True:
        try:
            return process.communicate(rest, timeout=_TICK_S)
        except subprocess.TimeoutExpired:
            rest = None  # communicate keeps what it has not sent yet
        if cancelled():
            raise ReadingCancelledError(Issue("reading was cancelled", one_line(path.name)))
        if time.monotonic() > deadline:
            raise _out_of_time(path, seconds)


def _error(found: Failure, path: Path, memory: int) -> EngineError:
    """The answer that there is nothing to show, as an error."""
    match found:
        case ReadRefused(issues=issues, usage=usage):
            return (UsageError if usage else ModelError)(issues)
        case ReadExhausted():
            return _out_of_memory(path, memory)
        case ReadFault(message=message, details=details):
            words = f"the program met a fault of its own while it read the file: {message}"
            return ReadingFaultError(Issue(words, one_line(path.name)), details)
        case _:
            assert_never(found)


def _out_of_time(path: Path, seconds: float) -> ModelError:
    words = f"reading took longer than {format_seconds(seconds)} and was stopped"
    return ModelError(Issue(words, one_line(path.name), _TOO_MUCH))


def _out_of_memory(path: Path, memory: int) -> ModelError:
    words = f"reading needs more than {format_bytes(memory)} of memory and was stopped"
    return ModelError(Issue(words, one_line(path.name), _TOO_MUCH))


def _death(code: int, errors: bytes, path: Path, memory: int) -> EngineError:
    """Why there is no answer."""
    text = errors[-_ERROR_BYTES:].decode("utf-8", "replace")
    # C++ code ends by abort where it gets no memory.
    if code == MEMORY_EXIT or "bad_alloc" in text or "MemoryError" in text:
        return _out_of_memory(path, memory)
    if code > 0 and text:
        words = f"the program met a fault of its own while it read the file: exit code {code}"
        return ReadingFaultError(Issue(words, one_line(path.name)), text)
    how = _signal_name(-code) if code < 0 else f"exit code {code}"
    words = f"the process that read the file ended without an answer ({how})"
    return ModelError(Issue(words, one_line(path.name), "the file is probably damaged"))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
