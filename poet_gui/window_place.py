"""Where the window stands and how its panes share it: kept between sessions, folded in between."""

from typing import Final

from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QSize, QTimer, Slot
from PySide6.QtWidgets import QMainWindow

from poet_gui.folding import Folding
from poet_gui.layout import BODY_MARGIN, Views, reset_sizes
from poet_gui.settings import Settings

_LAYOUT_VERSION: Final = 1
PREFERRED: Final = QSize(1600, 1000)


class WindowPlace(QObject):
    """Restores and saves the layout of one window, and folds columns that no longer fit."""

    def __init__(self, window: QMainWindow, views: Views, settings: Settings) -> None:
        super().__init__(window)
        self._window, self._views, self._settings = window, views, settings
        self._folding = Folding(views)
        self._unsized = False
        self._refit = QTimer(self, singleShot=True, interval=0)
        self._refit.timeout.connect(self.fit_columns)
        views.side_tabs.tabBarClicked.connect(self._on_side_tab)
        for inside in (views.left.inside, views.middle, views.right.inside):
            inside.installEventFilter(self)

    def restore(self) -> None:
        """Take the place of the last session, or the preferred size as far as the screen has it."""
        window, settings = self._window, self._settings
        geometry = settings.layout("geometry")
        if geometry is None or not window.restoreGeometry(geometry):
            frame = QSize(0, 2 * window.fontMetrics().height())  # a title bar, drawn by others
            room = window.screen().availableGeometry().size() - frame
            window.resize(PREFERRED.boundedTo(room))
        state = settings.layout("window")
        if state is not None:
            window.restoreState(state, _LAYOUT_VERSION)
        for splitter in (self._views.columns, self._views.rows):
            saved = settings.layout(splitter.objectName())
            self._unsized = self._unsized or saved is None
            if saved is not None:
                splitter.restoreState(saved)

    def save(self) -> None:
        """Keep the place for the next session; the window is about to go."""
        self._refit.stop()
        window, settings = self._window, self._settings
        settings.set_layout("geometry", QByteArray(window.saveGeometry()))
        settings.set_layout("window", QByteArray(window.saveState(_LAYOUT_VERSION)))
        for splitter in (self._views.columns, self._views.rows):
            settings.set_layout(splitter.objectName(), QByteArray(splitter.saveState()))
        settings.save()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: fit again when a column has another least width, however many turns that took.

        A text of another size comes to the layouts one level of widgets after the other.
        """
        if event.type() == QEvent.Type.LayoutRequest and self._folding.is_due():
            self._refit.start()
        return super().eventFilter(watched, event)

    def on_shown(self) -> None:
        """From now on sizes are real."""
        self.fit_columns()
        if self._unsized:
            self._unsized = False
            reset_sizes(self._views)

    @Slot()
    def fit_columns(self) -> None:
        """Fold columns that no longer fit beside the schedule, unfold those that fit again."""
        if self._folding.fit(self._window.width() - BODY_MARGIN):
            reset_sizes(self._views)

    @Slot()
    def _on_side_tab(self) -> None:
        """In a low window only the tabs are in sight: what was chosen comes up below them."""
        column, tabs = self._views.left, self._views.side_tabs
        top = tabs.mapTo(column.inside, QPoint(0, 0)).y()
        if top + tabs.height() > column.verticalScrollBar().value() + column.viewport().height():
            column.verticalScrollBar().setValue(top)

    def fit_soon(self) -> None:
        """Fit the columns a turn later, when the layout knows how much room another text needs."""
        self._refit.start()
