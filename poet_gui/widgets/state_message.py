"""Words in place of a picture: nothing yet, busy, impossible, failed."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from poet_gui.widgets.parts import label, set_tone


class ViewState(StrEnum):
    """Why there is no schedule to draw."""

    EMPTY = "empty"
    BUSY = "busy"
    INFEASIBLE = "infeasible"
    FAILED = "failed"


_LOOK: Final = MappingProxyType(
    {
        ViewState.EMPTY: ("○", "muted"),
        ViewState.BUSY: ("…", "accent"),
        ViewState.INFEASIBLE: ("⊘", "warning"),
        ViewState.FAILED: ("⚠", "danger"),
    }
)


class StateMessage(QWidget):
    """A sign, a heading and a sentence in the middle of the area."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stateMessage")
        self._sign, self._title = label(), label(size="title")
        self._text = label(tone="muted")
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        for part in (self._sign, self._title, self._text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            part.setWordWrap(True)
            part.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
            layout.addWidget(part)
        layout.addStretch(3)
        font = self._sign.font()
        font.setPointSizeF(font.pointSizeF() * 2.4)
        self._sign.setFont(font)
        self.show_state(ViewState.EMPTY, "", "")

    def show_state(self, state: ViewState, title: str, text: str) -> None:
        """Say this; the sign and its colour follow from the state."""
        sign, tone = _LOOK[state]
        self._sign.setText(sign)
        set_tone(self._sign, tone)
        self._title.setText(title)
        self._text.setText(text)
        self.setAccessibleName(f"{title}. {text}")

    def texts(self) -> tuple[str, str]:
        """Heading and sentence that are shown."""
        return self._title.text(), self._text.text()

    def labels(self) -> tuple[QLabel, QLabel, QLabel]:
        """Sign, heading and sentence."""
        return self._sign, self._title, self._text
