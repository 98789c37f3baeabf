"""A spin box for a quantity: a number in the chosen unit, or anything that solver.units reads."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from solver.errors import UsageError


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of the combo box: what is shown, how much of the base unit, decimals."""

    name: str
    scale: float
    decimals: int = 1


BYTE_UNITS = (
    Unit("B", 1, 0),
    Unit("KiB", 2**10),
    Unit("MiB", 2**20, 2),
    Unit("GiB", 2**30, 3),
)
SECOND_UNITS = (Unit("µs", 1e-6), Unit("ms", 1e-3, 2), Unit("s", 1.0, 2))

_MICRO = re.compile("[uμ]s$")
"""Ways to type what is shown as µs."""


class _Field(QLineEdit):
    """The text part: any text may be typed, arrow keys and the wheel step.

    Not a QAbstractSpinBox: without a value type of its own that replaces the text on Enter.
    """

    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: up and down step, everything else edits."""
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10,
                 Qt.Key.Key_PageDown: -10}.get(Qt.Key(event.key()))  # fmt: skip
        if steps is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(steps)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: as with the slider, the wheel changes a number only where the focus is."""
        if self.hasFocus() and event.angleDelta().y():
            self.stepped.emit(1 if event.angleDelta().y() > 0 else -1)
        else:
            event.ignore()


class QuantityBox(QWidget):
    """Number and unit; None is shown as `empty_text`.

    Signals
    -------
    entered(object)
        The user typed or stepped to this value in base units (float), or cleared it (None).
    unit_chosen(str)
        The user wants to see the value in this unit.
    rejected(str)
        What was typed is no such quantity: a sentence. The former value stays.
    """

    entered = Signal(object)
    unit_chosen = Signal(str)
    rejected = Signal(str)

    def __init__(
        self,
        units: Sequence[Unit],
        parse: Callable[[str], float],
        *,
        empty_text: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._units = tuple(units)
        self._parse = parse
        self._empty_text = empty_text
        self._value: float | None = None
        self._unit_chosen = False
        self.field = _Field(self)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.units = QComboBox(self)
        self.units.setProperty("quiet", "true")
        self.units.addItems([unit.name for unit in self._units])
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.units)
        self.setFocusProxy(self.field)
        self.field.stepped.connect(self._on_stepped)
        self.field.editingFinished.connect(self._on_finished)
        self.units.activated.connect(self._on_unit_chosen)

    @property
    def value(self) -> float | None:
        """The value last set or entered, in base units."""
        return self._value

    def set_names(self, name: str, description: str) -> None:
        """Give both parts their object name, accessible name and tooltip."""
        self.field.setObjectName(name)
        self.units.setObjectName(f"{name}Unit")
        self.field.setAccessibleName(description)
        self.units.setAccessibleName(f"unit of {description}")
        self.field.setToolTip(f"{description}: a number, or a quantity with its unit, then Enter")
        self.units.setToolTip(f"unit of {description}")

    def set_unit(self, name: str) -> None:
        """Show values in this unit from now on; an unknown name leaves the choice to the value."""
        names = [unit.name for unit in self._units]
        if name in names:
            self._unit_chosen = True
            self.units.setCurrentIndex(names.index(name))
            self._show()

    def edit(self) -> None:
        """Put the focus here with the text selected."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def set_value(self, value: float | None, *, typical: float | None = None) -> None:
        """Show a value; the text under the user's hands is left alone.

        `typical` decides the unit while there is no value.
        """
        same = value == self._value
        self._value = value
        if same and self.field.hasFocus() and self.field.isModified():
            return
        size = typical if value is None else value
        if size is not None and not self._unit_chosen:
            self._choose_unit(size)
        self._show()

    def _show(self) -> None:
        self._mark(invalid=False)
        self.field.setText(self._text())
        self.field.setModified(False)

    def _text(self) -> str:
        if self._value is None:
            return self._empty_text
        unit = self._units[self.units.currentIndex()]
        number = self._value / unit.scale
        # Thousands and decimals stay in the C locale: what is shown can be typed back.
        text = f"{number:.{unit.decimals}f}"
        if self._value and float(text) == 0:
            return f"{number:.3g}"
        return text

    def _choose_unit(self, value: float) -> None:
        fitting = [i for i, unit in enumerate(self._units) if value >= unit.scale]
        self.units.setCurrentIndex(fitting[-1] if fitting else 0)

    def _mark(self, *, invalid: bool) -> None:
        wanted = "true" if invalid else "false"
        if self.field.property("invalid") != wanted:
            self.field.setProperty("invalid", wanted)
            self.field.style().unpolish(self.field)
            self.field.style().polish(self.field)

    def _on_unit_chosen(self, index: int) -> None:
        self.set_unit(self._units[index].name)
        self.unit_chosen.emit(self._units[index].name)

    def _on_stepped(self, steps: int) -> None:
        if self._value is not None:
            unit = self._units[self.units.currentIndex()]
            step = unit.scale if self._value >= 10 * unit.scale else unit.scale / 10
            self.entered.emit(max(0.0, self._value + steps * step))

    def _on_finished(self) -> None:
        edit = self.field
        if not edit.isModified():
            return
        text = edit.text().strip()
        edit.setModified(False)
        if text in {"", self._empty_text} and self._empty_text:
            self.entered.emit(None)
            return
        if (text and text[-1].isdigit()) or text.endswith("."):
            text = f"{text}{self._units[self.units.currentIndex()].name}"
        try:
            value = self._parse(text)
        except UsageError as error:
            self._mark(invalid=True)
            self.rejected.emit(str(error))
            return
        self._follow_unit(text)
        self._mark(invalid=False)
        self.entered.emit(value)
        self._show()

    def _follow_unit(self, text: str) -> None:
        """Go on in the unit that the user typed, if it is one of ours."""
        text = _MICRO.sub("µs", text)
        for i, unit in enumerate(self._units):
            if text.lower().endswith(unit.name.lower()) and (
                len(text) == len(unit.name) or not text[-len(unit.name) - 1].isalpha()
            ):
                self._on_unit_chosen(i)
