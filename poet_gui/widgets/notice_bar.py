"""One notice on screen, with its buttons."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from poet_gui.notices import Notice
from poet_gui.widgets.parts import button, label, restyle, set_tone


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
        self.setProperty("passing", "true" if notice.passes else "false")
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
