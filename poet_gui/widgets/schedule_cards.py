"""The cards over the picture of a schedule: what is under the pointer, and the selected range."""

from PySide6.QtCore import QObject, Slot

from poet_gui.theme import Theme
from poet_gui.viewmodels.hover import bar_text, lane_text, name_text, range_text
from poet_gui.widgets.hover_card import HoverCard
from poet_gui.widgets.schedule_canvas import ScheduleCanvas


class ScheduleCards(QObject):
    """Listens to the canvas and to its time model, and says in cards what they show."""

    def __init__(self, canvas: ScheduleCanvas, parent: QObject) -> None:
        super().__init__(parent)
        self._canvas, self._model = canvas, canvas.model
        self.hover, self.range = HoverCard(canvas), HoverCard(canvas)
        canvas.pointer.pointed.connect(self._on_pointed)
        self._model.selection_changed.connect(self._on_range_selected)
        self._model.range_changed.connect(self.hover.hide)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.hover.set_theme(theme)
        self.range.set_theme(theme)

    @Slot(object, object)
    def _on_pointed(self, lane: int | None, x: float | None) -> None:
        scene, pointer = self._canvas.scene_data, self._canvas.pointer
        if lane is None or scene is None:
            self.hover.hide()
            return
        if x is None:
            here = pointer.lane_box(lane, self._model.range.low)
            self.hover.show_at(here, *name_text(scene, lane))
            return
        bar = pointer.hit(x, lane + 0.5)[1]
        if bar is not None:
            self.hover.show_at(pointer.bar_box(bar), *bar_text(scene, bar))
            return
        here = pointer.lane_box(lane, x)
        self.hover.show_at(here, *lane_text(scene, lane, x, self._model.axis))

    @Slot()
    def _on_range_selected(self) -> None:
        part, index = self._model.selection, self._model.index
        if part is None or index is None:
            self.range.hide()
            return
        text = range_text(index, part.low, part.high, self._model.axis)
        corner = self._canvas.pointer.lanes_corner()
        self.range.show_at(corner, "Selected range (F fits it)", (text,))
