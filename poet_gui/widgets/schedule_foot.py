"""The row below the picture of a schedule: transport, legend, and what the axes mean."""

from typing import Final

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QGridLayout

from poet_gui.theme import Theme
from poet_gui.widgets.axis_toggle import AxisToggle
from poet_gui.widgets.blocks_toggle import BlocksToggle
from poet_gui.widgets.legend import Legend
from poet_gui.widgets.transport_bar import TransportBar

_LOW: Final = 18
_VERY_LOW: Final = 11
"""Lines of text: a lower view has no row to spare for its legend, not even beside the buttons."""
_SIDE, _GAP = 6, 6
_ANY_WIDTH: Final = 10**6
"""Pixels in which every legend stands in one row."""


class ScheduleFoot(QGridLayout):
    """Lays its parts out in one row, or the legend below the others where the row is too short."""

    def __init__(self) -> None:
        super().__init__()
        self.legend, self.transport = Legend(), TransportBar()
        self.axis_toggle, self.blocks_toggle = AxisToggle(), BlocksToggle()
        self._below = False
        self.setContentsMargins(_SIDE, 0, _SIDE, 0)
        self.setHorizontalSpacing(_GAP)
        self.setColumnStretch(1, 1)
        self.addWidget(self.transport, 0, 0)
        self.addWidget(self.legend, 0, 1)
        self.addWidget(self.axis_toggle, 0, 2)
        self.addWidget(self.blocks_toggle, 0, 3)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.legend.set_theme(theme)
        self.transport.set_theme(theme)

    def fit(self, view: QSize, line: int) -> None:
        """Place the legend for a view of this size, pixels, with text `line` pixels high.

        It stands beside the buttons, or below them when it would need three rows there, or gives
        way: lanes come before words, and the cards at the pointer name every kind, too.
        """
        parts = (self.transport, self.axis_toggle, self.blocks_toggle)
        # 54 pixels: margins of this row and of the view around it, gaps, and some air.
        taken = sum(part.sizeHint().width() for part in parts) + 54
        one_row = self.legend.heightForWidth(_ANY_WIDTH)
        beside = self.legend.heightForWidth(max(1, view.width() - taken))
        below = beside > 2 * one_row
        least = _LOW if below else 0 if beside <= one_row else _VERY_LOW
        self.legend.setVisible(view.height() >= least * line)
        if below != self._below:
            self._below = below
            self.removeWidget(self.legend)
            place = (1, 0, 1, 4) if below else (0, 1, 1, 1)
            self.addWidget(self.legend, *place)
