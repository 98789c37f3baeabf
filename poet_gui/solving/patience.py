"""How long the window waits for what it has cancelled."""

from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

OBEY_MS: Final = 1000
_MOST_MS: Final = 60_000


class Patience(QObject):
    """Requests that were cancelled and have not ended yet.

    A process that still loads its libraries hears nobody, and the one that takes its place loads
    them again: after each replacement the wait is twice as long, until one is warm.

    Signals
    -------
    exhausted()
        One of them still goes on, a second (or what that has become) after the first of them was
        cancelled.
    """

    exhausted = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._awaited: set[int] = set()
        self._usual_ms = OBEY_MS
        self._deadline = QTimer(self, singleShot=True, interval=OBEY_MS)
        self._deadline.timeout.connect(self.exhausted)

    @property
    def waits(self) -> bool:
        """Whether anything that was cancelled goes on."""
        return bool(self._awaited)

    def wait_ms(self, most_ms: int) -> None:
        """Wait so long from now on, milliseconds."""
        self._usual_ms = most_ms
        self._deadline.setInterval(most_ms)

    def lengthen(self) -> None:
        """Wait twice as long from now on: the process is replaced, and the next one is cold."""
        self._deadline.setInterval(min(2 * self._deadline.interval(), _MOST_MS))

    def is_warm(self) -> None:
        """The process hears what it is told: it is waited for as usual."""
        self._deadline.setInterval(self._usual_ms)

    def wait_for(self, request_id: int) -> None:
        """That request was cancelled now."""
        self._awaited.add(request_id)
        if not self._deadline.isActive():
            self._deadline.start()

    def ended(self, request_id: int) -> None:
        """That request has ended, cancelled or not."""
        self._awaited.discard(request_id)
        if not self._awaited:
            self._deadline.stop()

    def forget(self) -> None:
        """Wait for nothing any more: whoever was asked is gone."""
        self._awaited.clear()
        self._deadline.stop()
