"""One solve process with its pipes: started, written to, read from, killed. Knows no Qt."""

import contextlib
import queue
import subprocess
from collections.abc import Callable, Sequence
from typing import BinaryIO, Final, Self

from solver.child_python import module_command
from solver.messages import Request, Shutdown, WorkerEvent, encode, event_reader
from solver.piped_process import PipedProcess

WORKER_COMMAND: Final = module_command("solver.worker")


class SolveProcess(PipedProcess[WorkerEvent]):
    """A running `python -m solver.worker`."""

    def __init__(
        self,
        on_event: Callable[[Self, WorkerEvent], None],
        on_end: Callable[[Self], None],
        command: Sequence[str] = WORKER_COMMAND,
    ) -> None:
        self._outbox: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        super().__init__(on_event, on_end, command, reader=event_reader)

    def send(self, request: Request) -> None:
        """Queue a request; never blocks, even when the pipe is full."""
        self._outbox.put(request)

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
        self._join(patience_s)

    def _write(self, pipe: BinaryIO) -> None:
        # A reader that has gone is noticed by _read, which reports the end.
        with contextlib.suppress(BrokenPipeError), pipe:
            while (request := self._outbox.get()) is not None:
                pipe.write(encode(request))
                pipe.flush()

    def _ended(self) -> None:
        self._outbox.put(None)
