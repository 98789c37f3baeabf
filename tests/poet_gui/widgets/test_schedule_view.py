"""The schedule view answers mouse and keys, and says what it shows."""

import math

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from poet_gui.viewmodels.time_range import TimeRange
from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.schedule_view import ScheduleView
from poet_gui.widgets.state_message import ViewState
from tests.helpers.pointer import NONE, at, click, drag, send, wheel
from tests.helpers.traces import (
    all_zero_trace,
    big_trace,
    empty_trace,
    many_outputs_trace,
    one_action_trace,
    story,
)

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def view(qtbot: QtBot) -> ScheduleView:
    made = ScheduleView()
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.set_trace(story())
    made.set_budget(4000)
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def tall(view: ScheduleView) -> ScheduleView:
    """121 lanes, a few thousand actions."""
    view.set_trace(big_trace(depth=60, stride=20))
    return view


@pytest.mark.parametrize("notches", [1, -1, 3])
@pytest.mark.parametrize("axis", list(Axis))
def test_that_zooming_keeps_the_place_under_the_pointer_within_a_pixel(
    tall: ScheduleView, notches: int, axis: Axis
) -> None:
    tall.set_axis(axis.value)
    extent = tall.model.extent
    tall.model.set_range(TimeRange(0.3 * extent, 0.6 * extent))
    box, x = tall.canvas.lanes_box, 0.4 * extent
    pixel = at(tall.canvas, box, x, 3.0)
    before = box.mapSceneToView(tall.canvas.mapToScene(pixel.toPoint())).x()
    wheel(tall.canvas, pixel, notches, CTRL)
    after = box.mapSceneToView(tall.canvas.mapToScene(pixel.toPoint())).x()
    assert tall.model.range.width == pytest.approx(0.3 * extent * 0.8**notches)
    assert abs(after - before) <= tall.model.range.width / box.width()


def test_that_the_wheel_scrolls_lanes_and_leaves_the_time_alone(tall: ScheduleView) -> None:
    shown = tall.model.range
    wheel(tall.canvas, at(tall.canvas, tall.canvas.lanes_box, 5.0, 3.0), -2)
    assert tall.canvas.lanes_box.viewRange()[1][0] == pytest.approx(6.0)  # three lanes a notch
    assert tall.model.range == shown
    wheel(tall.canvas, at(tall.canvas, tall.canvas.lanes_box, 5.0, 8.0), 99)
    assert tall.canvas.lanes_box.viewRange()[1][0] == 0.0


def test_that_a_drag_selects_a_range_f_fits_it_and_backspace_goes_back(
    view: ScheduleView, qtbot: QtBot
) -> None:
    box = view.canvas.lanes_box
    drag(view.canvas, at(view.canvas, box, 2.0, 3.5), at(view.canvas, box, 6.0, 3.5))
    part = view.model.selection
    assert part is not None
    assert (part.low, part.high) == (pytest.approx(2.0, abs=0.1), pytest.approx(6.0, abs=0.1))
    assert "actions" in view.cards.range.text()
    qtbot.keyClick(view, Qt.Key.Key_F)
    assert view.model.range == part
    qtbot.keyClick(view, Qt.Key.Key_Backspace)
    assert view.model.range == TimeRange(0.0, 10.0)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.model.selection is None


def test_that_backspace_undoes_a_whole_run_of_wheel_notches(
    tall: ScheduleView, qtbot: QtBot
) -> None:
    whole = tall.model.range
    for _ in range(4):
        wheel(tall.canvas, at(tall.canvas, tall.canvas.lanes_box, 50.0, 3.0), 1, CTRL)
    assert tall.model.range.width == pytest.approx(whole.width * 0.8**4)
    qtbot.keyClick(tall, Qt.Key.Key_Backspace)
    assert tall.model.range == whole


def test_that_a_middle_drag_pans(view: ScheduleView) -> None:
    view.model.set_range(TimeRange(4.0, 8.0))
    box = view.canvas.lanes_box
    drag(
        view.canvas,
        at(view.canvas, box, 5.0, 3.5),
        at(view.canvas, box, 7.0, 3.5),
        Qt.MouseButton.MiddleButton,
    )
    assert view.model.range.low == pytest.approx(2.0, abs=0.1)
    assert view.model.selection is None


def test_that_a_click_on_a_bar_selects_its_tensor_and_moves_the_playhead(
    view: ScheduleView, qtbot: QtBot
) -> None:
    with (
        qtbot.waitSignal(view.tensor_selected, timeout=1000) as selected,
        qtbot.waitSignal(view.playhead_moved, timeout=1000) as moved,
    ):
        click(view.canvas, at(view.canvas, view.canvas.lanes_box, 7.5, 1.5))
    assert selected.args == [1]  # f2
    assert moved.args == [11]  # its second run
    assert view.canvas.lane_axis.shown_text(1) == "f2"


def test_that_a_click_on_a_name_selects_the_tensor(view: ScheduleView, qtbot: QtBot) -> None:
    axis = view.canvas.lane_axis
    middle_of_third = 2.5 * axis.size().height() / view.canvas.scroller.visible
    place = axis.mapToScene(10.0, middle_of_third)
    with qtbot.waitSignal(view.tensor_selected, timeout=1000) as selected:
        click(view.canvas, view.canvas.mapFromScene(place).toPointF())
    assert selected.args == [2]


def test_that_the_lane_of_ops_without_tensor_selects_none(view: ScheduleView) -> None:
    view.set_trace(many_outputs_trace())
    view.set_selected(0)
    click(view.canvas, at(view.canvas, view.canvas.lanes_box, 2.5, 3.5))
    assert view.model.playhead == 4  # the update
    assert view.canvas.lanes_item._selected_lane is None


def test_that_setting_from_outside_tells_nobody(view: ScheduleView, qtbot: QtBot) -> None:
    with (
        qtbot.assertNotEmitted(view.tensor_selected),
        qtbot.assertNotEmitted(view.playhead_moved),
        qtbot.assertNotEmitted(view.axis_changed),
        qtbot.assertNotEmitted(view.budget_dragged),
    ):
        view.set_selected(2)
        view.set_playhead(7)
        view.set_axis("time")
        view.set_budget(3000)
        view.set_trace(story())
    assert view.model.playhead == 7


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


def test_that_the_flag_of_the_playhead_says_step_and_time(view: ScheduleView) -> None:
    view.set_playhead(11)
    assert view.canvas.time_axis._flag == (7.5, "step 8 · 5.02 s")


def test_that_dragging_the_budget_line_says_how_many_bytes(
    view: ScheduleView, qtbot: QtBot
) -> None:
    box = view.canvas.memory_box
    told: list[int] = []
    view.budget_dragged.connect(told.append)
    drag(view.canvas, at(view.canvas, box, 1.0, 4000.0), at(view.canvas, box, 1.0, 3000.0))
    byte_per_pixel = box.viewRange()[1][1] / box.height()
    assert told[-1] == pytest.approx(3000, abs=1.5 * byte_per_pixel)
    assert all(isinstance(size, int) for size in told)


def test_that_the_memory_axis_holds_still_while_the_budget_is_dragged(
    view: ScheduleView,
) -> None:
    box = view.canvas.memory_box
    top = box.viewRange()[1][1]
    tops: list[float] = []
    view.budget_dragged.connect(view.set_budget)  # as the window does
    view.budget_dragged.connect(lambda _: tops.append(box.viewRange()[1][1]))
    drag(view.canvas, at(view.canvas, box, 1.0, 4000.0), at(view.canvas, box, 1.0, 0.99 * top))
    assert set(tops) == {top}
    assert box.viewRange()[1][1] > top  # released: the axis makes room for the budget


def test_that_a_budget_beyond_32_bits_is_named_and_does_not_flatten_the_curve(
    view: ScheduleView,
) -> None:
    view.set_budget(2 * 10**15)
    assert view.canvas.budget_line.label == "budget 2.00 PB  ↑"
    assert view.canvas.memory_box.viewRange()[1][1] < 2 * 4000
    view.canvas.budget_line.budget_dragged.emit(2**40)  # fits the signal


def test_that_what_is_over_the_budget_is_said_in_words(view: ScheduleView) -> None:
    assert view.canvas.memory_item.over_text == ""
    view.set_budget(3000)
    assert view.canvas.memory_item.over_text == "over by 1000 B"
    assert "over by 1000 B" in view.accessibleDescription()


def test_that_dragging_the_window_in_the_overview_moves_what_is_shown(view: ScheduleView) -> None:
    view.model.set_range(TimeRange(2.0, 4.0))
    box = view.canvas.overview_box
    middle = box.viewRange()[1][1] / 2
    drag(view.canvas, at(view.canvas, box, 3.0, middle), at(view.canvas, box, 6.0, middle))
    assert view.model.range.low == pytest.approx(5.0, abs=0.1)
    assert view.model.range.width == pytest.approx(2.0)


def test_that_a_click_in_the_overview_centres_there(view: ScheduleView) -> None:
    view.model.set_range(TimeRange(0.0, 2.0))
    box = view.canvas.overview_box
    click(view.canvas, at(view.canvas, box, 7.0, box.viewRange()[1][1] / 2))
    assert view.model.range.low == pytest.approx(6.0, abs=0.1)


def test_that_dragging_on_the_memory_curve_moves_the_playhead(view: ScheduleView) -> None:
    box = view.canvas.memory_box
    view.set_playhead(0)
    drag(view.canvas, at(view.canvas, box, 2.0, 500.0), at(view.canvas, box, 8.5, 500.0))
    assert view.model.playhead == 12
    assert view.model.selection is None


@pytest.mark.parametrize("size", [(1000, 700), (640, 420), (1900, 1000)])
def test_that_all_three_plots_share_one_x_axis_to_the_pixel(
    view: ScheduleView, size: tuple[int, int]
) -> None:
    view.resize(*size)
    view.canvas.grab()
    boxes = (view.canvas.overview_box, view.canvas.lanes_box, view.canvas.memory_box)
    edges = {(round(b.sceneBoundingRect().left(), 3), round(b.sceneBoundingRect().right(), 3))
             for b in boxes}  # fmt: skip
    assert len(edges) == 1
    assert boxes[1].viewRange()[0] == boxes[2].viewRange()[0]


def test_that_another_schedule_of_the_same_graph_keeps_zoom_selection_and_playhead(
    view: ScheduleView,
) -> None:
    view.model.set_range(TimeRange(2.0, 5.0))
    view.set_selected(2)
    view.set_playhead(6)
    view.set_trace(story(ram_bytes=5000))
    assert view.model.range == TimeRange(2.0, 5.0)
    assert view.canvas.lanes_item._selected_lane == 2
    assert view.model.playhead == 6


def test_that_another_graph_starts_with_everything_in_sight_at_its_peak(
    view: ScheduleView,
) -> None:
    view.model.set_range(TimeRange(2.0, 5.0))
    view.set_selected(2)
    view.set_trace(many_outputs_trace())
    assert view.model.range == TimeRange(0.0, 3.0)
    assert view.canvas.lanes_item._selected_lane is None
    assert view.model.playhead == 1  # join: 300 + 100 + 10 + 7 fixed


@pytest.mark.parametrize("make", [empty_trace, one_action_trace, all_zero_trace])
@pytest.mark.parametrize("axis", list(Axis))
def test_that_odd_schedules_never_make_a_range_that_is_not_a_number(
    view: ScheduleView, qtbot: QtBot, make, axis: Axis
) -> None:
    view.set_axis(axis.value)
    view.set_trace(make())
    for budget in (None, 1, 10**18):
        view.set_budget(budget)
        for key in (Qt.Key.Key_F, Qt.Key.Key_K, Qt.Key.Key_Plus, Qt.Key.Key_T, Qt.Key.Key_Left,
                    Qt.Key.Key_End, Qt.Key.Key_Down, Qt.Key.Key_PageDown):  # fmt: skip
            qtbot.keyClick(view, key)
        view.grab()
        for box in (view.canvas.overview_box, view.canvas.lanes_box, view.canvas.memory_box):
            for low, high in box.viewRange():
                assert math.isfinite(low)
                assert math.isfinite(high)
                assert high > low


def test_that_without_a_schedule_words_stand_in_its_place(view: ScheduleView) -> None:
    view.set_trace(None)
    assert view._stack.currentWidget() is view.message
    assert view.message.texts()[0] == "No schedule yet"
    view.set_trace(empty_trace())
    assert view.message.texts()[0] == "An empty schedule"


@pytest.mark.parametrize("state", list(ViewState))
def test_that_every_state_is_said_and_the_next_schedule_replaces_it(
    view: ScheduleView, state: ViewState
) -> None:
    view.show_message(state, "Impossible", "conv3 needs 2.1 MiB")
    assert view.message.isVisible()
    assert view.message.texts() == ("Impossible", "conv3 needs 2.1 MiB")
    view.set_trace(story())
    assert view.canvas.isVisible()


def test_that_a_larger_font_makes_lanes_and_names_larger(view: ScheduleView) -> None:
    lanes, width = view.canvas.scroller.visible, view.canvas.lane_axis.width()
    font = view.font()
    font.setPointSizeF(2 * font.pointSizeF())
    view.setFont(font)
    view.canvas.grab()
    assert view.canvas.scroller.visible < 0.7 * lanes
    assert view.canvas.lane_axis.width() > 1.6 * width


def test_that_play_moves_on_and_stops_at_the_end_and_when_hidden(
    view: ScheduleView, qtbot: QtBot
) -> None:
    view.set_playhead(12)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert view.foot.transport.is_playing
    qtbot.waitUntil(lambda: not view.foot.transport.is_playing, timeout=3000)
    assert view.model.playhead == 15
    qtbot.keyClick(view, Qt.Key.Key_Space)
    view.hide()
    assert not view.foot.transport.is_playing


def test_that_the_pointer_over_a_bar_shows_what_it_is(view: ScheduleView, qtbot: QtBot) -> None:
    view.canvas.pointer.pointed.emit(1, 7.5)
    assert view.cards.hover.isVisible()
    assert "recompute · f2" in view.cards.hover.text()
    bar = view.canvas.scene_data.pick(1, 7.5, Axis.STEP)
    box = view.canvas.pointer.bar_box(bar)
    assert not view.cards.hover.geometry().intersects(box.toAlignedRect())
    view.canvas.pointer.pointed.emit(None, None)
    assert not view.cards.hover.isVisible()


def test_that_the_real_pointer_brings_the_card_and_takes_it_away(
    view: ScheduleView, qtbot: QtBot
) -> None:
    place = at(view.canvas, view.canvas.lanes_box, 7.5, 1.5)
    send(view.canvas, QEvent.Type.MouseMove, place, NONE, NONE)
    qtbot.waitUntil(view.cards.hover.isVisible, timeout=2000)
    assert "recompute · f2" in view.cards.hover.text()
    QApplication.sendEvent(view.canvas, QEvent(QEvent.Type.Leave))
    assert not view.cards.hover.isVisible()


def test_that_the_pointer_on_a_name_shows_the_whole_name(view: ScheduleView) -> None:
    view.canvas.pointer.pointed.emit(4, None)
    assert "b3" in view.cards.hover.text()
    assert "made by b3" in view.cards.hover.text()


def test_that_the_legend_goes_below_the_buttons_when_it_has_no_room_beside_them(
    view: ScheduleView, qtbot: QtBot
) -> None:
    view.resize(1400, 700)
    qtbot.waitUntil(lambda: view.foot.legend.x() > view.foot.transport.geometry().right())
    view.resize(400, 700)
    qtbot.waitUntil(lambda: view.foot.legend.y() > view.foot.transport.geometry().bottom())
