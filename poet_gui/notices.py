"""Notices inside the window: what happened, why, what to do, and details to copy. Never modal."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from poet_gui.widgets.parts import button, label, restyle, set_tone
from solver.errors import Issue

_SHOWN_ISSUES: Final = 4
_KEPT_NOTICES: Final = 3


class Level(StrEnum):
    """How serious a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class NoticeAction:
    """Something to do about a notice: `name` is that of an action of the window."""

    name: str
    text: str
    tip: str


@dataclass(frozen=True, slots=True)
class Notice:
    """`title` says what happened, `text` why and what to do; `details` go to the clipboard.

    `stays`: it does not speak of the open model, another one does not close it. `action` is offered
    as a button.
    """

    level: Level
    title: str
    text: str = ""
    details: str = ""
    stays: bool = False
    action: NoticeAction | None = None

    @property
    def whole(self) -> str:
        """Everything, as it is copied; a text that the details say more fully is left to them."""
        first = self.text.partition("\n")[0]
        text = "" if first and self.details.startswith(first) else self.text
        return "\n".join(part for part in (self.title, text, self.details) if part)


def notice_of_issues(title: str, issues: Sequence[Issue], details: str = "") -> Notice:
    """A notice of everything that is wrong with a file, the first few in sight."""
    lines = [str(issue) for issue in issues]
    shown = lines[:_SHOWN_ISSUES]
    if len(lines) > _SHOWN_ISSUES:
        shown.append(f"… and {len(lines) - _SHOWN_ISSUES} more; copy the details to see all")
    everything = "\n".join(lines)
    whole = f"{everything}\n{details}".strip()
    return Notice(Level.ERROR, title, "\n".join(shown), whole)


class NoticeBar(QFrame):
    """One notice with its buttons.

    Signals
    -------
    closed(object)
        The user has seen it; carries this widget.
    action_requested(str)
        The user wants the action of that name.
    """

    closed = Signal(object)
    action_requested = Signal(str)

    def __init__(self, notice: Notice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.notice = notice
        self.setObjectName("noticeBar")
        self.setProperty("level", notice.level.value)
        self.setAccessibleName(f"{notice.level}: {notice.title}")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        title = label(notice.title, weight="bold")
        title.setObjectName("noticeTitle")
        title.setWordWrap(True)
        title.setTextFormat(Qt.TextFormat.PlainText)
        set_tone(title, {"error": "danger", "warning": "warning"}.get(notice.level.value, ""))
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(title)
        if notice.text:
            text = label(notice.text)
            text.setObjectName("noticeText")
            text.setWordWrap(True)
            text.setTextFormat(Qt.TextFormat.PlainText)
            texts.addWidget(text)
        self.copy_button = button(
            "Copy details", name="noticeCopy", tip="copy everything about this notice"
        )
        self.close_button = button("Close", name="noticeClose", tip="close this notice")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 10, 8)
        layout.addLayout(texts, 1)
        if notice.action is not None:
            act = button(notice.action.text, name="noticeAction", tip=notice.action.tip)
            act.clicked.connect(self._on_action)
            layout.addWidget(act, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.copy_button, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self.copy_button.clicked.connect(self._on_copy)
        self.close_button.clicked.connect(self._on_close)
        restyle(self)

    @Slot()
    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self.notice.whole)
        self.copy_button.setText("Copied")

    @Slot()
    def _on_action(self) -> None:
        if self.notice.action is not None:
            self.action_requested.emit(self.notice.action.name)

    @Slot()
    def _on_close(self) -> None:
        self.closed.emit(self)


class NoticeArea(QWidget):
    """The latest notices, newest on top; takes no room when there is none.

    Signals
    -------
    action_requested(str)
        The user wants the action of the window that a notice offers.
    """

    action_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noticeArea")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(6)
        self._bars: list[NoticeBar] = []
        self.hide()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is in sight, newest first."""
        return tuple(bar.notice for bar in self._bars)

    @Slot(object)
    def show_notice(self, notice: Notice) -> None:
        """Put a notice on top; the same one is not repeated, old ones make room."""
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
        for bar in tuple(self._bars):
            if not bar.notice.stays:
                self._remove(bar)

    def close_latest(self) -> bool:
        """Close the newest; False when there is none."""
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
