"""A spin box for a quantity: a number in the chosen unit, or anything that solver.units reads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QHBoxLayout, QWidget

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
SECOND_UNITS = (Unit("us", 1e-6), Unit("ms", 1e-3, 2), Unit("s", 1.0, 2))


class _Spin(QAbstractSpinBox):
    """The text part: steps are passed on, any text may be typed."""

    stepped = Signal(int)

    def stepBy(self, steps: int) -> None:
        """Qt: arrow keys and wheel."""
        self.stepped.emit(steps)

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:
        """Qt: both directions, always."""
        flags = QAbstractSpinBox.StepEnabledFlag
        return flags.StepUpEnabled | flags.StepDownEnabled

    def validate(self, text: str, pos: int) -> object:
        """Qt: any text may be typed; Enter decides."""
        return (QValidator.State.Acceptable, text, pos)


class QuantityBox(QWidget):
    """Number and unit; None is shown as `empty_text`.

    Signals
    -------
    entered(object)
        The user typed or stepped to this value in base units (float), or cleared it (None).
    rejected(str)
        What was typed is no such quantity: a sentence. The former value stays.
    """

    entered = Signal(object)
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
        self.spin = _Spin(self)
        self.spin.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.spin.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.spin.setKeyboardTracking(False)
        self.units = QComboBox(self)
        self.units.setProperty("quiet", "true")
        self.units.addItems([unit.name for unit in self._units])
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.spin, 1)
        layout.addWidget(self.units)
        self.setFocusProxy(self.spin)
        self.spin.stepped.connect(self._on_stepped)
        self.spin.editingFinished.connect(self._on_finished)
        self.units.activated.connect(self._on_unit_chosen)
        self.spin.installEventFilter(self)

    @property
    def value(self) -> float | None:
        """The value last set or entered, in base units."""
        return self._value

    def set_names(self, name: str, description: str) -> None:
        """Give both parts their object name, accessible name and tooltip."""
        self.spin.setObjectName(name)
        self.units.setObjectName(f"{name}Unit")
        self.spin.setAccessibleName(description)
        self.units.setAccessibleName(f"unit of {description}")
        self.spin.setToolTip(f"{description}: a number, or a quantity with its unit, then Enter")
        self.units.setToolTip(f"unit of {description}")

    def edit(self) -> None:
        """Put the focus here with the text selected."""
        self.spin.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.spin.selectAll()

    def set_value(self, value: float | None, *, typical: float | None = None) -> None:
        """Show a value; the text under the user's hands is left alone.

        `typical` decides the unit while there is no value.
        """
        same = value == self._value
        self._value = value
        if same and self.spin.hasFocus() and self.spin.lineEdit().isModified():
            return
        size = typical if value is None else value
        if size is not None and not self._unit_chosen:
            self._choose_unit(size)
        self._show()

    def _show(self) -> None:
        self._mark(invalid=False)
        self.spin.lineEdit().setText(self._text())
        self.spin.lineEdit().setModified(False)

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
        if self.spin.property("invalid") != wanted:
            self.spin.setProperty("invalid", wanted)
            self.spin.style().unpolish(self.spin)
            self.spin.style().polish(self.spin)

    def _on_unit_chosen(self, index: int) -> None:
        self._unit_chosen = True
        self.units.setCurrentIndex(index)
        self._show()

    def _on_stepped(self, steps: int) -> None:
        if self._value is not None:
            unit = self._units[self.units.currentIndex()]
            step = unit.scale if self._value >= 10 * unit.scale else unit.scale / 10
            self.entered.emit(max(0.0, self._value + steps * step))

    def _on_finished(self) -> None:
        edit = self.spin.lineEdit()
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
        for i, unit in enumerate(self._units):
            if text.lower().endswith(unit.name.lower()) and (
                len(text) == len(unit.name) or not text[-len(unit.name) - 1].isalpha()
            ):
                self.units.setCurrentIndex(i)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: keep the wheel from a box that has no focus."""
        # As with the slider: the wheel changes a number only when the box has the focus.
        if event.type() == QEvent.Type.Wheel and not self.spin.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)
