"""Enter and Shift+Enter walk the hits; what is wrong with a query is said in place."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from poet_gui.widgets.search_field import SearchField
from tests.helpers.traces import story


@pytest.fixture
def field(qtbot: QtBot) -> SearchField:
    made = SearchField()
    qtbot.addWidget(made)
    made.resize(320, 30)
    made.show()
    made.set_trace(story())
    return made


def test_that_enter_walks_on_and_shift_enter_back_round_and_round(
    field: SearchField, qtbot: QtBot
) -> None:
    told: list[tuple[int | None, int]] = []
    field.hit_chosen.connect(lambda tensor, action: told.append((tensor, action)))
    qtbot.keyClicks(field, "f")
    assert field.status == "3 hits"
    for _ in range(4):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert told == [(0, 0), (1, 1), (2, 4), (0, 0)]
    assert field.status == "1 of 3"
    qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert told[-1] == (2, 4)
    assert field.status == "3 of 3"


def test_that_shift_enter_first_goes_to_the_last_hit(field: SearchField, qtbot: QtBot) -> None:
    field.setText("f")
    with qtbot.waitSignal(field.hit_chosen) as chosen:
        qtbot.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert chosen.args == [2, 4]


def test_that_no_hit_and_a_wrong_query_are_said(field: SearchField, qtbot: QtBot) -> None:
    field.setText("nothing-like-it")
    assert field.status == "no hits"
    with qtbot.assertNotEmitted(field.hit_chosen):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    field.setText("kind:sleep")
    assert "recompute" in field.status


def test_that_escape_clears(field: SearchField, qtbot: QtBot) -> None:
    field.setText("f")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == ""
    assert field.status == ""


def test_that_the_query_is_asked_again_of_another_schedule(field: SearchField) -> None:
    field.setText("kind:recompute")
    assert field.status == "1 hit"
    field.set_trace(None)
    assert field.status == ""
    field.set_trace(story())
    assert field.status == "1 hit"
