"""Small screens and large text: nothing is cut, what does not fit moves into tabs or scrolls."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from poet_gui.dialogs.sheets import Sheet
from poet_gui.main_window import MainWindow
from poet_gui.screenshot import Screenshot
from poet_gui.viewmodels.impossible import ImpossibleWords
from poet_gui.widgets.eliding_label import ElidingLabel
from poet_gui.widgets.wrapped_label import WrappedLabel
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, open_model, settle, show_chain, solve

_SHORTENING = (ElidingLabel, WrappedLabel)
"""Labels that say themselves where they had to stop."""


def test_that_three_columns_fit_a_small_screen(qapp: QApplication, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    _resize(qapp, window, 1280, 720)
    assert window.views.columns.count() == 3
    assert (window.width(), window.height()) == (1280, 720)


def test_that_the_first_window_is_no_larger_than_the_screen(make_window: MakeWindow) -> None:
    window = make_window("honest", start=False, size=None)
    room = window.screen().availableGeometry().size()
    assert window.size() == window.minimumSize().expandedTo(window.size().boundedTo(room))
    assert window.height() < room.height()  # with a title bar too


@pytest.mark.slow
def test_that_larger_text_in_the_same_window_folds_columns_and_smaller_text_unfolds_them(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    _resize(qapp, window, 1280, 720)
    assert window.views.columns.count() == 3
    window.appearance.apply(window.appearance.choice, 200)
    qtbot.waitUntil(lambda: window.views.columns.count() < 3, timeout=WAIT_MS)
    window.appearance.apply(window.appearance.choice, 100)
    qtbot.waitUntil(lambda: window.views.columns.count() == 3, timeout=WAIT_MS)


def test_that_columns_follow_a_card_that_needs_more_room_later(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    _resize(qapp, window, 1280, 720)
    assert window.views.columns.count() == 3
    window.views.empty.setMinimumWidth(900)
    qtbot.waitUntil(lambda: window.views.columns.count() < 3, timeout=WAIT_MS)
    window.views.empty.setMinimumWidth(0)
    qtbot.waitUntil(lambda: window.views.columns.count() == 3, timeout=WAIT_MS)


def test_that_columns_become_tabs_and_come_back(
    qapp: QApplication, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    tabs = window.views.bottom_tabs
    _resize(qapp, window, 900, 720)
    assert "Details" in [tabs.tabText(i) for i in range(tabs.count())]
    _resize(qapp, window, 1400, 900)
    assert [tabs.tabText(i) for i in range(tabs.count())] == [
        "Solver",
        "Actions",
        "Tensors",
        "Blocks",
        "Compare",
    ]
    order = [window.views.columns.widget(i) for i in range(3)]
    assert order == [window.views.left, window.views.middle, window.views.right]


@pytest.mark.parametrize(
    ("size", "percent"), [((1600, 1000), 100), ((1280, 720), 100), ((1280, 720), 200)]
)
@pytest.mark.slow
def test_that_no_text_is_cut(
    qapp: QApplication,
    qtbot: QtBot,
    make_window: MakeWindow,
    size: tuple[int, int],
    percent: int,
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    solve(qtbot, window)
    window.appearance.apply(window.appearance.choice, percent)
    _resize(qapp, window, *size)
    assert (window.width(), window.height()) == size
    whole = window.rect()
    for widget in window.findChildren(QWidget):
        if not isinstance(widget, QPushButton | QLabel) or isinstance(widget, _SHORTENING):
            continue
        if not widget.isVisible() or widget.visibleRegion().isEmpty():
            continue
        if isinstance(widget, QLabel) and not widget.text():
            continue
        if isinstance(widget, QLabel) and widget.wordWrap():
            assert widget.height() >= widget.heightForWidth(widget.width()), widget.text()
            continue
        assert widget.height() >= widget.minimumSizeHint().height(), (widget.text(), percent)
        assert widget.width() >= widget.minimumSizeHint().width(), (widget.objectName(), percent)
        if not _scrolls(widget):
            corner = widget.mapTo(window, QPoint(widget.width() - 1, widget.height() - 1))
            assert whole.contains(corner), (widget.objectName(), percent)


@pytest.mark.slow
def test_that_lanes_are_seen_on_a_small_screen_with_large_text(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    window.appearance.apply(window.appearance.choice, 200)
    _resize(qapp, window, 1280, 720)
    canvas = window.views.schedule.canvas
    assert canvas.lanes_box.height() >= canvas.scroller.lane_pixels


@pytest.mark.slow
def test_that_an_impossible_budget_leaves_a_lane_on_a_small_screen_with_large_text(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    window.appearance.apply(window.appearance.choice, 200)
    _resize(qapp, window, 1280, 720)
    lines = ("No schedule fits, although every op alone does. " * 4, "Least memory: 1.00 MiB.")
    window.views.impossible.set_words(ImpossibleWords("Impossible", lines, (), searching=False))
    settle(qapp)
    canvas = window.views.schedule.canvas
    assert canvas.lanes_box.height() >= canvas.scroller.lane_pixels
    assert (window.width(), window.height()) == (1280, 720)
    banner = window.views.impossible
    assert banner.text.height() > banner.height()  # the rest of it is scrolled to
    _resize(qapp, window, 1600, 1000)
    window.appearance.apply(window.appearance.choice, 100)
    settle(qapp)
    assert banner.text.visibleRegion().boundingRect().height() == banner.text.height()


@pytest.mark.slow
def test_that_the_default_window_needs_no_scroll_bar_for_the_solver(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    solve(qtbot, window)
    _resize(qapp, window, 1600, 1000)
    column = window.findChild(QScrollArea, "solverColumn")
    assert not column.verticalScrollBar().isVisible()
    budgets = window.views.budgets
    assert budgets.visibleRegion().boundingRect().height() == budgets.height()
    assert not window.views.right.verticalScrollBar().isVisible()
    legend = window.views.schedule.foot.legend
    # Two rows at most: the buttons beside it are higher.
    assert legend.heightForWidth(legend.width()) <= 2 * legend.heightForWidth(10**6)


def test_that_the_header_gives_back_the_row_that_opening_took(
    qapp: QApplication, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    _resize(qapp, window, 1280, 720)
    header = window.views.header
    before = header.height()
    header.show_opening("a file of a long name.onnx")
    header._show_opening()
    settle(qapp)
    assert header.height() > before
    header.show_opening(None)
    settle(qapp)
    assert header.height() == before


@pytest.mark.slow
def test_that_larger_text_enlarges_titles_too(qapp: QApplication, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    title = window.views.budgets.expected.text
    before = title.fontMetrics().height()
    for _ in range(10):
        window.actions_by_name["text_larger"].trigger()
    settle(qapp)
    assert window.settings.text_percent == 200
    assert title.fontMetrics().height() == pytest.approx(2 * before, abs=2)
    window.actions_by_name["text_reset"].trigger()
    assert window.settings.text_percent == 100


def _resize(qapp: QApplication, window: MainWindow, width: int, height: int) -> None:
    window.resize(width, height)
    settle(qapp)


def _scrolls(widget: QWidget) -> bool:
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QScrollArea):
            return True
        parent = parent.parentWidget()
    return False


def test_that_a_large_window_shows_every_line_of_an_impossible_budget(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False, size=(1600, 900))
    show_chain(window)
    banner = window.views.impossible
    words = ImpossibleWords("Impossible", ("one line " * 30, "a second", "a third"), (), False)
    banner.set_words(words)

    def is_whole() -> bool:
        text = banner.text
        return text.visibleRegion().boundingRect().height() >= text.heightForWidth(text.width())

    qtbot.waitUntil(is_whole, timeout=WAIT_MS)


def test_that_cards_which_grow_wider_get_the_width(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    _resize(qapp, window, 1280, 720)
    left, budgets = window.views.left, window.views.budgets
    needed = left.viewport().width() + 20
    budgets.setMinimumWidth(needed)

    def has_its_width() -> bool:
        return left.viewport().width() >= left.inside.width() >= needed

    qtbot.waitUntil(has_its_width, timeout=WAIT_MS)


def test_that_a_screenshot_waits_until_every_layout_has_settled(
    qapp: QApplication, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window("honest", start=False)
    _resize(qapp, window, 1600, 1000)
    shot = Screenshot(window, tmp_path / "shot.png", solves=False)
    show_chain(window)  # its facts push the settings down: the column has to scroll

    shot._save()

    assert shot.saved
    loss = window.views.model.loss
    assert loss.height() >= loss.minimumSizeHint().height()


@pytest.mark.parametrize("name", ["keys", "about"])
def test_that_a_sheet_is_no_larger_than_the_window(make_window: MakeWindow, name: str) -> None:
    window = make_window("honest", size=(900, 560), start=False)
    window.actions_by_name[name].trigger()
    (sheet,) = window.findChildren(Sheet)
    assert sheet.width() <= window.width()
    assert sheet.height() <= window.height()
    words = {label.text() for label in sheet.findChildren(QLabel) if label.isVisible()}
    assert sheet.windowTitle() in words
    sheet.close()


def test_that_a_side_tab_that_is_clicked_comes_into_sight_in_a_low_window(
    qapp: QApplication, make_window: MakeWindow
) -> None:
    window = make_window("honest", size=(1200, 620), start=False)
    show_chain(window)
    settle(qapp)
    views = window.views
    view = views.left.viewport()
    before = views.side_tabs.mapTo(views.left.inside, QPoint(0, 0)).y()
    assert before + views.side_tabs.height() > view.height()  # else nothing is to be seen here
    QTest.mouseClick(
        views.side_tabs.tabBar(),
        Qt.MouseButton.LeftButton,
        pos=views.side_tabs.tabBar().tabRect(1).center(),
    )
    bar = views.left.verticalScrollBar()
    assert bar.value() == min(before, bar.maximum()) > 0
