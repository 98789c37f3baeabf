"""Claim: the history shows how each row ended in whatever width there is."""

from dataclasses import replace

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from poet_gui.viewmodels.history_rows import COLUMNS, HistoryText
from poet_gui.viewmodels.solve_words import Tone
from poet_gui.widgets.history_panel import HistoryModel, HistoryPanel
from tests.poet_gui.fixtures import WAIT_MS

ROW = HistoryText(
    ("768 KiB", "no limit", "5.767 J", "Optimal (proven)"), Tone.GOOD, "all of it", has_limit=False
)
ANSWER = COLUMNS.index("answer")


def shown(qtbot: QtBot, width: int) -> HistoryPanel:
    panel = HistoryPanel()
    qtbot.addWidget(panel)
    panel.resize(width, 200)
    with qtbot.waitExposed(panel, timeout=WAIT_MS):
        panel.show()
    return panel


def test_that_a_narrow_history_never_scrolls_sideways(qtbot: QtBot) -> None:
    panel = shown(qtbot, 200)
    panel.set_rows([replace(ROW, has_limit=True)])
    header = panel.table.horizontalHeader()
    qtbot.waitUntil(lambda: header.length() <= panel.table.viewport().width(), timeout=WAIT_MS)
    answer = panel.model.index(0, ANSWER)
    assert panel.model.data(answer, Qt.ItemDataRole.ToolTipRole) == "all of it"


def test_that_a_column_without_any_limit_leaves_its_room_to_the_answer(qtbot: QtBot) -> None:
    panel = shown(qtbot, 320)
    panel.set_rows([ROW])
    assert panel.table.isColumnHidden(COLUMNS.index("runtime"))
    wanted = panel.table.fontMetrics().horizontalAdvance("Optimal (proven)")
    qtbot.waitUntil(lambda: panel.table.columnWidth(ANSWER) > wanted, timeout=WAIT_MS)
    panel.set_rows([ROW, replace(ROW, has_limit=True)])
    assert not panel.table.isColumnHidden(COLUMNS.index("runtime"))


def test_that_names_of_columns_stand_above_their_cells(qapp: object) -> None:
    del qapp
    model = HistoryModel()
    model.set_rows([ROW])
    for column in range(len(COLUMNS)):
        role = Qt.ItemDataRole.TextAlignmentRole
        assert model.headerData(column, Qt.Orientation.Horizontal, role) == model.data(
            model.index(0, column), role
        )
