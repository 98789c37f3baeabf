"""Marks over the plots: playhead, selected range, and the overview's window."""

import pyqtgraph as pg
from PySide6.QtCore import QObject, QSignalBlocker, Qt

from poet_gui.theme import Theme
from poet_gui.viewmodels.time_range import TimeRange
from poet_gui.widgets.time_model import TimeModel


class PlotMarks(QObject):
    """Draws what the time model says into overview, lanes and memory, and takes drags of it."""

    def __init__(
        self, model: TimeModel, parent: QObject, *, plots: list[pg.ViewBox], overview: pg.ViewBox
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._moving = False
        self.window = pg.LinearRegionItem(swapMode="block")
        self.bands = [pg.LinearRegionItem(movable=False) for _ in plots]
        self.playheads = [pg.InfiniteLine(angle=90, movable=True) for _ in plots]
        self.playheads.append(pg.InfiniteLine(angle=90, movable=False))
        overview.addItem(self.window, ignoreBounds=True)
        for box, band in zip(plots, self.bands, strict=True):
            band.setZValue(5)
            band.hide()
            box.addItem(band, ignoreBounds=True)
        for box, line in zip([*plots, overview], self.playheads, strict=True):
            line.setZValue(10)
            line.hide()
            box.addItem(line, ignoreBounds=True)
        model.range_changed.connect(self._on_range)
        model.playhead_changed.connect(self._on_playhead)
        model.selection_changed.connect(self._on_selection)
        self.window.sigRegionChanged.connect(self._on_window_moved)
        self.window.sigRegionChangeFinished.connect(self._on_window_released)
        for line in self.playheads[:-1]:
            line.sigDragged.connect(self._on_playhead_dragged)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        for line in self.playheads:
            line.setPen(pg.mkPen(theme.playhead, width=1))
            line.setHoverPen(pg.mkPen(theme.playhead, width=3))
        soft, strong = pg.mkColor(theme.accent), pg.mkColor(theme.accent)
        soft.setAlpha(46)
        strong.setAlpha(80)
        self.window.setBrush(pg.mkBrush(soft))
        self.window.setHoverBrush(pg.mkBrush(strong))
        for line in self.window.lines:
            line.setPen(pg.mkPen(theme.accent, width=1))
            line.setHoverPen(pg.mkPen(theme.accent, width=3))
        for band in self.bands:
            band.setBrush(pg.mkBrush(soft))
            for line in band.lines:
                line.setPen(pg.mkPen(theme.accent, width=1, style=Qt.PenStyle.DashLine))

    def _on_range(self) -> None:
        shown = self._model.range
        with QSignalBlocker(self.window):
            self.window.setBounds((0.0, self._model.extent))
            self.window.setRegion((shown.low, shown.high))

    def _on_playhead(self, action: int) -> None:
        for line in self.playheads:
            line.setVisible(action >= 0)
            line.setValue(self._model.playhead_x)

    def _on_selection(self) -> None:
        part = self._model.selection
        for band in self.bands:
            band.setVisible(part is not None)
            if part is not None:
                band.setRegion((part.low, part.high))

    def _on_window_moved(self) -> None:
        if not self._moving:
            self._model.remember()
            self._moving = True
        low, high = self.window.getRegion()
        self._model.set_range(TimeRange(float(low), float(high)), remember=False)

    def _on_window_released(self) -> None:
        self._moving = False

    def _on_playhead_dragged(self, line: pg.InfiniteLine) -> None:
        self._model.set_playhead_x(float(line.value()))
        line.setValue(self._model.playhead_x)
