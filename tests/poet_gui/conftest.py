"""What every test of the window is held to: no timer and no top-level widget left behind."""

import gc
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from tests.poet_gui.fixtures import make_window

__all__ = ["make_window"]


@pytest.fixture(scope="session", autouse=True)
def _modules_are_not_collected() -> None:
    """Leave what the imports made out of the collections after each test: they take a third."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_widgets_left(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a top-level widget or a running timer, and clean up after it."""
    known = qapp.topLevelWidgets()  # kept alive, so that no newcomer gets an old address
    with pytest.MonkeyPatch.context() as patch:
        started = _watch_timers(patch)
        yield
    _delete_deferred()
    gc.collect()
    _delete_deferred()
    timers = [timer for timer in started if isValid(timer) and timer.isActive()]
    names = [f"timer of {type(timer.parent()).__name__}" for timer in timers]
    for timer in timers:
        timer.stop()
    widgets = [widget for widget in qapp.topLevelWidgets() if widget not in known]
    names += [
        f"widget {type(widget).__name__} {widget.objectName()}".rstrip() for widget in widgets
    ]
    for widget in widgets:
        _remove(widget)
    if names:
        pytest.fail(f"left behind: {', '.join(sorted(names))}")


def _watch_timers(patch: pytest.MonkeyPatch) -> "weakref.WeakSet[QTimer]":
    started: weakref.WeakSet[QTimer] = weakref.WeakSet()
    start = QTimer.start

    def remember_and_start(timer: QTimer, *args: int) -> None:
        started.add(timer)
        start(timer, *args)

    patch.setattr(QTimer, "start", remember_and_start)
    return started


def _remove(widget: QWidget) -> None:
    if isValid(widget):
        widget.close()
        widget.deleteLater()
    _delete_deferred()


def _delete_deferred() -> None:
    """Deferred deletes wait for an event loop, which a test does not run between its steps."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
