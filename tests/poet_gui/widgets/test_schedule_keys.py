"""The schedule view answers the keyboard: the playhead, the selection, the range in sight."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from poet_gui.viewmodels.time_range import TimeRange
from poet_gui.widgets.schedule_view import ScheduleView
from tests.helpers.pointer import at, wheel
from tests.poet_gui.fixtures import WAIT_MS

CTRL = Qt.KeyboardModifier.ControlModifier


def test_that_backspace_undoes_a_whole_run_of_wheel_notches(
    tall: ScheduleView, qtbot: QtBot
) -> None:
    whole = tall.model.range
    for _ in range(4):
        wheel(tall.canvas, at(tall.canvas, tall.canvas.lanes_box, 50.0, 3.0), 1, CTRL)
    assert tall.model.range.width == pytest.approx(whole.width * 0.8**4)
    qtbot.keyClick(tall, Qt.Key.Key_Backspace)
    assert tall.model.range == whole


def test_that_keys_move_the_playhead_step_by_step_and_to_the_peak(
    view: ScheduleView, qtbot: QtBot
) -> None:
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.model.playhead == 0
    for expected in (1, 2, 4, 6):  # actions 3 and 5 are frees: no columns
        qtbot.keyClick(view, Qt.Key.Key_Right)
        assert view.model.playhead == expected
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.model.playhead == 4
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.model.playhead == 15
    qtbot.keyClick(view, Qt.Key.Key_K)
    assert view.model.playhead == 12  # b2, 4000 B


def test_that_ctrl_up_and_down_move_the_budget_by_a_hundredth_of_the_axis(
    view: ScheduleView, qtbot: QtBot
) -> None:
    step = round(view.canvas.memory_box.viewRange()[1][1] / 100)
    view.set_selected(1)
    for key, wanted in ((Qt.Key.Key_Up, 4000 + step), (Qt.Key.Key_Down, 4000 - step)):
        with qtbot.waitSignal(view.budget_dragged, timeout=WAIT_MS) as told:
            qtbot.keyClick(view, key, CTRL)
        assert told.args == [wanted]
    assert view._selected == 1  # without Ctrl they choose a tensor


def test_that_from_a_free_the_arrows_go_to_the_bars_beside_it(
    view: ScheduleView, qtbot: QtBot
) -> None:
    view.set_playhead(5)  # x:f2, between f3 (action 4) and the loss (action 6)
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.model.playhead == 6
    view.set_playhead(5)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.model.playhead == 4


def test_that_up_and_down_select_the_neighbouring_tensor(view: ScheduleView, qtbot: QtBot) -> None:
    view.set_selected(1)
    with qtbot.waitSignal(view.tensor_selected) as selected:
        qtbot.keyClick(view, Qt.Key.Key_Down)
    assert selected.args == [2]
    with qtbot.waitSignal(view.tensor_selected) as selected:
        qtbot.keyClick(view, Qt.Key.Key_Up)
    assert selected.args == [1]


def test_that_shift_and_arrows_select_a_range(view: ScheduleView, qtbot: QtBot) -> None:
    view.set_playhead(4)
    for _ in range(2):
        qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.model.selection == TimeRange(3.0, 6.0)  # columns 3, 4 and 5


def test_that_t_changes_between_steps_and_time_and_keeps_the_actions_in_sight(
    view: ScheduleView, qtbot: QtBot
) -> None:
    view.model.set_range(TimeRange(3.0, 6.0))  # f3, loss, b3
    with qtbot.waitSignal(view.axis_changed) as changed:
        qtbot.keyClick(view, Qt.Key.Key_T)
    assert changed.args == ["time"]
    # f3 begins at 2.01 s; b3 ends with 1 s + 1 us + 2 s more.
    assert view.model.range.low == pytest.approx(2.01)
    assert view.model.range.high == pytest.approx(5.010001)
    qtbot.keyClick(view, Qt.Key.Key_T)
    assert view.model.range.low == pytest.approx(3.0)
    assert view.model.range.high == pytest.approx(6.0)


def test_that_play_moves_on_and_stops_at_the_end_and_when_hidden(
    view: ScheduleView, qtbot: QtBot
) -> None:
    view.set_playhead(12)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert view.foot.transport.is_playing
    qtbot.waitUntil(lambda: not view.foot.transport.is_playing, timeout=WAIT_MS)
    assert view.model.playhead == 15
    qtbot.keyClick(view, Qt.Key.Key_Space)
    view.hide()
    assert not view.foot.transport.is_playing
