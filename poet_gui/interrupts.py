"""Ctrl+C and SIGTERM close the window as its own button does."""

import os
import signal
import socket
from types import FrameType
from typing import Any, Final

from PySide6.QtCore import QObject, QSocketNotifier, Signal

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class InterruptWatch(QObject):
    """Hears both signals at once, from `install` to `remove`.

    Python runs its handlers between two steps of its own, and Qt's loop takes none while nothing
    happens: so the number of the signal is written to a socket too, which wakes the loop. A second
    signal ends the process at once. One that the caller ignores (nohup) stays ignored.

    Signals
    -------
    heard(int)
        The exit code that is due, 128 + the signal's number, as shells have it.
    """

    heard = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.code: int | None = None
        self._ours, self._theirs = socket.socketpair()
        for end in (self._ours, self._theirs):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._ours.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_signal)
        self._before: dict[signal.Signals, Any] = {}  # handlers, as `signal` returns them
        self._fd_before = -1

    def install(self) -> None:
        """Listen; to be called in the main thread."""
        self._fd_before = signal.set_wakeup_fd(self._theirs.fileno())
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._hear)

    def remove(self) -> None:
        """Give the handlers back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
        signal.set_wakeup_fd(self._fd_before)
        self._notifier.setEnabled(False)
        self._ours.close()
        self._theirs.close()

    def _hear(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the signature
        """Between any two steps of ours: nothing is closed here."""
        if self.code is not None:
            os._exit(128 + number)
        self.code = 128 + number

    def _on_signal(self) -> None:
        """In the loop; the socket also hears of signals that are not ours."""
        self._ours.recv(64)
        if self.code is not None:
            self.heard.emit(self.code)
