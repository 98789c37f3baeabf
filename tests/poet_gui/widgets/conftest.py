"""A schedule view of its own, without a window around it."""

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.widgets.schedule_view import ScheduleView
from tests.helpers.traces import (
    big_trace,
    story,
)
from tests.poet_gui.fixtures import WAIT_MS


@pytest.fixture
def view(qtbot: QtBot) -> ScheduleView:
    """Three layers under a budget of 4000 B; their actions are told in tests.helpers.traces."""
    made = ScheduleView()
    qtbot.addWidget(made)
    made.resize(1000, 700)
    with qtbot.waitExposed(made, timeout=WAIT_MS):
        made.show()
    made.set_trace(story())
    made.set_budget(4000)
    return made


@pytest.fixture
def tall(view: ScheduleView) -> ScheduleView:
    """121 lanes, a few thousand actions."""
    view.set_trace(big_trace(depth=60, stride=20))
    return view
