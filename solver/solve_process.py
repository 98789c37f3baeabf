"""One solve process with its pipes: started, written to, read from, killed. Knows no Qt."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from solver.child_python import environment, module_command
from solver.messages import (
    ProtocolError,
    Request,
    Shutdown,
    WorkerEvent,
    encode,
    event_reader,
)

WORKER_COMMAND: Final = module_command("solver.worker")
_KEPT_ERROR_LINES: Final = 40


class SolveProcess:
    """A running `python -m solver.worker` in its own process group.

    `on_event` and `on_end` are called in this object's reader thread. `on_end` comes exactly once,
    when the process is gone and every event that it sent has been delivered.
    """

    def __init__(
        self,
        on_event: Callable[["SolveProcess", WorkerEvent], None],
        on_end: Callable[["SolveProcess"], None],
        command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        self._on_event = on_event
        self._on_end = on_end
        self._outbox: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._errors: deque[str] = deque(maxlen=_KEPT_ERROR_LINES)
        self._popen = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env=environment(),
        )
        self._threads = [
            threading.Thread(target=target, name=f"solve process: {name}", daemon=True)
            for name, target in (
                ("write", self._write),
                ("read", self._read),
                ("errors", self._keep_errors),
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

    def send(self, request: Request) -> None:
        """Queue a request; never blocks, even when the pipe is full."""
        self._outbox.put(request)

    def kill(self) -> None:
        """End the whole process group at once; does nothing when it is gone."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._popen.kill()

    def close(self, patience_s: float) -> None:
        """Ask it to end, kill it after `patience_s` seconds, and join the threads."""
        self.send(Shutdown())
        self._outbox.put(None)
        try:
            self._popen.wait(patience_s)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # The group is killed in any case: a child of the worker must not outlive its user.
            self.kill()
        self._popen.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(patience_s)

    def _write(self) -> None:
        pipe = self._popen.stdin
        if pipe is None:
            raise RuntimeError("the solve process was started without a pipe to write to")
        # A reader that has gone is noticed by _read, which reports the end.
        with contextlib.suppress(BrokenPipeError), pipe:
            while (request := self._outbox.get()) is not None:
                pipe.write(encode(request))
                pipe.flush()

    def _read(self) -> None:
        pipe = self._popen.stdout
        if pipe is None:
            raise RuntimeError("the solve process was started without a pipe to read from")
        with pipe:
            reader = event_reader(pipe)  # type: ignore[arg-type]  # IO[bytes] is a BinaryIO here
            try:
                while (message := reader.read()) is not None:
                    self._on_event(self, message)
            except ProtocolError as error:
                self._errors.append(str(error))
                self.kill()
        self._popen.wait()
        self._outbox.put(None)
        self._on_end(self)

    def _keep_errors(self) -> None:
        pipe = self._popen.stderr
        if pipe is None:
            raise RuntimeError("the solve process was started without a pipe for its errors")
        with pipe:
            for line in pipe:
                self._errors.append(line.decode("utf-8", "replace").rstrip())
