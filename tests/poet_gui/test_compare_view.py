"""Comparing in a real window: history rows, the schedule on screen, swap, end, refusal."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from poet_gui.main_window import MainWindow
from solver.problem import Budgets
from tests.poet_gui.fixtures import MakeWindow, show_chain
from tests.poet_gui.test_frontier_view import learn


def compared_window(qtbot: QtBot, make_window: MakeWindow) -> MainWindow:
    """Two known schedules; the one at the floor is kept as A, the plain one is on screen."""
    window = make_window("mute", start=False)
    show_chain(window)
    learn(window)
    core = window.state.core
    assert core.model is not None
    core.load(Budgets(core.model.costed.floor_bytes), core.switches)
    window.actions_by_name["keep_as_a"].trigger()
    core.load(Budgets(core.model.costed.plain_peak_bytes), core.switches)
    return window


def differences(window: MainWindow) -> dict[str, str]:
    window.compare_desk.show_panel()
    return {row[0].strip(): row[3] for row in window.views.compare.grid.texts()}


def test_that_nothing_is_compared_at_first(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("mute", start=False)
    show_chain(window)
    assert not window.views.strip.isVisible()
    window.compare_desk.show_panel()
    assert "Ctrl+click" in window.views.compare.words.text()
    assert window.views.compare.words.isVisible()


def test_that_what_is_kept_is_compared_with_what_is_on_screen(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = compared_window(qtbot, make_window)
    strip = window.views.strip
    assert strip.isVisible()
    assert strip.a.text().startswith("2.93 KiB")
    # The plain schedule needs less energy than paging everything.
    assert strip.difference.text().startswith("(-")
    assert differences(window)["page out"].startswith("-")
    assert window.views.compare.table.rows.rowCount() > 0


def test_that_a_minus_a_is_zero(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = compared_window(qtbot, make_window)
    window.actions_by_name["keep_as_a"].trigger()
    assert set(differences(window).values()) <= {"0 J", "0 s", "0 B"}
    assert window.views.strip.difference.text() == "(the same energy)"
    assert window.views.compare.summary.text() == "Every tensor is treated alike."


@pytest.mark.slow
def test_that_swapping_mirrors_the_signs(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = compared_window(qtbot, make_window)
    there = differences(window)
    window.views.strip.swap.click()
    back = differences(window)
    assert {name: _mirrored(text) for name, text in there.items()} == back
    window.actions_by_name["swap_sides"].trigger()
    assert differences(window) == there


@pytest.mark.slow
def test_that_a_row_of_the_history_is_compared_with_ctrl(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = compared_window(qtbot, make_window)
    core = window.state.core
    core.compare.end()
    core.settle()
    history = window.views.history
    window.views.side_tabs.setCurrentWidget(history)
    budgets = core.budgets
    at = history.table.visualRect(history.model.index(0, 0)).center()
    qtbot.mouseClick(
        history.table.viewport(), Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.ControlModifier, at,
    )  # fmt: skip
    assert core.compare.pair is not None
    assert core.budgets == budgets
    core.compare.end()
    history.table.setFocus()
    history.table.setCurrentIndex(history.model.index(0, 0))
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(history.table, Qt.Key.Key_Return, control)
    assert core.compare.pair is not None


@pytest.mark.slow
def test_that_another_model_is_refused_with_a_sentence(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = compared_window(qtbot, make_window)
    window.opener.open_demo()
    qtbot.waitUntil(lambda: len(window.state.core.history) > 0, timeout=30_000)
    strip = window.views.strip
    assert "cannot be compared" in strip.refusal.toolTip() or "cannot" in strip.toolTip()
    assert not strip.a.isVisible()
    assert not strip.swap.isEnabled()
    strip.end.click()
    assert not strip.isVisible()


@pytest.mark.slow
def test_that_a_changed_tensor_is_selected_everywhere(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = compared_window(qtbot, make_window)
    window.compare_desk.show_panel()
    table = window.views.compare.table
    table.selectRow(1)
    assert window.state.core.looking.tensor == table.rows.tensor_of(1)


@pytest.mark.slow
def test_that_the_curves_follow_the_axis(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = compared_window(qtbot, make_window)
    window.compare_desk.show_panel()
    before = window.views.compare.curves.grab().toImage()
    window.state.core.looking.set_axis("time")
    assert window.views.compare.curves.grab().toImage() != before


def _mirrored(text: str) -> str:
    if text.startswith("+"):
        return "-" + text[1:]
    return "+" + text[1:] if text.startswith("-") else text
