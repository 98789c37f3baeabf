"""Claim: a cancelled request is waited for, and longer while each new process is still cold."""

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from poet_gui.solving.patience import Patience
from tests.poet_gui.fixtures import WAIT_MS


@pytest.fixture
def patience(qapp: QObject) -> Patience:
    made = Patience(qapp)
    made.wait_ms(5)
    return made


def test_that_it_ends_while_a_cancelled_request_goes_on(patience: Patience, qtbot: QtBot) -> None:
    with qtbot.waitSignal(patience.exhausted, timeout=WAIT_MS):
        patience.wait_for(1)
    assert patience.waits


def test_that_a_request_that_ended_is_not_waited_for(patience: Patience) -> None:
    patience.wait_for(1)
    patience.ended(1)
    assert not patience.waits
    assert not patience._deadline.isActive()


def test_that_each_cold_replacement_is_given_twice_as_long_until_one_is_warm(
    patience: Patience,
) -> None:
    waits = []
    for _ in range(3):
        patience.lengthen()
        waits.append(patience._deadline.interval())
    assert waits == [10, 20, 40]
    for _ in range(20):
        patience.lengthen()
    assert patience._deadline.interval() == 60_000
    patience.is_warm()
    assert patience._deadline.interval() == 5
