"""A slider whose groove says what is possible: hatched below the least, marks, solved dots."""

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

from poet_gui.theme import LIGHT, Theme
from poet_gui.viewmodels.budget_scale import EMPTY_SCALE, BudgetScale

STEPS: Final = 2000


class BudgetSlider(QSlider):
    """A horizontal slider over a BudgetScale; its value is a place, the scale gives it a meaning.

    Signals
    -------
    moved(float)
        The user moved the handle to this fraction of the groove, by mouse, wheel or keyboard.
    """

    moved = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setRange(0, STEPS)
        self.setSingleStep(STEPS // 200)
        self.setPageStep(STEPS // 20)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._scale = EMPTY_SCALE
        self._theme = LIGHT
        self._quiet = False
        self.valueChanged.connect(self._on_value_changed)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self._theme = theme
        self.update()

    def set_scale(self, scale: BudgetScale) -> None:
        """Draw another groove; the handle keeps its place until `set_fraction`."""
        if scale != self._scale:
            self._scale = scale
            self.update()

    def set_fraction(self, fraction: float) -> None:
        """Put the handle there without telling anybody."""
        self._quiet = True
        self.setValue(round(fraction * STEPS))
        self._quiet = False
        self.update()

    @property
    def snap(self) -> float:
        """Fraction of the groove within which a place counts as a mark."""
        return 1.5 / max(1.0, self._groove().width())

    def _on_value_changed(self, value: int) -> None:
        if not self._quiet:
            self.moved.emit(value / STEPS)

    def _radius(self) -> float:
        return max(6.0, 0.52 * self.fontMetrics().height())

    def _groove(self) -> QRectF:
        edge = self._radius() + 2
        thick = max(5.0, self._radius() * 0.72)
        return QRectF(edge, (self.height() - thick) / 2, self.width() - 2 * edge, thick)

    def _move_to(self, x: float) -> None:
        groove = self._groove()
        fraction = (x - groove.left()) / max(1.0, groove.width())
        self.setValue(round(min(1.0, max(0.0, fraction)) * STEPS))

    def _draw_groove(self, painter: QPainter, groove: QRectF) -> None:
        theme, scale = self._theme, self._scale
        round_by = groove.height() / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.groove))
        painter.drawRoundedRect(groove, round_by, round_by)
        done = QRectF(groove)
        done.setWidth(groove.width() * self.value() / STEPS)
        if self.isEnabled():
            painter.setBrush(QColor(theme.accent))
            painter.drawRoundedRect(done, round_by, round_by)
        if scale.impossible:
            zone = QRectF(groove)
            zone.setWidth(groove.width() * scale.impossible)
            zone.adjust(0, -2, 0, 2)
            painter.setBrush(QColor(theme.panel_sunken))
            painter.drawRect(zone)
            painter.setBrush(QBrush(QColor(theme.budget_line), Qt.BrushStyle.BDiagPattern))
            painter.drawRect(zone)

    def _draw_marks(self, painter: QPainter, groove: QRectF) -> None:
        theme, radius = self._theme, self._radius()
        painter.setPen(QPen(QColor(theme.text_muted), 1.5))
        for mark in self._scale.marks:
            x = groove.left() + mark.at * groove.width()
            top = groove.center().y() - radius
            painter.drawLine(QPointF(x, top), QPointF(x, groove.center().y() + radius))
            if mark.pointed:
                wide = 0.4 * radius
                painter.setBrush(QColor(theme.text_muted))
                painter.drawPolygon(
                    [QPointF(x - wide, top), QPointF(x + wide, top), QPointF(x, top + wide)]
                )
        painter.setPen(QPen(QColor(theme.panel), 1.5))
        painter.setBrush(QColor(theme.good))
        for at in self._scale.dots:
            centre = QPointF(groove.left() + at * groove.width(), groove.center().y())
            painter.drawEllipse(centre, 0.55 * radius, 0.55 * radius)

    def _draw_handle(self, painter: QPainter, groove: QRectF) -> None:
        theme, radius = self._theme, self._radius()
        colour = QColor(theme.accent if self.isEnabled() else theme.storage)
        centre = QPointF(groove.left() + groove.width() * self.value() / STEPS, groove.center().y())
        if self.hasFocus():
            painter.setPen(Qt.PenStyle.NoPen)
            halo = QColor(theme.accent)
            halo.setAlpha(70)
            painter.setBrush(halo)
            painter.drawEllipse(centre, radius + 3, radius + 3)
        painter.setPen(QPen(colour, 2.4))
        painter.setBrush(QColor(theme.panel))
        painter.drawEllipse(centre, radius - 1.2, radius - 1.2)

    def sizeHint(self) -> QSize:
        """Qt: as high as the handle."""
        height = round(2 * self._radius() + 8)
        return QSize(160, height)

    def minimumSizeHint(self) -> QSize:
        """Qt: still usable."""
        return QSize(90, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt override
        """Qt: groove, marks, dots, handle."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        groove = self._groove()
        self._draw_groove(painter, groove)
        self._draw_marks(painter, groove)
        self._draw_handle(painter, groove)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: the handle jumps to the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._move_to(event.position().x())
            event.accept()
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: the handle follows the pointer."""
        if self.isSliderDown():
            self._move_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: the drag ends."""
        self.setSliderDown(False)
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: only with the focus."""
        # Scrolling the panel must not change a budget by accident: the wheel needs the focus.
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
