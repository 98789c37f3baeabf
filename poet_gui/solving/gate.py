"""What background threads may still say: everything until the gate is closed, nothing after it."""

import threading
from collections.abc import Callable
from typing import TypeVarTuple

_Ts = TypeVarTuple("_Ts")


class Gate:
    """Between threads and the signals of an object that will be deleted.

    A thread that is not waited for to its end may be checking a last message when the window is
    gone; emitting a signal of what is deleted is an error in that thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_closed = False

    def pass_on(self, emit: Callable[[*_Ts], object], *args: *_Ts) -> None:
        """Call `emit` unless the gate is closed; it must not block, and not close the gate."""
        with self._lock:
            if not self._is_closed:
                emit(*args)

    def close(self) -> None:
        """Let nothing pass any more; when this returns, no call is under way."""
        with self._lock:
            self._is_closed = True
