"""Tables: proper Qt models, sorted without texts, linked to the picture."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from poet_gui.theme import LIGHT
from poet_gui.widgets.actions_table import ActionsTable
from poet_gui.widgets.linked_table import LinkedTable
from poet_gui.widgets.tensors_table import TensorsTable
from tests.helpers.traces import empty_trace, many_outputs_trace, story


@pytest.fixture
def actions(qtbot: QtBot) -> ActionsTable:
    made = ActionsTable()
    qtbot.addWidget(made)
    made.set_trace(story())
    return made


@pytest.fixture
def tensors(qtbot: QtBot) -> TensorsTable:
    made = TensorsTable()
    qtbot.addWidget(made)
    made.set_trace(story())
    return made


def column(table: LinkedTable, title: str) -> int:
    model = table.model()
    titles = [model.headerData(i, Qt.Orientation.Horizontal) for i in range(model.columnCount())]
    return titles.index(title)


def texts(table: LinkedTable, title: str) -> list[str]:
    model, at = table.model(), column(table, title)
    return [model.index(row, at).data() for row in range(model.rowCount())]


@pytest.mark.parametrize("make", [story, empty_trace, many_outputs_trace])
@pytest.mark.parametrize("kind", [ActionsTable, TensorsTable])
def test_that_the_model_keeps_the_rules_of_qt(
    qtbot: QtBot, qtmodeltester, make, kind: type[LinkedTable]
) -> None:
    table = kind()
    qtbot.addWidget(table)
    table.set_trace(make())
    qtmodeltester.check(table.model())


def test_that_sorting_orders_numbers_as_numbers(tensors: TensorsTable) -> None:
    tensors.sortByColumn(column(tensors, "bytes"), Qt.SortOrder.AscendingOrder)
    assert texts(tensors, "tensor")[0] == "loss"  # 4 B before 1000 B
    tensors.sortByColumn(column(tensors, "recomputes"), Qt.SortOrder.DescendingOrder)
    assert texts(tensors, "tensor")[0] == "f2"


def test_that_the_sorting_survives_another_schedule_and_can_be_cleared(
    actions: ActionsTable,
) -> None:
    actions.sortByColumn(column(actions, "energy"), Qt.SortOrder.DescendingOrder)
    assert texts(actions, "energy")[0] == "2.000 J"
    actions.set_trace(story(ram_bytes=5000))
    assert texts(actions, "energy")[0] == "2.000 J"
    actions.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert texts(actions, "#")[:3] == ["0", "1", "2"]


def test_that_a_chosen_row_points_at_its_tensor_and_action(
    actions: ActionsTable, qtbot: QtBot
) -> None:
    with (
        qtbot.waitSignal(actions.tensor_selected) as tensor,
        qtbot.waitSignal(actions.action_selected) as action,
    ):
        actions.setCurrentIndex(actions.model().index(11, 0))
    assert tensor.args == [1]
    assert action.args == [11]


def test_that_a_selection_from_outside_finds_its_row_in_any_sorting_and_tells_nobody(
    tensors: TensorsTable, qtbot: QtBot
) -> None:
    tensors.sortByColumn(column(tensors, "bytes"), Qt.SortOrder.AscendingOrder)
    with qtbot.assertNotEmitted(tensors.tensor_selected):
        tensors.set_selected(3)
    assert tensors.selected_row() == 0
    tensors.set_selected(None)
    assert tensors.selected_row() is None


def test_that_the_row_of_the_playhead_is_selected(actions: ActionsTable) -> None:
    actions.set_playhead(5)
    assert actions.selected_row() == 5
    actions.set_playhead(99)
    assert actions.selected_row() is None


def test_that_a_selected_row_can_be_copied(actions: ActionsTable) -> None:
    actions.set_playhead(2)
    actions.copy_row()
    assert QApplication.clipboard().text().split("\t")[:4] == ["2", "3", "page out", "f1"]


def test_that_the_selection_stays_on_its_row_when_the_order_changes(
    tensors: TensorsTable,
) -> None:
    tensors.set_selected(1)
    tensors.sortByColumn(column(tensors, "tensor"), Qt.SortOrder.AscendingOrder)
    row = tensors.selected_row()
    assert row is not None
    assert tensors.rows.tensor_of(row) == 1


def test_that_columns_grow_with_the_text(tensors: TensorsTable) -> None:
    widths = [tensors.columnWidth(i) for i in range(tensors.rows.columnCount())]
    before = tensors.fontMetrics().height()
    font = tensors.font()
    font.setPointSizeF(2 * font.pointSizeF())
    tensors.setFont(font)
    tensors.set_theme(LIGHT)
    ratio = tensors.fontMetrics().height() / before
    assert ratio > 1.8
    for place, width in enumerate(widths):
        assert tensors.columnWidth(place) == pytest.approx(ratio * width, abs=1)
