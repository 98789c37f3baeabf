"""Two buttons that say what x means: steps or time."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from poet_gui.viewmodels.trace_index import Axis


class AxisToggle(QWidget):
    """One of the two is pressed.

    Signals
    -------
    axis_chosen(object)
        The user wants this Axis.
    """

    axis_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self._buttons: dict[Axis, QToolButton] = {}
        self._group = QButtonGroup(self)
        for axis, tip in (
            (Axis.STEP, "x counts the steps of the schedule (T)"),
            (Axis.TIME, "x is time: wide bars last long (T)"),
        ):
            button = QToolButton(self)
            button.setText(axis.value)
            button.setObjectName(f"{axis.value}AxisButton")
            button.setCheckable(True)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            self._group.addButton(button)
            self._buttons[axis] = button
            row.addWidget(button)
        self.set_axis(Axis.STEP)
        self._group.buttonClicked.connect(self._on_clicked)

    def set_axis(self, axis: Axis) -> None:
        """Show this one as pressed, telling nobody."""
        self._buttons[axis].setChecked(True)

    def _on_clicked(self, button: QToolButton) -> None:
        self.axis_chosen.emit(Axis(button.text()))
