"""What passes lies over the views and goes by itself; what asks for an act stands above them."""

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from poet_gui.notices import Level, Notice
from poet_gui.widgets.passing_notice import PassingNotice
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, settle

SAVED = Notice(Level.INFO, "Saved a.csv", "/somewhere/a.csv", passes=True)


def point_at(shown: PassingNotice) -> None:
    """The pointer comes upon it: from now on no time runs."""
    here = QPointF(1, 1)
    QApplication.sendEvent(shown, QEnterEvent(here, here, here))


def test_that_a_passing_notice_moves_no_view_and_a_warning_does(
    make_window: MakeWindow, qapp: QApplication
) -> None:
    window = make_window("honest", start=False)
    notices, rows = window.views.notices, window.views.rows
    settle(qapp)
    before = rows.geometry()
    notices.show_notice(SAVED)
    point_at(notices.passing)
    settle(qapp)
    assert notices.passing.isVisible()
    assert rows.geometry() == before
    notices.show_notice(Notice(Level.WARNING, "something is wrong"))
    settle(qapp)
    assert rows.geometry().top() > before.top()
    assert notices.notices[0] is SAVED


def test_that_a_passing_notice_stays_in_the_corner_of_a_window_that_is_resized(
    make_window: MakeWindow, qapp: QApplication
) -> None:
    window = make_window("honest", start=False)
    window.views.notices.show_notice(SAVED)
    shown, stage = window.views.notices.passing, window.centralWidget()
    point_at(shown)
    for size in ((1200, 800), (1000, 700)):
        window.resize(*size)
        settle(qapp)
        assert stage.rect().contains(shown.geometry())
        assert stage.rect().bottom() - shown.geometry().bottom() < 20


def test_that_it_goes_by_itself_unless_it_is_pointed_at(qtbot: QtBot) -> None:
    stage = QWidget()
    qtbot.addWidget(stage)
    stage.resize(600, 400)
    stage.show()
    shown = PassingNotice(stage, shown_ms=50)
    shown.show_notice(SAVED)
    point_at(shown)
    qtbot.wait(150)
    assert shown.notice is SAVED
    QApplication.sendEvent(shown, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: shown.notice is None, timeout=WAIT_MS)
    assert not shown.isVisible()


def test_that_the_next_one_takes_its_place_and_close_takes_it_away(qtbot: QtBot) -> None:
    stage = QWidget()
    qtbot.addWidget(stage)
    stage.show()
    shown = PassingNotice(stage)
    later = Notice(Level.INFO, "Saved b.csv", passes=True)
    shown.show_notice(SAVED)
    shown.show_notice(later)
    assert shown.notice is later
    button = shown.findChild(QPushButton, "noticeClose")
    assert button is not None
    button.click()
    assert shown.notice is None
