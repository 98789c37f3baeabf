"""The process that runs a schedule: `python -m solver.pytorch.replay_process`.

The user's module is imported and executed here, so that whatever it does ends with this process.
See solver.run_messages for the protocol.
"""

import faulthandler
import os
import threading
import time
import traceback
from contextlib import suppress
from typing import BinaryIO, Final

from solver.child_python import take_pipes
from solver.errors import EngineError, Issue
from solver.framing import framed
from solver.pytorch.need import require_torch
from solver.run_messages import (
    RunDone,
    RunEvent,
    RunRefused,
    RunRequest,
    RunStep,
    run_request_reader,
)

_TOLD_EVERY_S: Final = 0.05


class _Teller:
    """Sends events; of the steps only as many as an eye can follow."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._told_s = 0.0

    def send(self, event: RunEvent) -> None:
        """Send one event at once."""
        self._stream.write(framed(event))
        self._stream.flush()

    def advance(self, done: int, total: int) -> None:
        """So many actions are done, of all."""
        now = time.monotonic()
        if done == total or now - self._told_s >= _TOLD_EVERY_S:
            self._told_s = now
            self.send(RunStep(done, total))


def answer(request: RunRequest, teller: _Teller) -> RunEvent:
    """Run the schedule; every way in which that can fail becomes an answer."""
    try:
        require_torch()
        from solver.pytorch.replay import replay  # noqa: PLC0415 - imports PyTorch

        return RunDone(replay(request.trace(), teller.advance))
    except EngineError as error:
        return RunRefused(list(error.issues))
    except MemoryError:
        return RunRefused([Issue("the memory of this machine is not enough to run it")])
    except Exception as error:  # noqa: BLE001 - the top loop: whatever PyTorch raises is told
        words = f"it could not be run: {type(error).__name__}: {str(error).partition(chr(10))[0]}"
        return RunRefused([Issue(words, "", "see the details")], traceback.format_exc())


def _end_with_parent(requests: BinaryIO) -> None:
    requests.read()
    os._exit(1)


def main() -> None:
    """Entry point of the process."""
    faulthandler.enable()
    requests, events = take_pipes()
    request = run_request_reader(requests).read()
    if request is None:
        return
    threading.Thread(target=_end_with_parent, args=(requests,), daemon=True).start()
    teller = _Teller(events)
    with suppress(BrokenPipeError):  # the window is gone; there is nobody to tell
        teller.send(answer(request, teller))
    os._exit(0)  # not sys.exit: a thread of the user's module would keep the process alive


if __name__ == "__main__":
    main()
