"""The frontier view: axis, picture or table, legend, knees and the sweep."""

from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QHBoxLayout,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from poet_gui.theme import Theme
from poet_gui.viewmodels.frontier import FrontierScene
from poet_gui.viewmodels.frontier_map import MapScene, map_table
from poet_gui.viewmodels.frontier_words import points_table
from poet_gui.widgets.frontier_legend import FrontierLegend
from poet_gui.widgets.frontier_map import FrontierMap
from poet_gui.widgets.frontier_plot import FrontierPlot
from poet_gui.widgets.icons import themed_icon
from poet_gui.widgets.knee_row import KneeRow
from poet_gui.widgets.parts import eliding, label
from poet_gui.widgets.points_table import PointsTable
from poet_gui.widgets.sweep_bar import SweepBar
from solver.sweep import Axis

_AXES: Final[tuple[tuple[Axis, str, str], ...]] = (
    ("ram", "RAM", "energy against RAM at the present runtime limit"),
    ("runtime", "runtime", "energy against the runtime limit at the present RAM"),
    ("map", "map", "energy over both budgets"),
)
_WIDE_FROM: Final = 34
_LEGEND_FROM: Final = 17
_KNEES_FROM: Final = 11
"""Lines of text: a wider panel puts its rows side by side, a lower picture has none to spare."""


class FrontierPanel(QWidget):
    """Renders a FrontierScene or a MapScene.

    Signals
    -------
    load_requested(int), compare_requested(int)
        A point of the scene.
    budget_dragged(float)
        The budget of the axis, bytes or seconds.
    budgets_chosen(object)
        Budgets: a cell of the map.
    axis_chosen(str)
        "ram", "runtime" or "map".
    enlarge_requested()
        More room, or back again.
    """

    load_requested = Signal(int)
    compare_requested = Signal(int)
    budget_dragged = Signal(float)
    budgets_chosen = Signal(object)
    axis_chosen = Signal(str)
    enlarge_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("frontierPanel")
        self.plot, self.map, self.legend = FrontierPlot(), FrontierMap(), FrontierLegend()
        self.table, self.sweep, self.knees = PointsTable(), SweepBar(), KneeRow()
        self.empty = label("Open a model to see what a budget costs.", tone="muted")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.caption = eliding(tone="muted", at_end=True)
        self.caption.setObjectName("frontierCaption")
        self._axis: Axis = "ram"
        self._scene: FrontierScene | None = None
        self._map: MapScene | None = None
        self._wide: bool | None = None
        self._build()
        self._connect()
        self.show_axis("ram")

    def _build(self) -> None:
        self.axis_group = QButtonGroup(self)
        head = QHBoxLayout()
        head.setSpacing(2)
        for axis, text, tip in _AXES:
            toggle = _toggle(text, f"frontier_{axis}", tip)
            self.axis_group.addButton(toggle)
            head.addWidget(toggle)
        head.addStretch(1)
        self.as_table = _toggle("", "frontierTableButton", "the same as a table")
        self.enlarge = _toggle("", "frontierEnlargeButton", "more room (F8), and back")
        for toggle in (self.as_table, self.enlarge):
            head.addWidget(toggle)
        self.stack = QStackedWidget()
        for page in (self.empty, self.plot, self.map, self.table):
            self.stack.addWidget(page)
        self._foot = QGridLayout()
        self._foot.setHorizontalSpacing(14)
        self._foot.setVerticalSpacing(5)
        self._foot.setColumnStretch(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.stack, 1)
        layout.addLayout(self._foot)
        self._place_foot(wide=False)

    def _place_foot(self, *, wide: bool) -> None:
        """Caption and knees side by side where there is room, else all below one another."""
        if wide is self._wide:
            return
        self._wide = wide
        self.sweep.set_wide(wide=wide)
        # Row, column, rows, columns.
        places = ((0, 0, 1, 1), (1, 0, 1, 2), (0, 1, 1, 1), (2, 0, 1, 2)) if wide else (
            (0, 0, 1, 2), (1, 0, 1, 2), (2, 0, 1, 2), (3, 0, 1, 2)
        )  # fmt: skip
        rows = (self.caption, self.legend, self.knees, self.sweep)
        for widget, place in zip(rows, places, strict=True):
            self._foot.removeWidget(widget)
            self._foot.addWidget(widget, *place)

    def _connect(self) -> None:
        self.plot.load_requested.connect(self.load_requested)
        self.plot.compare_requested.connect(self.compare_requested)
        self.plot.budget_dragged.connect(self.budget_dragged)
        self.map.cell_chosen.connect(self.budgets_chosen)
        self.knees.load_requested.connect(self.load_requested)
        self.table.row_wished.connect(self._on_row)
        self.axis_group.buttonClicked.connect(self._on_axis)
        self.as_table.toggled.connect(self._show_page)
        self.enlarge.clicked.connect(self.enlarge_requested)

    # What is shown

    @property
    def axis(self) -> Axis:
        """The axis that is chosen."""
        return self._axis

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        for view in (self.plot, self.map, self.legend, self.table, self.sweep):
            view.set_theme(theme)
        self.as_table.setIcon(themed_icon("mdi6.table", theme.text, theme.text_muted))
        self.enlarge.setIcon(themed_icon("mdi6.arrow-expand", theme.text, theme.text_muted))

    def show_axis(self, axis: Axis) -> None:
        """Show this one as chosen, telling nobody."""
        self._axis = axis
        for toggle in self.axis_group.buttons():
            toggle.setChecked(toggle.objectName() == f"frontier_{axis}")
        self.sweep.set_axis(axis)

    def show_enlarged(self, *, enlarged: bool) -> None:
        """Show whether there is more room, telling nobody."""
        with QSignalBlocker(self.enlarge):
            self.enlarge.setChecked(enlarged)

    def show_nothing(self) -> None:
        """Say that there is no model."""
        self._scene = self._map = None
        self.plot.set_scene(None, None)
        self.map.set_scene(None)
        self.table.show_table(None)
        self.caption.setText("")
        self.knees.show_knees(None)
        self._show_page()

    def show_scene(self, scene: FrontierScene, shown: int | None) -> None:
        """Show a frontier along one axis; `shown` is the point on screen."""
        before = self._scene
        same = before is not None and (
            before.points is scene.points and before.settled == scene.settled
        )
        self._scene, self._map = scene, None
        self.plot.set_scene(scene, shown)
        self.caption.setText(scene.caption)
        self.legend.set_strategies(tuple(one.style.strategy for one in scene.series))
        if not same:
            self.knees.show_knees(scene)
            if self.as_table.isChecked():
                self.table.show_table(points_table(scene))
        self._show_page()

    def show_map(self, scene: MapScene) -> None:
        """Show the map over both budgets."""
        self._scene, self._map = None, scene
        self.map.set_scene(scene)
        self.caption.setText("percent above the baseline · RAM across, runtime limit upward")
        self.knees.show_knees(None)
        if self.as_table.isChecked():
            self.table.show_table(map_table(scene))
        self._show_page()

    # Inside

    @Slot()
    def _show_page(self) -> None:
        """The picture or its table; a table is filled when it is looked at."""
        page: QWidget = self.empty
        if self._scene is not None or self._map is not None:
            page = self.plot if self._map is None else self.map
            if self.as_table.isChecked():
                page = self.table
        if page is self.table and self.stack.currentWidget() is not self.table:
            filled = map_table(self._map) if self._map is not None else None
            if self._scene is not None:
                filled = points_table(self._scene)
            self.table.show_table(filled)
            self.table.resizeColumnsToContents()
        self.stack.setCurrentWidget(page)
        self._fit()

    def _fit(self) -> None:
        """Rows of words give way to the picture in a low panel."""
        line = max(1, self.fontMetrics().height())
        wide = self.width() >= _WIDE_FROM * line
        self._place_foot(wide=wide)
        # What the picture would have without these rows: their own height must not decide it.
        taken = sum(row.height() for row in (self.legend, self.knees) if row.isVisible())
        lines = (self.stack.height() + taken) / line
        pictured = self.stack.currentWidget() is self.plot
        self.legend.setVisible(pictured and (wide or lines >= _LEGEND_FROM))
        self.knees.setVisible(bool(self.knees.marks) and (wide or lines >= _KNEES_FROM))

    @Slot(object)
    def _on_axis(self, toggle: QToolButton) -> None:
        axis = next(axis for axis, _, _ in _AXES if toggle.objectName() == f"frontier_{axis}")
        self._axis = axis
        self.sweep.set_axis(axis)
        self.axis_chosen.emit(axis)

    @Slot(int, bool)
    def _on_row(self, position: int, compares: bool) -> None:  # noqa: FBT001 - a signal's argument
        if self._map is not None:
            row, column = divmod(position, self._map.shape[1])
            self.budgets_chosen.emit(self._map.budgets(row, column))
        else:
            (self.compare_requested if compares else self.load_requested).emit(position)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: what fits is shown."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: from now on sizes are real."""
        super().showEvent(event)
        self._fit()


def _toggle(text: str, name: str, tip: str) -> QToolButton:
    made = QToolButton()
    made.setText(text)
    made.setObjectName(name)
    made.setCheckable(True)
    made.setToolTip(tip)
    made.setAccessibleName(tip)
    return made
