"""Small windows, large text: columns that no longer fit beside the schedule become tabs."""

from typing import Final

from PySide6.QtWidgets import QLayout, QWidget

from poet_gui.layout import Column, Views

_DETAILS: Final = "Details"
_BUDGETS: Final = "Budgets"


class Folding:
    """Moves the right and, if need be, the left column between the splitter and the tabs."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._fitted = (0, 0, 0)

    def fit(self, width: int) -> bool:
        """Fold and unfold for a window of this width, pixels; True when something moved."""
        views = self._views
        for column in (views.left, views.right):
            if self.is_folded(column):
                _measure_again(column.inside)
                _measure_again(views.middle)  # its pages that are not in sight
        self._fitted = self._least_widths()
        gap = views.columns.handleWidth()
        left, middle, right = (least + gap for least in self._fitted)
        middle += gap
        moved = self._fold(views.right, _DETAILS, folded=width < left + middle + right)
        return self._fold(views.left, _BUDGETS, folded=width < left + middle) or moved

    def is_due(self) -> bool:
        """True when a column needs more or less room than when they were fitted last."""
        return self._least_widths() != self._fitted

    def is_folded(self, column: Column) -> bool:
        """True while the column is a tab."""
        return self._views.bottom_tabs.indexOf(column) >= 0

    def _least_widths(self) -> tuple[int, int, int]:
        views = self._views
        left, middle, right = (
            column.minimumSizeHint().width() for column in (views.left, views.middle, views.right)
        )
        return left, middle, right

    def _fold(self, column: Column, title: str, *, folded: bool) -> bool:
        if folded == self.is_folded(column):
            return False
        tabs, columns = self._views.bottom_tabs, self._views.columns
        focus = column.focusWidget()
        if folded:
            tabs.insertTab(0, column, title)
        else:
            tabs.removeTab(tabs.indexOf(column))
            columns.insertWidget(0 if column is self._views.left else columns.count(), column)
            column.show()
        if focus is not None:
            focus.setFocus()
        return True


def _measure_again(inside: QWidget) -> None:
    """Let what is not in sight notice another font: Qt tells hidden layouts nothing."""
    for widget in inside.findChildren(QWidget):
        if not widget.isVisible():
            widget.updateGeometry()  # forgets the size that its layout remembers
    for layout in inside.findChildren(QLayout):
        layout.invalidate()
