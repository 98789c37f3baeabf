"""The cards beside the picture follow selection and playhead."""

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.widgets.details_card import DetailsCard
from poet_gui.widgets.legend import Legend
from poet_gui.widgets.resident_table import ResidentTable
from solver.problem import Budgets
from solver.units import format_bytes
from tests.helpers.traces import empty_trace, many_outputs_trace, one_action_trace, story


@pytest.fixture
def details(qtbot: QtBot) -> DetailsCard:
    made = DetailsCard()
    qtbot.addWidget(made)
    made.show()
    made.set_trace(story())
    return made


@pytest.fixture
def resident(qtbot: QtBot) -> ResidentTable:
    made = ResidentTable()
    qtbot.addWidget(made)
    made.resize(420, 300)
    made.show()
    made.set_trace(story())
    return made


def test_that_without_a_selection_the_card_says_how_to_select(details: DetailsCard) -> None:
    assert details.hint.isVisible()
    assert not details.facts.isVisible()


def test_that_the_card_shows_facts_and_the_reason_at_the_playhead(details: DetailsCard) -> None:
    details.set_selected(1)
    details.set_playhead(7)
    assert details.name.text() == "f2"
    assert details.facts.texts()["computes"] == "2 (1 again at 1.000 J)"
    assert details.why_title.text() == "Why not in RAM: recomputed at step 8 · 5.02 s"
    assert "Recomputed by f2, it costs 1.000 J and 1.00 s." in details.why_text.text()
    details.set_playhead(0)
    assert details.why_title.text() == "Not in RAM yet"


def test_that_the_reason_speaks_of_the_budget_as_it_is_now(details: DetailsCard) -> None:
    details.set_selected(1)
    details.set_playhead(7)
    assert "of 3.91 KiB" in details.why_text.text()  # the 4000 B that the schedule was made for
    details.set_budgets(Budgets(16 * 1024))
    assert "of 16.0 KiB" in details.why_text.text()
    assert "of 3.91 KiB" not in details.why_text.text()


@pytest.mark.parametrize("make", [empty_trace, one_action_trace])
def test_that_a_smaller_schedule_drops_what_it_does_not_have(details: DetailsCard, make) -> None:
    details.set_selected(6)
    details.set_playhead(18)
    details.set_trace(make())
    assert details.details is None
    assert details.hint.isVisible()
    details.set_trace(None)
    assert details.details is None


def test_that_the_sum_of_the_rows_is_shown_and_equals_the_curve(resident: ResidentTable) -> None:
    trace = story()
    for action in range(len(trace.start_s)):
        resident.set_playhead(action)
        shown = resident.residents
        assert shown is not None
        assert sum(row.size_bytes for row in shown.rows) == trace.resident_bytes[action]
        assert resident.total.text() == format_bytes(int(trace.resident_bytes[action]))
        assert resident.sum.text().endswith("= curve")


def test_that_it_starts_at_the_peak(resident: ResidentTable) -> None:
    assert resident.residents is not None
    assert resident.residents.total_bytes == 4000


def test_that_a_chosen_row_selects_its_tensor(resident: ResidentTable, qtbot: QtBot) -> None:
    with qtbot.waitSignal(resident.tensor_selected) as selected:
        resident.view.selectRow(2)
    assert selected.args == [0]  # b2, b3, f1, f2


def test_that_the_selected_tensor_keeps_its_row_while_the_playhead_moves(
    resident: ResidentTable, qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(resident.tensor_selected):
        resident.set_selected(5)  # b2
        resident.set_playhead(15)
        rows = resident.view.selectionModel().selectedRows()
        assert [row.data() for row in rows] == ["b2"]
        resident.set_playhead(0)  # b2 is not in RAM
    assert not resident.view.selectionModel().selectedRows()


def test_that_the_button_asks_for_the_peak(resident: ResidentTable, qtbot: QtBot) -> None:
    with qtbot.waitSignal(resident.peak_requested):
        resident.peak_button.click()


def test_that_workspace_is_named(resident: ResidentTable) -> None:
    resident.set_trace(many_outputs_trace())
    resident.set_playhead(4)
    assert resident.rows.index(0, 0).data() == "workspace of update"


def test_that_the_rows_are_a_proper_model(resident: ResidentTable, qtmodeltester) -> None:
    qtmodeltester.check(resident.rows)


@pytest.mark.parametrize("trace", [None, empty_trace()])
def test_that_without_a_schedule_there_is_nothing_to_sum(resident: ResidentTable, trace) -> None:
    resident.set_trace(trace)
    assert resident.residents is None
    assert resident.sum.text() == "nothing scheduled yet"
    assert not resident.peak_button.isEnabled()


def test_that_the_legend_names_everything_and_wraps_when_narrow(qtbot: QtBot) -> None:
    legend = Legend()
    qtbot.addWidget(legend)
    assert [text for text, _ in legend.entries()] == [
        "compute", "recompute", "page in", "page out", "in RAM", "in storage"
    ]  # fmt: skip
    assert legend.heightForWidth(200) > legend.heightForWidth(2000)
