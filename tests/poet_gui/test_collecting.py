"""Claim: whole collections of garbage wait until nothing changes, and end with the window."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.collecting import RestCollector
from poet_gui.state import ExplorerState
from tests.helpers.builders import device_of
from tests.poet_gui.fixtures import WAIT_MS


class Knot:
    """Holds itself: only a collection of garbage ends it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def state(qapp: object) -> ExplorerState:
    del qapp
    return ExplorerState(device_of())


@pytest.fixture
def collector(state: ExplorerState) -> Iterator[RestCollector]:
    made = RestCollector(state, state)
    yield made
    made.close()


def test_that_old_garbage_goes_when_the_state_has_been_at_rest(
    qtbot: QtBot, state: ExplorerState, collector: RestCollector
) -> None:
    del collector
    knot = Knot()
    tied = weakref.ref(knot)
    gc.collect(1)  # no young object any more
    del knot
    state.problem_changed.emit()
    qtbot.waitUntil(lambda: tied() is None, timeout=WAIT_MS)


def test_that_whole_collections_are_rare_while_something_changes(state: ExplorerState) -> None:
    before = gc.get_threshold()
    collector = RestCollector(state, state)
    assert gc.get_freeze_count() > 0  # what the start made is in none of them
    assert gc.get_threshold()[:2] == before[:2]
    assert gc.get_threshold()[2] > 10 * before[2]
    collector.close()
    assert gc.get_threshold() == before
