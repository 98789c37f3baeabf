"""Being asked to stop, by Ctrl+C or by SIGTERM (kill, timeout): both mean the same here."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED: Final = 130
"""Exit code after Ctrl+C, as shells have it: 128 + SIGINT."""
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def raise_interrupts() -> None:
    """Let both signals raise KeyboardInterrupt, from here on and in every part of the program.

    Python drops what is raised within a callback of its own, such as those of an import: there the
    process ends at once, or Ctrl+C would not have been heard.
    """
    for number in _wanted():
        signal.signal(number, signal.default_int_handler)
    sys.unraisablehook = _end_if_interrupted


def drop_interrupts() -> None:
    """Let both signals do nothing: what was asked for is done, and this process is about to end.

    While it ends, Python takes its own handlers away, and either signal would kill it without a
    word and with another exit code; one that is ignored stays so.
    """
    for number in _wanted():
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def heard_interrupts() -> Iterator[threading.Event]:
    """An event that both signals set, so that they are heard between two steps and not within one.

    A second one ends this process at once; solve processes follow when their pipes close. Outside
    the main thread, where Python hears no signals, nothing is changed.
    """
    wish = threading.Event()

    def hear(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signal's signature
        if wish.is_set():
            os._exit(INTERRUPTED)
        wish.set()

    if threading.current_thread() is not threading.main_thread():
        yield wish
        return
    before = {number: signal.signal(number, hear) for number in _wanted()}
    try:
        yield wish
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wanted() -> list[signal.Signals]:
    """Those that the caller has not chosen to ignore, as nohup and background jobs do."""
    return [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]


def _end_if_interrupted(unraisable: "UnraisableHookArgs") -> None:
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        click.echo("poet: interrupted", err=True)
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(unraisable)
