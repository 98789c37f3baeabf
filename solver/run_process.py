"""One process that runs a schedule: started with its request, read from, killed. Knows no Qt."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Final, Self

from solver.child_python import module_command
from solver.framing import framed
from solver.piped_process import PipedProcess
from solver.run_messages import RunEvent, RunRequest, run_event_reader

RUN_COMMAND: Final = module_command("solver.pytorch.replay_process")


class RunProcess(PipedProcess[RunEvent]):
    """A running `python -m solver.pytorch.replay_process`.

    `folder` is where it runs: the module may be named from there.
    """

    def __init__(
        self,
        request: RunRequest,
        on_event: Callable[[Self, RunEvent], None],
        on_end: Callable[[Self], None],
        *,
        folder: Path | None = None,
        command: Sequence[str] = RUN_COMMAND,
    ) -> None:
        self._request = request
        super().__init__(on_event, on_end, command, reader=run_event_reader, folder=folder)

    def close(self) -> None:
        """Kill it and wait until nothing of it is left."""
        self.kill()
        self._join()
        if self._popen.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._popen.stdin.close()

    def _write(self, pipe: BinaryIO) -> None:
        """Send the request; the pipe stays open, because its end would end the process."""
        with contextlib.suppress(BrokenPipeError):  # it has died, which the reader notices
            pipe.write(framed(self._request))
            pipe.flush()
