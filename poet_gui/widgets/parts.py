"""Small building blocks of the window: cards, labels by role, rules, key-value rows."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from poet_gui.widgets.eliding_label import ElidingLabel


def card(parent: QWidget | None = None, *, name: str = "") -> QFrame:
    """A rounded panel with a vertical layout."""
    frame = QFrame(parent)
    frame.setObjectName(name)
    frame.setProperty("card", "true")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(14, 12, 14, 12)
    layout.setSpacing(8)
    return frame


def label(text: str = "", *, tone: str = "", weight: str = "", size: str = "") -> QLabel:
    """A label whose colour, weight and size come from the theme by role."""
    made = QLabel(text)
    for role, value in (("tone", tone), ("weight", weight), ("rank", size)):
        if value:
            made.setProperty(role, value)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def eliding(text: str = "", *, tone: str = "", at_end: bool = False) -> ElidingLabel:
    """A label that shortens its text when there is no room; the tooltip has it whole."""
    made = ElidingLabel(text, at_end=at_end)
    if tone:
        made.setProperty("tone", tone)
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return made


def set_tone(widget: QWidget, tone: str) -> None:
    """Change the role of a label's colour."""
    if widget.property("tone") != tone:
        widget.setProperty("tone", tone)
        restyle(widget)


def restyle(widget: QWidget) -> None:
    """Let the style sheet look at the widget's properties again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


def rule() -> QFrame:
    """A thin horizontal line."""
    line = QFrame()
    line.setProperty("rule", "true")
    return line


def button(text: str, *, name: str, tip: str, kind: str = "") -> QPushButton:
    """A push button with its object name and tooltip; `kind` is "primary", "link" or empty."""
    made = QPushButton(text)
    made.setObjectName(name)
    made.setToolTip(tip)
    made.setAccessibleName(tip)
    if kind:
        made.setProperty("kind", kind)
    return made


class FactGrid(QWidget):
    """Rows of a muted name and a value, which stands at the right edge unless `left`.

    Where there is no room, values at the left lose their end: it is their number that counts.
    `rows` that will be wanted are made at once: later, the style sheet holds up what they show.
    """

    def __init__(self, parent: QWidget | None = None, *, left: bool = False, rows: int = 0) -> None:
        super().__init__(parent)
        side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
        self._at_end = left
        self._alignment = side | Qt.AlignmentFlag.AlignVCenter
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._values: list[ElidingLabel] = []
        self._names: list[QLabel] = []
        self._facts: tuple[tuple[str, str, str], ...] = ()
        for _ in range(rows):
            self._add_row()

    def set_facts(self, facts: tuple[tuple[str, str, str], ...]) -> None:
        """Show (name, value, tooltip) per row; rows are reused."""
        if facts == self._facts:
            return
        self._facts = facts
        while len(self._names) < len(facts):
            self._add_row()
        for i, (name, value) in enumerate(zip(self._names, self._values, strict=True)):
            shown = i < len(facts)
            name.setVisible(shown)
            value.setVisible(shown)
            if shown:
                name.setText(facts[i][0])
                value.setText(facts[i][1])
                value.setToolTip(f"{facts[i][1]}\n{facts[i][2]}" if facts[i][2] else facts[i][1])
                value.setAccessibleName(f"{facts[i][0]}: {facts[i][1]}")

    def _add_row(self) -> None:
        row = len(self._names)
        name, value = label(tone="muted"), eliding(at_end=self._at_end)
        value.setAlignment(self._alignment)
        for column, widget in enumerate((name, value)):
            widget.hide()
            self._grid.addWidget(widget, row, column)
        self._names.append(name)
        self._values.append(value)

    def texts(self) -> dict[str, str]:
        """What is shown, by name."""
        pairs = zip(self._names, self._values, strict=True)
        return {name.text(): value.text() for name, value in pairs if not name.isHidden()}
