"""A list of choices whose shown one is shortened with an ellipsis when there is no room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter


class ElidingCombo(QComboBox):
    """Qt's own cuts the text in the middle of a letter."""

    def shown_text(self) -> str:
        """The text as it is drawn now."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._elided(option)

    def minimumSizeHint(self) -> QSize:
        """Qt: no more than is wanted; QComboBox 6.10 remembers the one of a former contents length.

        (It forgets its sizeHint alone in setMinimumContentsLength.)
        """
        return super().minimumSizeHint().boundedTo(self.sizeHint())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: as ever, with the shortened text."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self._elided(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _elided(self, option: QStyleOptionComboBox) -> str:
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        room = field.width() - 2  # the style draws a pixel inside of it
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)
