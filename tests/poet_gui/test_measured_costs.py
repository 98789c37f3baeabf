"""Claim: a table of measured costs prices the open model, is seen, and goes with a device."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from solver.cost_table import CostRow, CostTable
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, notice_saying, open_model


@pytest.mark.slow
def test_that_a_table_prices_the_model_until_a_device_is_chosen(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    model = window.state.core.model
    assert model is not None
    before, op = model.costed.op_duration_s.tolist(), model.costed.graph.ops[1].name
    table = tmp_path / "mine.csv"
    table.write_text(f"op,seconds\n{op},12.5\n")
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(table))
    priced = window.state.core.model
    assert priced is not None
    assert priced.costed.op_duration_s.tolist() == [before[0], 12.5, *before[2:]]
    assert window.views.header.devices.currentText().startswith("mine.csv + ")
    notice_saying(qtbot, window, "priced by the cost table mine.csv: the seconds of 1")
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_device("nrf52840")
    again = window.state.core.model
    assert again is not None
    assert again.costed.op_duration_s.tolist() == before
    assert "mine.csv" not in window.views.header.devices.currentText()


@pytest.mark.slow
def test_that_the_costs_of_a_device_of_the_users_own_are_dropped_when_told_so(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    model = window.state.core.model
    assert model is not None
    plain = model.costed.op_duration_s.tolist()
    drop = window.actions_by_name["drop_costs"]
    assert not drop.isEnabled()
    # A file of the user that holds a table: to choose it again brings the table back.
    table = CostTable("mine.csv", (CostRow(12.5, None, model.costed.graph.ops[1].name),))
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.controller.choose_device(replace(window.state.core.device, profile=table))
    assert "the File menu drops them" in window.views.header.devices.toolTip()
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        drop.trigger()
    again = window.state.core.model
    assert again is not None
    assert again.costed.op_duration_s.tolist() == plain
    assert not drop.isEnabled()


def test_that_a_wrong_table_names_its_lines_and_changes_nothing(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window("honest", start=False)
    table = tmp_path / "mine.csv"
    table.write_text("op,seconds\na,-1\nb,nan\n")
    window.opener.open_path(str(table))
    notice = window.views.notices.notices[0]
    assert "mine.csv was not opened" in notice.title
    assert "line 2" in notice.whole
    assert "line 3" in notice.whole
    assert window.state.core.device.profile is None
