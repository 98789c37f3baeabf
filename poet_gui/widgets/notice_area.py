"""Where notices stand: a row each above the views, or, when they only pass, over them."""

from typing import Final

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from poet_gui.notices import Notice
from poet_gui.widgets.notice_bar import NoticeBar
from poet_gui.widgets.passing_notice import PassingNotice

_KEPT_NOTICES: Final = 3


class NoticeArea(QWidget):
    """The latest notices, newest on top; takes no room when there is none.

    Those that pass lie over `stage` instead: what only comes and goes must not move the views.

    Signals
    -------
    action_requested(str)
        The user wants the action of the window that a notice offers.
    """

    action_requested = Signal(str)

    def __init__(self, stage: QWidget) -> None:
        super().__init__(stage)
        self.setObjectName("noticeArea")
        self.passing = PassingNotice(stage)
        self.passing.action_requested.connect(self.action_requested)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        self._bars: list[NoticeBar] = []
        self.hide()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is in sight, newest first."""
        passing = self.passing.notice
        first = () if passing is None else (passing,)
        return (*first, *(bar.notice for bar in self._bars))

    @Slot(object)
    def show_notice(self, notice: Notice) -> None:
        """Put a notice on top; the same one is not repeated, old ones make room."""
        if notice.passes:
            self.passing.show_notice(notice)
            return
        for bar in tuple(self._bars):
            if bar.notice == notice:
                self._remove(bar)
        bar = NoticeBar(notice, self)
        bar.closed.connect(self._remove)
        bar.action_requested.connect(self.action_requested)
        self._bars.insert(0, bar)
        self._layout.insertWidget(0, bar)
        for old in self._bars[_KEPT_NOTICES:]:
            self._remove(old)
        self.show()

    def clear(self) -> None:
        """Close those that speak of the open model."""
        self.passing.close_notice()
        for bar in tuple(self._bars):
            if not bar.notice.stays:
                self._remove(bar)

    def close_latest(self) -> bool:
        """Close the one that lies over the views, else the newest; False when there is none."""
        if self.passing.notice is not None:
            self.passing.close_notice()
            return True
        if not self._bars:
            return False
        self._remove(self._bars[0])
        return True

    @Slot(object)
    def _remove(self, bar: NoticeBar) -> None:
        if bar in self._bars:
            self._bars.remove(bar)
            self._layout.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        self.setVisible(bool(self._bars))
