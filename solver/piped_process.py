"""A child process that speaks in messages: its pipes, its threads, its end. Knows no Qt."""

import contextlib
import os
import signal
import subprocess
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, Generic, TypeVar, cast

from solver.child_python import environment
from solver.framing import MessageReader, ProtocolError

_KEPT_ERROR_LINES: Final = 40
_E = TypeVar("_E")


class PipedProcess(ABC, Generic[_E]):
    """A running command in its own process group, which reports events of one kind.

    `on_event` and `on_end` are called in this object's reader thread. `on_end` comes exactly once,
    when the process is gone and every event that it sent has been delivered. `folder` is where it
    runs; None is here. A subclass sets what its `_write` needs before this is initialised.
    """

    def __init__(
        self,
        on_event: Callable[[Any, _E], None],  # Any: the subclass says its own type
        on_end: Callable[[Any], None],
        command: Sequence[str],
        *,
        reader: Callable[[BinaryIO], MessageReader[_E]],
        folder: Path | None = None,
    ) -> None:
        self._on_event, self._on_end, self._reader = on_event, on_end, reader
        self._errors: deque[str] = deque(maxlen=_KEPT_ERROR_LINES)
        self._popen = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            cwd=folder,
            env=environment(),
        )
        stdin, stdout, stderr = map(
            _opened, (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        )
        self._threads = [
            threading.Thread(target=target, args=(pipe,), name=f"process: {name}", daemon=True)
            for name, target, pipe in (
                ("write", self._write, stdin),
                ("read", self._read, stdout),
                ("errors", self._keep_errors, stderr),
            )
        ]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Its process id, which is also the id of its process group."""
        return self._popen.pid

    @property
    def returncode(self) -> int | None:
        """How it ended: minus the signal's number when killed; None while it runs."""
        return self._popen.poll()

    @property
    def errors(self) -> str:
        """The last lines it wrote to stderr."""
        return "\n".join(self._errors)

    def kill(self) -> None:
        """End the whole process group at once; does nothing when it is gone."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._popen.kill()

    def _join(self, patience_s: float | None = None) -> None:
        """Wait for process and threads, the latter at most `patience_s` seconds each."""
        self._popen.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(patience_s)

    @abstractmethod
    def _write(self, pipe: BinaryIO) -> None:
        """Write what is to be said to the process, in a thread of its own."""

    def _ended(self) -> None:
        """Called in the reader thread when the process is gone, before `on_end`."""

    def _read(self, pipe: BinaryIO) -> None:
        with pipe:
            reader = self._reader(pipe)
            try:
                while (event := reader.read()) is not None:
                    self._on_event(self, event)
            except ProtocolError as error:
                self._errors.append(str(error))
                self.kill()
        self._popen.wait()
        self._ended()
        self._on_end(self)

    def _keep_errors(self, pipe: BinaryIO) -> None:
        with pipe:
            for line in pipe:
                self._errors.append(line.decode("utf-8", "replace").rstrip())


def _opened(pipe: IO[bytes] | None) -> BinaryIO:
    if pipe is None:
        raise RuntimeError("the process was started without a pipe")
    return cast("BinaryIO", pipe)
