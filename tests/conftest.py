"""What every test is held to: no thread, process or log line left behind, no real screen."""

import logging
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Final

import psutil
import pytest
from hypothesis import HealthCheck, settings

_CACHE: Final = tempfile.TemporaryDirectory(prefix="poet-test-cache-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name  # no test, and no process of one, touches the user's
# The tests start hundreds of processes, each of which would compile all modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before anybody imports Qt
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

# A busy machine takes what it takes.
settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")

_GRACE_S: Final = float(os.environ.get("POET_TEST_GRACE_S", "20"))
"""A process that was killed goes when the machine has time for it; only failures wait so long."""
_OURS: Final = ("solver", "poet_gui", "resources")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budgets",
        type=int,
        default=20,
        help="random budgets per network in test_random_budgets.py; 200 for acceptance",
    )
    parser.addoption(
        "--cases",
        type=int,
        default=2000,
        help="damaged files in tests/fuzz; 100000 for acceptance",
    )


@pytest.fixture(autouse=True)
def _no_leftovers() -> Iterator[None]:
    """Fail a test that leaves a thread or a child process running."""
    threads, children = set(threading.enumerate()), _children()
    yield
    deadline = time.monotonic() + _GRACE_S
    while left := _left(threads, children):
        if time.monotonic() > deadline:
            pytest.fail(f"left running: {', '.join(left)}")
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def _no_stray_logs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test whose subject warns in the log, unless the test looks at the log (caplog)."""
    records: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = records.append  # type: ignore[method-assign] # a list is handler enough
    loggers = [logging.getLogger(name) for name in _OURS]
    for logger in loggers:
        logger.addHandler(handler)
    yield
    for logger in loggers:
        logger.removeHandler(handler)
    if records and "caplog" not in request.fixturenames:
        pytest.fail("logged: " + "; ".join(record.getMessage() for record in records))


def _left(threads: set[threading.Thread], children: set[int]) -> list[str]:
    new_threads = [thread for thread in threading.enumerate() if thread not in threads]
    new_children = _children() - children
    return [
        *(f"thread {thread.name}" for thread in new_threads),
        *(f"process {pid}" for pid in sorted(new_children)),
    ]


def _children() -> set[int]:
    if _is_childless():
        return set()
    found = set()
    for child in psutil.Process().children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE:
                found.add(child.pid)
        except psutil.NoSuchProcess:
            continue
    return found


def _is_childless() -> bool:
    """Ask the system itself: psutil goes through all processes, longer than most tests take."""
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False
