"""The schedule view answers the mouse: clicks, drags, the wheel, and a pointer at rest."""

import time

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from poet_gui.viewmodels.time_range import TimeRange
from poet_gui.viewmodels.trace_index import Axis
from poet_gui.widgets.schedule_view import ScheduleView
from tests.helpers.pointer import NONE, at, click, drag, send, wheel
from tests.poet_gui.fixtures import WAIT_MS

CTRL = Qt.KeyboardModifier.ControlModifier


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
        qtbot.waitSignal(view.tensor_selected, timeout=WAIT_MS) as selected,
        qtbot.waitSignal(view.playhead_moved, timeout=WAIT_MS) as moved,
    ):
        click(view.canvas, at(view.canvas, view.canvas.lanes_box, 7.5, 1.5))
    assert selected.args == [1]  # f2
    assert moved.args == [11]  # its second run
    assert view.canvas.lane_axis.shown_text(1) == "f2"


def test_that_a_click_on_a_name_selects_the_tensor(view: ScheduleView, qtbot: QtBot) -> None:
    axis = view.canvas.lane_axis
    middle_of_third = 2.5 * axis.size().height() / view.canvas.scroller.visible
    place = axis.mapToScene(10.0, middle_of_third)
    with qtbot.waitSignal(view.tensor_selected, timeout=WAIT_MS) as selected:
        click(view.canvas, view.canvas.mapFromScene(place).toPointF())
    assert selected.args == [2]


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


@pytest.mark.parametrize("beside", [-8, 8])
def test_that_the_budget_line_is_taken_eight_pixels_beside_it_and_does_not_jump(
    view: ScheduleView, qtbot: QtBot, beside: int
) -> None:
    canvas, line = view.canvas, view.canvas.memory.line
    told: list[int] = []
    view.budget_dragged.connect(told.append)
    start = at(canvas, canvas.memory_box, 1.0, 4000.0) + QPointF(0, beside)
    drag(canvas, start, start + QPointF(0, 20))
    byte_per_pixel = canvas.memory_box.viewRange()[1][1] / canvas.memory_box.height()
    assert told[-1] == pytest.approx(4000 - 20 * byte_per_pixel, abs=1.5 * byte_per_pixel)
    assert line.cursor().shape() is Qt.CursorShape.SizeVerCursor


def test_that_the_budget_line_lights_up_under_the_pointer(view: ScheduleView) -> None:
    canvas, line = view.canvas, view.canvas.memory.line
    on_it = at(canvas, canvas.memory_box, 1.0, 4000.0)
    send(canvas, QEvent.Type.MouseMove, on_it + QPointF(0, 8), NONE, NONE)
    assert line.mouseHovering
    time.sleep(0.02)  # pyqtgraph looks at no more than 100 moves a second
    send(canvas, QEvent.Type.MouseMove, on_it + QPointF(0, 30), NONE, NONE)
    assert not line.mouseHovering


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
    qtbot.waitUntil(view.cards.hover.isVisible, timeout=WAIT_MS)
    assert "recompute · f2" in view.cards.hover.text()
    QApplication.sendEvent(view.canvas, QEvent(QEvent.Type.Leave))
    assert not view.cards.hover.isVisible()


def test_that_the_pointer_on_a_name_shows_the_whole_name(view: ScheduleView) -> None:
    view.canvas.pointer.pointed.emit(4, None)
    assert "b3" in view.cards.hover.text()
    assert "made by b3" in view.cards.hover.text()
