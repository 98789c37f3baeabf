"""The schedule view says what it shows, whatever the schedule, its size and its font."""

import math
from itertools import combinations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from poet_gui.viewmodels.memory_labels import Mark
from poet_gui.viewmodels.time_range import TimeRange
from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.schedule_view import ScheduleView
from poet_gui.widgets.state_message import ViewState
from tests.helpers.pointer import at, click
from tests.helpers.traces import (
    all_zero_trace,
    empty_trace,
    many_outputs_trace,
    one_action_trace,
    story,
)
from tests.poet_gui.fixtures import WAIT_MS


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


def test_that_the_flag_of_the_playhead_says_step_and_time(view: ScheduleView) -> None:
    view.set_playhead(11)
    assert view.canvas.time_axis._flag == (7.5, "step 8 · 5.02 s")


def test_that_a_budget_beyond_32_bits_is_named_and_does_not_flatten_the_curve(
    view: ScheduleView,
) -> None:
    view.set_budget(2 * 10**15)
    assert view.canvas.memory.labels.texts[Mark.BUDGET] == "budget 2.00 PB  ↑"
    assert view.canvas.memory_box.viewRange()[1][1] < 2 * 4000
    view.canvas.memory.line.budget_dragged.emit(2**40)  # fits the signal


@pytest.mark.parametrize("size", [(480, 300), (820, 620)])
@pytest.mark.parametrize("points", [9.0, 18.0])
def test_that_the_labels_of_the_memory_curve_never_meet(
    view: ScheduleView, size: tuple[int, int], points: float
) -> None:
    font = view.font()
    font.setPointSizeF(points)
    view.setFont(font)
    view.resize(*size)
    labels, canvas = view.canvas.memory.labels, view.canvas
    for budget_bytes in (1, 1000, 1900, 2000, 2100, 3000, 3900, 4000, 4100, 9000):
        view.set_budget(budget_bytes)
        boxes = labels.places(labels.deviceTransform(canvas.viewportTransform()))
        assert {Mark.BUDGET, Mark.PEAK} <= set(boxes)
        assert (Mark.OVER in boxes) == (budget_bytes < 4000)
        for one, other in combinations(boxes.values(), 2):
            assert not one.meets(other), budget_bytes


def test_that_what_is_over_the_budget_is_said_in_words(view: ScheduleView) -> None:
    assert view.canvas.memory.item.over_text == ""
    view.set_budget(3000)
    assert view.canvas.memory.item.over_text == "over by 1000 B"
    assert "over by 1000 B" in view.accessibleDescription()


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


def test_that_the_time_axis_stays_in_sight_when_the_view_shrinks(
    view: ScheduleView, qtbot: QtBot
) -> None:
    view.resize(900, 900)
    view.resize(900, view.minimumSizeHint().height())
    canvas = view.canvas
    qtbot.waitUntil(lambda: canvas.ci.geometry().height() == canvas.height(), timeout=WAIT_MS)
    assert canvas.time_axis.geometry().bottom() <= canvas.height()


def test_that_the_legend_goes_below_the_buttons_when_it_has_no_room_beside_them(
    view: ScheduleView, qtbot: QtBot
) -> None:
    view.resize(1400, 700)
    qtbot.waitUntil(
        lambda: view.foot.legend.x() > view.foot.transport.geometry().right(), timeout=WAIT_MS
    )
    view.resize(400, 700)
    qtbot.waitUntil(
        lambda: view.foot.legend.y() > view.foot.transport.geometry().bottom(), timeout=WAIT_MS
    )
