"""The status bar: how sure, how to move about, and whether the solve process is there."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QStatusBar, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.solve_words import StatusWords, Tone
from poet_gui.widgets.parts import eliding, label, set_tone

HINT = (
    "drag: select range   ·   wheel: lanes   ·   Ctrl+wheel: zoom at pointer   ·   "
    "middle drag: pan   ·   ? all keys"
)


class _Dot(QWidget):
    """A dot in the colour of a tone; the words beside it say the same."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = LIGHT
        self.tone = Tone.MUTED

    def sizeHint(self) -> QSize:
        """Qt: as wide as a letter."""
        side = max(10, round(0.8 * self.fontMetrics().height()))
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: one filled circle."""
        theme = self.theme
        colours = {Tone.GOOD: theme.good, Tone.ACCENT: theme.accent, Tone.DANGER: theme.danger,
                   Tone.WARNING: theme.over_budget, Tone.MUTED: theme.storage}  # fmt: skip
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours[self.tone]))
        side = 0.7 * min(self.width(), self.height())
        painter.drawEllipse(self.rect().center(), round(side / 2), round(side / 2))
        painter.end()


class StatusLine(QStatusBar):
    """Words of the solve on the left, hints in the middle, the background on the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        self.setSizeGripEnabled(False)
        self._dot = _Dot()
        self._shown: StatusWords | None = None
        self.words = label()
        self.words.setObjectName("statusWords")
        self.hint = eliding(HINT, tone="muted", at_end=True)
        self.background = label(tone="muted")
        self.background.setObjectName("backgroundWords")
        self.addWidget(self._dot)
        self.words.setIndent(0)
        self.words.setContentsMargins(0, 0, 2 * self.fontMetrics().averageCharWidth(), 0)
        self.addWidget(self.words)
        self.addWidget(self.hint, 1)
        self.addPermanentWidget(self.background)
        self.setContentsMargins(14, 2, 14, 4)
        self.show_background("starting the solver …")

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._dot.theme = theme
        self._dot.update()

    def show_words(self, words: StatusWords) -> None:
        """Say where the solve stands."""
        if words == self._shown:
            return
        self._shown = words
        self.words.setText(words.text)
        self.words.setToolTip(words.detail)
        self.words.setAccessibleName(f"solve: {words.text}. {words.detail}")
        self._dot.tone = words.tone
        self._dot.update()

    def show_background(self, text: str) -> None:
        """Say how the solve process is."""
        self.background.setText(text)
        set_tone(self.background, "muted")
