"""A notice that comes and goes by itself, over the views: it moves none of them."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtGui import QEnterEvent, QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from poet_gui.notices import Notice
from poet_gui.widgets.notice_bar import NoticeBar

SHOWN_MS: Final = 8000
"""Long enough to read a title and a path; it stays while the pointer is on it."""
_MARGIN: Final = 12
_WIDEST: Final = 36
"""Heights of a line of text."""


class PassingNotice(QWidget):
    """The latest passing notice, in the lower left corner of `stage`.

    Signals
    -------
    action_requested(str)
        The user wants the action of the window that the notice offers.
    """

    action_requested = Signal(str)

    def __init__(self, stage: QWidget, shown_ms: int = SHOWN_MS) -> None:
        super().__init__(stage)
        self.setObjectName("passingNotice")
        self._stage = stage
        self._bar: NoticeBar | None = None
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._over = QTimer(self, singleShot=True, interval=shown_ms)
        self._over.timeout.connect(self.close_notice)
        stage.installEventFilter(self)
        self.hide()

    @property
    def notice(self) -> Notice | None:
        """What is in sight."""
        return None if self._bar is None else self._bar.notice

    def show_notice(self, notice: Notice) -> None:
        """Show this one in place of the one before."""
        self.close_notice()
        self._bar = NoticeBar(notice, self)
        self._bar.closed.connect(self.close_notice)
        self._bar.action_requested.connect(self.action_requested)
        self._layout.addWidget(self._bar)
        self._place()
        self.show()
        self.raise_()

    @Slot()
    def close_notice(self) -> None:
        """Take it away."""
        bar, self._bar = self._bar, None
        if bar is not None:
            self.hide()
            self._layout.removeWidget(bar)
            bar.hide()
            bar.deleteLater()

    def _place(self) -> None:
        """Take as much room as the text needs, of what the stage has."""
        stage, line = self._stage, self.fontMetrics().height()
        width = min(_WIDEST * line, stage.width() - 2 * _MARGIN)
        self.ensurePolished()
        height = self._layout.totalHeightForWidth(width)
        self.resize(width, height if height > 0 else self._layout.totalSizeHint().height())
        self.move(QPoint(_MARGIN, stage.height() - self.height() - _MARGIN))

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: the corner has moved."""
        if event.type() == QEvent.Type.Resize and self._bar is not None:
            self._place()
        return super().eventFilter(watched, event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Qt: who points at it reads it."""
        super().enterEvent(event)
        self._over.stop()

    def leaveEvent(self, event: QEvent) -> None:
        """Qt: the time begins anew."""
        super().leaveEvent(event)
        self._over.start()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: the time begins."""
        super().showEvent(event)
        self._place()
        self._over.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt: a timer must not outlive what it is for."""
        self._over.stop()
        super().hideEvent(event)
