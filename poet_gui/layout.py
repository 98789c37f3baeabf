"""Where everything stands: cause left, schedule in the middle, effect right, process below."""

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import (
    QFrame,
    QLayout,
    QMainWindow,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from poet_gui.theme import Theme
from poet_gui.widgets.actions_table import ActionsTable
from poet_gui.widgets.blocks_table import BlocksTable
from poet_gui.widgets.budgets_panel import BudgetsPanel
from poet_gui.widgets.compare_panel import ComparePanel
from poet_gui.widgets.compare_strip import CompareStrip
from poet_gui.widgets.details_card import DetailsCard
from poet_gui.widgets.empty_page import EmptyPage
from poet_gui.widgets.frontier_panel import FrontierPanel
from poet_gui.widgets.header_bar import HeaderBar
from poet_gui.widgets.headline_bar import HeadlineBar
from poet_gui.widgets.history_panel import HistoryPanel
from poet_gui.widgets.impossible_banner import ImpossibleBanner
from poet_gui.widgets.model_panel import ModelPanel
from poet_gui.widgets.notice_area import NoticeArea
from poet_gui.widgets.parts import card
from poet_gui.widgets.resident_table import ResidentTable
from poet_gui.widgets.schedule_view import ScheduleView
from poet_gui.widgets.solver_panel import SolverPanel
from poet_gui.widgets.status_line import StatusLine
from poet_gui.widgets.tensors_table import TensorsTable

_LEAST_BELOW: Final = 5
"""Lines of text of the pane below, its tabs included, where there is room for them."""
BODY_MARGIN: Final = 24
"""Pixels left and right of the columns together."""


@dataclass(frozen=True, slots=True)
class Views:
    """Every view of the window."""

    header: HeaderBar
    notices: NoticeArea
    budgets: BudgetsPanel
    model: ModelPanel
    history: HistoryPanel
    frontier: FrontierPanel
    side_tabs: QTabWidget
    strip: CompareStrip
    headline: HeadlineBar
    impossible: ImpossibleBanner
    centre: QStackedWidget
    empty: EmptyPage
    schedule: ScheduleView
    details: DetailsCard
    resident: ResidentTable
    solver: SolverPanel
    actions: ActionsTable
    tensors: TensorsTable
    blocks: BlocksTable
    compare: ComparePanel
    bottom_tabs: QTabWidget
    middle: QFrame
    left: "Column"
    right: "Column"
    columns: QSplitter
    rows: QSplitter
    status: StatusLine

    def set_theme(self, theme: Theme) -> None:
        """Give every view that paints by itself its colours."""
        for view in (
            self.header,
            self.budgets,
            self.history,
            self.frontier,
            self.compare,
            self.schedule,
            self.details,
            self.resident,
            self.solver,
            self.actions,
            self.tensors,
            self.blocks,
            self.status,
        ):
            view.set_theme(theme)


def build_views(window: QMainWindow) -> Views:
    """Make the views and put them into `window`."""
    central = QWidget()
    central.setObjectName("centralWidget")
    views = _make_views(central)
    _fill_columns(views)
    _fill_rows(views)
    layout = QVBoxLayout(central)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(views.header)
    body = QVBoxLayout()
    body.setContentsMargins(BODY_MARGIN // 2, 10, BODY_MARGIN // 2, 4)
    body.setSpacing(8)
    body.addWidget(views.notices)
    body.addWidget(views.rows, 1)
    layout.addLayout(body, 1)
    window.setCentralWidget(central)
    window.setStatusBar(views.status)
    return views


def _make_views(central: QWidget) -> Views:
    return Views(
        header=HeaderBar(),
        notices=NoticeArea(central),
        budgets=BudgetsPanel(),
        model=ModelPanel(),
        history=HistoryPanel(),
        frontier=FrontierPanel(),
        side_tabs=_tabs("sideTabs"),
        strip=CompareStrip(),
        headline=HeadlineBar(),
        impossible=ImpossibleBanner(),
        centre=Pages(),
        empty=EmptyPage(),
        schedule=ScheduleView(),
        details=DetailsCard(),
        resident=ResidentTable(),
        solver=SolverPanel(),
        actions=ActionsTable(),
        tensors=TensorsTable(),
        blocks=BlocksTable(),
        compare=ComparePanel(),
        bottom_tabs=_tabs("bottomTabs"),
        middle=card(name="scheduleCard"),
        left=Column(QWidget(), "leftColumn"),
        right=Column(QWidget(), "rightColumn"),
        columns=QSplitter(Qt.Orientation.Horizontal),
        rows=QSplitter(Qt.Orientation.Vertical),
        status=StatusLine(),
    )


def reset_sizes(views: Views) -> None:
    """Give the panes their first sizes, in proportion to the text."""
    unit = views.columns.fontMetrics().horizontalAdvance("0")
    # The legend wraps further than its own minimum says: the columns fit a small screen.
    views.schedule.foot.legend.setMinimumWidth(12 * unit)
    inner = views.schedule.layout()
    if inner is not None:
        inner.activate()  # a page that is not in sight would keep its former minimum
    width = max(views.columns.width(), 90 * unit)
    side: dict[QWidget | None, int] = {
        views.left: min(width // 4, 36 * unit),
        views.right: min(width // 4, 38 * unit),
    }
    shown = [views.columns.widget(i) for i in range(views.columns.count())]
    rest = width - sum(side.get(column, 0) for column in shown)
    views.columns.setSizes([side.get(column, rest) for column in shown])
    height = max(views.rows.height(), 400)
    line = views.rows.fontMetrics().height()
    below = min(height * 28 // 100, 13 * line)
    below = max(below, min(_LEAST_BELOW * line, height * 2 // 5))  # large text in a low window
    views.rows.setSizes([height - below, below])


def settle(window: QMainWindow) -> None:
    """Let every layout ask again how large its widgets are, now that the style sheet is known.

    Before a widget is shown, its layout hears of no change: Qt's `updateGeometry` leaves it out.
    """
    widgets = window.findChildren(QWidget)
    for widget in widgets:
        widget.ensurePolished()
    for widget in widgets:
        widget.updateGeometry()
    for layout in window.findChildren(QLayout):
        layout.invalidate()


def _fill_columns(views: Views) -> None:
    side = card(name="sideCard")
    views.side_tabs.addTab(views.model, "Model")
    views.side_tabs.addTab(views.history, "History")
    views.side_tabs.addTab(views.frontier, "Frontier")
    _put(side, views.side_tabs)
    column = QVBoxLayout(views.left.inside)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(10)
    column.addWidget(views.budgets)
    column.addWidget(side, 1)
    middle = views.middle
    views.centre.addWidget(views.empty)
    views.centre.addWidget(views.schedule)
    _put(middle, views.strip)
    _put(middle, views.headline)
    _put(middle, views.impossible)
    _put(middle, views.centre, stretch=1)
    details, resident = card(name="detailsFrame"), card(name="residentFrame")
    _put(details, views.details)
    _put(resident, views.resident, stretch=1)
    effect = QVBoxLayout(views.right.inside)
    effect.setContentsMargins(0, 0, 0, 0)
    effect.setSpacing(10)
    effect.addWidget(details, 3)
    effect.addWidget(resident, 2)
    for widget in (views.left, middle, views.right):
        views.columns.addWidget(widget)
    views.columns.setObjectName("columns")
    views.columns.setHandleWidth(10)
    views.columns.setStretchFactor(1, 1)
    views.columns.setChildrenCollapsible(False)


def _fill_rows(views: Views) -> None:
    bottom = card(name="bottomCard")
    views.bottom_tabs.addTab(Column(views.solver, "solverColumn"), "Solver")
    views.bottom_tabs.addTab(views.actions, "Actions")
    views.bottom_tabs.addTab(views.tensors, "Tensors")
    views.bottom_tabs.addTab(views.blocks, "Blocks")
    views.bottom_tabs.addTab(views.compare, "Compare")
    _put(bottom, views.bottom_tabs)
    views.rows.addWidget(views.columns)
    views.rows.addWidget(bottom)
    views.rows.setObjectName("rows")
    views.rows.setHandleWidth(10)
    views.rows.setStretchFactor(0, 1)
    views.rows.setChildrenCollapsible(False)


def _tabs(name: str) -> QTabWidget:
    tabs = QTabWidget()
    tabs.setObjectName(name)
    tabs.setDocumentMode(True)
    tabs.tabBar().setDrawBase(False)
    return tabs


def _put(frame: QFrame, widget: QWidget, *, stretch: int = 0) -> None:
    layout = frame.layout()
    if not isinstance(layout, QVBoxLayout):
        raise TypeError("a card has a vertical layout")
    layout.addWidget(widget, stretch)


class Pages(QStackedWidget):
    """Pages that take the height that is left.

    By heights for widths, which Qt takes for the least, they would squeeze what stands above them.
    """

    def hasHeightForWidth(self) -> bool:
        """Qt: never, whatever the pages say."""
        return False


class Column(QScrollArea):
    """A column of cards: as wide as they need, and it scrolls when the window is too low."""

    def __init__(self, inside: QWidget, name: str) -> None:
        super().__init__()
        self.inside = inside
        self.setObjectName(name)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: cards that need more width than before get it; a scroll area would cut them."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self.inside:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def minimumSizeHint(self) -> QSize:
        """Qt: wide enough for the cards and the scroll bar, however low."""
        inside, bar = self.inside.minimumSizeHint(), self.verticalScrollBar().sizeHint()
        return QSize(inside.width() + bar.width(), super().minimumSizeHint().height())
