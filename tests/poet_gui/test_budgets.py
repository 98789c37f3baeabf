"""Budgets by slider, box and menu; what they are known to cost; impossible ones."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from poet_gui.explorer import Origin
from poet_gui.main_window import MainWindow
from poet_gui.solving.status import Phase
from poet_gui.widgets.budget_slider import STEPS
from poet_gui.widgets.quantity_box import SECOND_UNITS, QuantityBox
from solver.device import IoMode
from solver.outcome import Feasible, Infeasible, Limit, Optimal
from solver.schedule import ActionKind
from solver.units import parse_seconds
from tests.poet_gui.fixtures import MakeWindow, open_model, show_chain, solve

PAGES = {ActionKind.PAGE_IN, ActionKind.PAGE_OUT}


def test_that_the_window_states_the_facts_before_any_solve(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    facts = window.views.model.facts.texts()
    # chain(6): six forward ops, the loss, six backward ops, each with one tensor. While the first
    # gradient is made, f1 .. f6 (6000 B), the loss (4 B) and the gradient (1000 B) are in RAM.
    assert facts["ops"] == "13"
    assert facts["tensors"] == "13"
    assert facts["weights"] == "0 B, not counted"
    assert facts["plain peak"] == "6.84 KiB"  # 7004 B
    assert facts["floor"] == "2.93 KiB"  # 3000 B: two tensors read, one made
    assert facts["set by"] == "b5"  # b6 reads the loss of 4 B instead: 2004 B
    core = window.state.core
    assert core.shown is not None
    assert core.shown.origin is Origin.PLAIN
    assert window.views.headline.lead.text() == "Plain schedule"
    assert window.views.status.words.text() == "Ready"


def test_that_the_slider_moves_budget_number_and_line_at_once(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    slider, core = window.views.budgets.ram_slider, window.state.core
    slider.setFocus()
    slider.setValue(STEPS // 2)
    half = round(1.075 * 7004 / 2)  # the groove ends a little above the plain peak
    assert core.budgets.ram_bytes == half
    assert window.views.budgets.ram_box.field.text() == f"{half / 1024:.1f}"
    assert core.status.phase is Phase.QUEUED
    window.controller.stop()


def test_that_the_keyboard_moves_the_slider_to_exact_marks(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    slider, core = window.views.budgets.ram_slider, window.state.core
    QTest.keyClick(slider, Qt.Key.Key_Home)
    assert core.budgets.ram_bytes == 0
    place = round(3000 / (1.075 * 7004) * STEPS)
    slider.setValue(place)
    assert core.budgets.ram_bytes == 3000  # the floor itself, not the nearest place of the groove
    window.controller.stop()


@pytest.mark.parametrize(
    ("typed", "ram_bytes"),
    [("5000B", 5000), ("4", 4096), ("1.5 MiB", 1572864), ("7kB", 7000)],
)
def test_that_a_typed_budget_is_taken_to_the_byte(
    qtbot: QtBot, make_window: MakeWindow, typed: str, ram_bytes: int
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    _type(window.views.budgets.ram_box, typed)
    assert window.state.core.budgets.ram_bytes == ram_bytes
    window.controller.stop()


def test_that_nonsense_in_the_box_is_explained_and_changes_nothing(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    before = window.state.core.budgets
    _type(window.views.budgets.ram_box, "a lot")
    fault = window.views.budgets.fault
    assert fault.isVisible()
    assert "'a lot' is not a size" in fault.text()
    assert window.state.core.budgets == before


def test_that_the_right_end_of_the_runtime_slider_is_no_limit(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    slider, core = window.views.budgets.runtime_slider, window.state.core
    assert core.model is not None
    baseline_s = core.model.costed.baseline_runtime_s
    slider.setValue(STEPS - 1)
    assert core.budgets.runtime_s == pytest.approx(3 * baseline_s, rel=2e-3)
    slider.setValue(STEPS)
    assert core.budgets.runtime_s is None
    assert window.views.budgets.runtime_box.field.text() == "no limit"
    window.controller.stop()


def test_that_what_is_solved_is_marked_and_promised(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    panel, core = window.views.budgets, window.state.core
    core.set_ram(4000)
    assert panel.expected.text.text().startswith("At least ")
    solve(qtbot, window)
    assert panel.expected.text.text().startswith("Expected ")
    assert panel.expected.detail.text() == "proven from 1 stored result"
    core.set_ram(4500)  # looser: the schedule still serves, the baseline is the bound
    assert core.shown is not None
    assert core.shown.origin is Origin.NEAREST
    assert panel.expected.text.text().startswith("Expected ")
    assert window.views.headline.lead.text() == "Provisional, stored"


@pytest.mark.slow
def test_that_one_byte_below_the_floor_is_impossible_and_can_be_raised(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    open_model(qtbot, window, "tests/data/graphs/01_chain.json")
    core, panel = window.state.core, window.views.budgets
    assert core.model is not None
    floor, name = core.model.costed.floor_bytes, _floor_op(window)
    core.set_ram(floor - 1)
    assert panel.expected.text.text() == "Impossible"
    assert name in panel.expected.detail.text()
    solve(qtbot, window)
    outcome = core.status.outcome
    assert isinstance(outcome, Infeasible)
    assert outcome.reason.limit is Limit.RAM
    assert window.views.status.words.text() == "Impossible: too little memory"
    assert name in window.views.solver.detail.text()
    assert panel.expected.raise_button.isVisible()
    with qtbot.waitSignal(window.controller.finished, timeout=60_000):
        panel.expected.raise_button.click()
        assert core.budgets.ram_bytes == floor
    assert isinstance(core.status.outcome, Optimal)
    assert core.status.outcome.trace.peak_bytes <= floor


@pytest.mark.slow  # a real solve; the words: test_explain.py
def test_that_too_little_time_is_not_blamed_on_memory(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    open_model(qtbot, window, "tests/data/graphs/01_chain.json")
    core = window.state.core
    assert core.model is not None
    core.set_ram(core.model.costed.plain_peak_bytes)
    core.set_runtime(0.5 * core.model.costed.baseline_runtime_s)
    solve(qtbot, window)
    outcome = core.status.outcome
    assert isinstance(outcome, Infeasible)
    assert outcome.reason.limit is Limit.RUNTIME
    assert window.views.status.words.text() == "Impossible: too little runtime"
    assert "memory" not in window.views.budgets.expected.detail.text()


@pytest.mark.slow
def test_that_switches_off_mean_none_of_that_kind(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(None)
    open_model(qtbot, window, "tests/data/graphs/02_residual.json")
    core = window.state.core
    assert core.model is not None
    peak, floor = core.model.costed.plain_peak_bytes, core.model.costed.floor_bytes
    core.set_ram((peak + floor) // 2)
    window.wishes.set_options(replace(core.options, time_limit_s=5.0))
    for name, banned in (("toggle_paging", PAGES), ("toggle_recompute", {ActionKind.RECOMPUTE})):
        window.actions_by_name[name].trigger()
        solve(qtbot, window)
        found = core.status.outcome
        if isinstance(found, Optimal | Feasible):
            assert not {action.kind for action in found.trace.schedule.actions} & banned
        window.actions_by_name[name].trigger()
        window.controller.stop()
    window.actions_by_name["toggle_paging"].trigger()
    window.actions_by_name["toggle_recompute"].trigger()
    core.set_ram(peak)
    solve(qtbot, window)
    assert isinstance(core.status.outcome, Optimal)
    plain = core.model.plain.schedule
    assert core.status.outcome.trace.total_energy_j == pytest.approx(
        core.model.costed.baseline_energy_j
    )
    kinds = {action.kind for action in core.status.outcome.trace.schedule.actions}
    assert kinds == {action.kind for action in plain.actions}


def _type(box: QuantityBox, text: str) -> None:
    box.edit()
    QTest.keyClicks(box.field, text)
    QTest.keyClick(box.field, Qt.Key.Key_Return)


def _floor_op(window: MainWindow) -> str:
    model = window.state.core.model
    assert model is not None
    return model.costed.graph.ops[model.costed.floor_op].name


@pytest.mark.slow
def test_that_a_box_goes_on_in_the_unit_chosen_last(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    box = window.views.budgets.ram_box
    box.units.setCurrentText("B")
    box.units.activated.emit(box.units.currentIndex())
    again = make_window("honest", start=False)
    show_chain(again)
    assert again.views.budgets.ram_box.units.currentText() == "B"
    assert again.views.budgets.ram_box.field.text() == "7004"  # the plain peak of chain(6)


@pytest.mark.parametrize("text", ["40us", "40 µs", "40μs"])
def test_that_microseconds_are_typed_in_any_way_and_shown_in_one(qtbot: QtBot, text: str) -> None:
    box = QuantityBox(SECOND_UNITS, parse_seconds)
    qtbot.addWidget(box)
    box.set_value(1.0)
    box.field.setText(text)
    box.field.setModified(True)
    with qtbot.waitSignal(box.entered) as told:
        box.field.editingFinished.emit()
    assert told.args == [pytest.approx(4e-5)]
    assert box.units.currentText() == "µs"


@pytest.mark.slow
def test_that_transfers_can_be_chosen_to_overlap_and_are_solved_and_drawn_so(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    core, choice = window.state.core, window.views.budgets.switches.io
    assert [choice.itemData(row) for row in range(choice.count())] == list(IoMode)
    core.set_ram(3500)
    solve(qtbot, window)
    assert core.shown is not None
    blocking = core.shown.trace

    choice.setFocus()
    QTest.keyClick(choice, Qt.Key.Key_Down)
    solve(qtbot, window)

    assert core.switches.io is IoMode.OVERLAPPED
    trace = core.shown.trace
    assert trace.problem.switches.io is IoMode.OVERLAPPED
    assert trace.runtime_s < blocking.runtime_s
    scene = window.views.schedule.canvas.scene_data
    assert scene is not None
    assert scene.lane_names[:2] == ("processor", "transfers")
