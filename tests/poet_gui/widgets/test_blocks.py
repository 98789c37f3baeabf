"""Lanes of blocks: by the button, the key or the menu, and back to what was there before."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from poet_gui.widgets.blocks_table import BlocksTable
from poet_gui.widgets.schedule_view import ScheduleView
from tests.helpers.pointer import at, click
from tests.helpers.traces import big_trace, empty_trace, story
from tests.poet_gui.fixtures import WAIT_MS


@pytest.fixture
def view(qtbot: QtBot) -> ScheduleView:
    """Sixty layers in a chain: lanes of tensors at first."""
    made = ScheduleView()
    qtbot.addWidget(made)
    made.resize(1000, 700)
    with qtbot.waitExposed(made, timeout=WAIT_MS):
        made.show()
    made.set_trace(big_trace(depth=60, stride=20))
    return made


def lanes(view: ScheduleView) -> tuple[str, ...]:
    assert view.canvas.scene_data is not None
    return view.canvas.scene_data.lane_names


def test_that_the_button_shows_blocks_and_shows_tensors_again(
    qtbot: QtBot, view: ScheduleView
) -> None:
    before, zoomed = lanes(view), view.model.range

    qtbot.mouseClick(view.foot.blocks_toggle, Qt.MouseButton.LeftButton)
    between = lanes(view)
    qtbot.mouseClick(view.foot.blocks_toggle, Qt.MouseButton.LeftButton)

    assert between[0].startswith("f1 … ")
    assert len(between) < len(before) / 4
    assert (lanes(view), view.model.range) == (before, zoomed)


def test_that_the_key_does_the_same_and_zoom_selection_and_playhead_stay(
    qtbot: QtBot, view: ScheduleView
) -> None:
    view.set_selected(5)
    view.set_playhead(40)
    view.moves.zoom_in()
    zoomed = view.model.range

    qtbot.keyClick(view, Qt.Key.Key_B)

    assert view.foot.blocks_toggle.isChecked()
    assert (view.model.range, view.model.playhead) == (zoomed, 40)
    assert view.canvas.lane_axis._selected == 1  # f6 … f10


def test_that_another_schedule_of_the_model_is_shown_in_blocks_too(view: ScheduleView) -> None:
    view.toggle_blocks()
    view.set_trace(big_trace(depth=60, stride=10))

    assert lanes(view)[0].startswith("f1 … ")


def test_that_clicks_and_arrows_among_blocks_select_no_tensor(
    qtbot: QtBot, view: ScheduleView
) -> None:
    chosen: list[object] = []
    view.toggle_blocks()
    view.tensor_selected.connect(chosen.append)

    click(view.canvas, at(view.canvas, view.canvas.lanes_box, 3.5, 0.5))
    qtbot.keyClick(view, Qt.Key.Key_Down)

    assert chosen == []


def test_that_a_model_without_blocks_has_no_such_lanes(qtbot: QtBot, view: ScheduleView) -> None:
    view.set_trace(story())
    assert not view.foot.blocks_toggle.isEnabled()
    view.toggle_blocks()
    assert lanes(view)[0] == "f1"
    view.set_trace(empty_trace())
    assert not view.foot.blocks_toggle.isEnabled()


def test_that_a_row_of_a_block_leads_to_its_first_action_and_largest_tensor(qtbot: QtBot) -> None:
    table = BlocksTable()
    qtbot.addWidget(table)
    trace = big_trace(depth=60, stride=20)
    found: list[tuple[str, int]] = []
    table.tensor_selected.connect(lambda tensor: found.append(("tensor", tensor)))
    table.action_selected.connect(lambda action: found.append(("action", action)))

    table.set_trace(trace)
    table.selectRow(0)

    assert found == [("tensor", 0), ("action", 0)]
    assert table.rows.index(0, 0).data().startswith("f1 … ")
