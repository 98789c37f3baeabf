"""Start and end: quick, quiet, nothing left behind, whatever the solve process is doing."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from poet_gui.crash import CrashGuard
from poet_gui.notices import Level
from poet_gui.solving.status import Phase
from poet_gui.window_place import PREFERRED
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, is_running, notice_saying, open_model

APP = (sys.executable, "-m", "poet_gui.app")


@pytest.mark.parametrize("scenario", ["obedient", "deaf", "mute"])
@pytest.mark.slow
def test_that_closing_in_mid_solve_leaves_no_process(
    qtbot: QtBot, make_window: MakeWindow, scenario: str
) -> None:
    window = make_window(scenario)
    open_model(qtbot, window)
    window.controller.solve_now()
    pid = window.controller.worker_pid
    assert pid is not None
    window.close()
    assert not is_running(pid)
    assert window.controller.worker_pid is None


@pytest.mark.slow
def test_that_closing_in_mid_solve_is_clean_twenty_times(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    for _ in range(20):
        window = make_window("deaf")
        open_model(qtbot, window)
        window.state.core.set_ram(4000)
        window.controller.solve_now()
        qtbot.waitUntil(
            lambda core=window.state.core: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS
        )
        pid = window.controller.worker_pid
        assert pid is not None
        window.close()
        assert not is_running(pid)


@pytest.mark.slow
def test_that_a_window_that_is_killed_leaves_no_solve_process(tmp_path: Path) -> None:
    process = subprocess.Popen([*APP, "linear"], env=_environment(tmp_path))
    workers = _workers_of(process)
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert alive == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "kill"])
def test_that_a_signal_closes_the_window_as_its_button_does(
    tmp_path: Path, number: signal.Signals
) -> None:
    process = subprocess.Popen(
        [*APP, "linear"],
        env=_environment(tmp_path),
        stderr=subprocess.PIPE,
        # A shell starts background jobs with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
    )
    workers = _workers_of(process)
    process.send_signal(number)
    _, err = process.communicate(timeout=WAIT_MS / 1000)
    assert process.returncode == 128 + number
    assert err == b""
    assert psutil.wait_procs(workers, timeout=20)[1] == []
    assert any("geometry" in path.read_text() for path in tmp_path.rglob("*.ini"))


@pytest.mark.slow
def test_that_a_screenshot_shows_a_solved_model_and_ends(tmp_path: Path) -> None:
    picture = tmp_path / "shot.png"
    ended = subprocess.run(
        [*APP, "tests/data/graphs/01_chain.json", "--screenshot", str(picture)],
        env=_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert QImage(str(picture)).size() == PREFERRED  # whatever the platform calls its screen


@pytest.mark.slow
def test_that_a_screenshot_of_a_bad_file_says_why(tmp_path: Path) -> None:
    picture = tmp_path / "shot.png"
    ended = subprocess.run(
        [*APP, "tests/data/malformed/09_empty.onnx", "--screenshot", str(picture)],
        env=_environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.count("is an empty file") == 1
    assert "Traceback" not in ended.stderr
    assert not picture.exists()


@pytest.mark.slow
def test_that_the_window_imports_no_solver_library() -> None:
    code = "import sys, poet_gui.main_window; print(*sorted(sys.modules))"
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert not {"cvxpy", "highspy", "onnx", "scipy"} & set(shown.split())


@pytest.mark.slow
def test_that_a_fault_of_our_own_becomes_a_notice(
    qtbot: QtBot, make_window: MakeWindow, caplog: pytest.LogCaptureFixture
) -> None:
    window = make_window("honest", start=False)
    guard = CrashGuard()
    guard.crashed.connect(window.news.on_crash)
    before = (sys.excepthook, threading.excepthook)
    guard.install()
    try:
        with qtbot.waitSignal(guard.crashed, timeout=WAIT_MS):
            thread = threading.Thread(target=_fail)
            thread.start()
            thread.join()
    finally:
        guard.remove()
    assert (sys.excepthook, threading.excepthook) == before
    notice = notice_saying(qtbot, window, "ZeroDivisionError")
    assert notice.level is Level.ERROR
    assert "ZeroDivisionError" in notice.text
    assert "Traceback" in notice.details
    notice_bar = window.findChild(type(window.views.notices), "noticeArea")
    assert notice_bar is not None
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.slow
def test_that_the_window_comes_back_as_it_was_left(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    window.resize(900, 640)  # the offscreen screen has 800 x 800, a larger window would be cut
    window.settings.add_recent("/a/model.onnx")
    window.close()
    again = make_window("honest", start=False, size=None)
    assert again.height() == 640
    assert again.settings.recent == ("/a/model.onnx",)


def _fail() -> None:
    _ = 1 / 0


def _workers_of(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """Wait for its solve process; the test's own time limit ends this."""
    window = psutil.Process(process.pid)
    workers: list[psutil.Process] = []
    while not workers:
        with suppress(psutil.Error):  # a child that was gone before it could be looked at
            workers = [child for child in window.children() if "solver.worker" in child.cmdline()]
    return workers


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(folder)}
