"""One process that runs a schedule: started with its request, read from, killed. Knows no Qt."""

import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from solver.child_python import environment, module_command
from solver.messages import ProtocolError, framed
from solver.run_messages import RunEvent, RunRequest, run_event_reader

RUN_COMMAND: Final = module_command("solver.pytorch.replay_process")
_KEPT_ERROR_LINES: Final = 40


class RunProcess:
    """A running `python -m solver.pytorch.replay_process` in its own process group.

    `on_event` and `on_end` are called in this object's reader thread. `on_end` comes exactly once,
    when the process is gone. `folder` is where it runs: the module may be named from there.
    """

    def __init__(
        self,
        request: RunRequest,
        on_event: Callable[["RunProcess", RunEvent], None],
        on_end: Callable[["RunProcess"], None],
        *,
        folder: Path | None = None,
        command: Sequence[str] = RUN_COMMAND,
    ) -> None:
        self._request, self._on_event, self._on_end = request, on_event, on_end
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
        self._threads = [
            threading.Thread(target=target, name=f"run: {name}", daemon=True)
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
    def errors(self) -> str:
        """The last lines it wrote to stderr, or printed."""
        return "\n".join(self._errors)

    def kill(self) -> None:
        """End the whole process group at once; does nothing when it is gone."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            else:
                self._popen.kill()

    def close(self) -> None:
        """Kill it and wait until nothing of it is left."""
        self.kill()
        self._popen.wait()
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()
        if self._popen.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._popen.stdin.close()

    def _write(self) -> None:
        """Send the request; the pipe stays open, because its end would end the process."""
        pipe = self._popen.stdin
        if pipe is None:
            raise RuntimeError("the run was started without a pipe to write to")
        with contextlib.suppress(BrokenPipeError):  # it has died, which the reader notices
            pipe.write(framed(self._request))
            pipe.flush()

    def _read(self) -> None:
        pipe = self._popen.stdout
        if pipe is None:
            raise RuntimeError("the run was started without a pipe to read from")
        with pipe:
            reader = run_event_reader(pipe)  # type: ignore[arg-type]  # IO[bytes] is a BinaryIO here
            try:
                while (event := reader.read()) is not None:
                    self._on_event(self, event)
            except ProtocolError as error:
                self._errors.append(str(error))
                self.kill()
        self._popen.wait()
        self._on_end(self)

    def _keep_errors(self) -> None:
        pipe = self._popen.stderr
        if pipe is None:
            raise RuntimeError("the run was started without a pipe for its errors")
        with pipe:
            for line in pipe:
                self._errors.append(line.decode("utf-8", "replace").rstrip())
