"""Menus, shortcuts and the way without a mouse."""

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QSlider, QWidget
from pytestqt.qtbot import QtBot

from poet_gui.actions import SPECS
from poet_gui.dialogs.sheets import Sheet
from poet_gui.notices import Level, Notice
from poet_gui.solving.status import Phase
from poet_gui.theme import ThemeChoice
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, open_model, show_chain


def test_that_no_two_actions_share_a_key() -> None:
    keys = Counter(QKeySequence(key).toString() for spec in SPECS for key in spec.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def test_that_no_two_entries_of_a_menu_share_an_access_key() -> None:
    marks = Counter((spec.menu, spec.text[spec.text.index("&") + 1].lower()) for spec in SPECS)
    assert [mark for mark, count in marks.items() if count > 1] == []


def test_that_every_action_has_a_text_a_tip_and_a_slot(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    assert set(window.actions_by_name) == {spec.name for spec in SPECS}
    for action in window.actions_by_name.values():
        assert action.text()
        assert action.toolTip()


def test_that_every_control_has_a_name_a_tip_and_is_reached_by_tab(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    controls = [
        widget
        for kind in (QAbstractButton, QComboBox, QSlider, QLineEdit)
        for widget in window.findChildren(kind)
        if widget.isVisible() and widget.isEnabled() and not _is_part(widget)
    ]
    assert len(controls) > 15
    chain = {window}
    widget: QWidget = window.nextInFocusChain()
    while widget is not window:
        chain.add(widget)
        widget = widget.nextInFocusChain()
    for control in controls:
        assert control.objectName(), control
        assert control.toolTip(), control.objectName()
        assert control in chain, control.objectName()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, control.objectName()


@pytest.mark.slow
def test_that_a_budget_is_set_solved_and_stopped_without_a_mouse(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("obedient")
    open_model(qtbot, window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    QTest.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    field = window.views.budgets.ram_box.field
    assert QApplication.focusWidget() is field
    QTest.keyClicks(field, "4000B")
    QTest.keyClick(field, Qt.Key.Key_Return)
    core = window.state.core
    assert core.budgets.ram_bytes == 4000
    QTest.keyClick(window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        QTest.keyClick(window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    assert core.status.phase is Phase.DONE


def test_that_search_goes_from_hit_to_hit_without_a_mouse(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = window.views.header.search
    assert QApplication.focusWidget() is field
    QTest.keyClicks(field, "f3")  # the chain's tensors: f1 to f6, loss, b6 to b1
    core = window.state.core
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert core.looking.tensor == 2
    assert core.looking.playhead == 2  # nothing is freed before f3 is made
    field.clear()
    QTest.keyClicks(field, "b")
    for _ in range(2):
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert core.looking.tensor == 8  # b5
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert core.looking.tensor == 7  # b6
    assert window.views.details.details is not None
    assert window.views.details.details.name == "b6"


def test_that_f6_visits_every_pane_and_comes_back(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    visited = []
    for _ in range(12):
        QTest.keyClick(window, Qt.Key.Key_F6)
        visited.append(QApplication.focusWidget())
    names = [widget.objectName() for widget in visited]
    assert names[0] in names[1:]  # it comes round
    panes = {names[i] for i in range(names.index(names[0], 1))}
    assert {"openButton", "ramSlider", "scheduleView"} <= panes or len(panes) >= 5
    QTest.keyClick(window, Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is visited[-2]


def test_that_the_sheet_of_keys_names_every_shortcut(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    window.actions_by_name["keys"].trigger()
    sheet = window.findChild(Sheet, "keysSheet")
    assert sheet is not None
    assert sheet.isVisible()
    assert not sheet.isModal()
    shown = {label.text() for label in sheet.findChildren(QWidget) if hasattr(label, "text")}
    for spec in SPECS:
        if spec.keys:
            assert "  ".join(spec.keys) in shown, spec.name
    sheet.close()


def test_that_escape_closes_a_notice_before_it_stops_the_solve(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("obedient")
    open_model(qtbot, window)
    core = window.state.core
    window.controller.solve_now()
    qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    window.views.notices.show_notice(Notice(Level.INFO, "something"))
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.views.notices.notices == ()
    assert core.status.phase is Phase.IMPROVING
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        QTest.keyClick(window, Qt.Key.Key_Escape)


def test_that_the_theme_is_remembered(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    window.actions_by_name["theme_dark"].trigger()
    assert window.settings.theme is ThemeChoice.DARK
    assert window.actions_by_name["theme_dark"].isChecked()


def _is_part(widget: QWidget) -> bool:
    """Parts that Qt makes inside other controls have no names of their own."""
    return isinstance(widget.parent(), QComboBox) or widget.objectName().startswith("qt_")
