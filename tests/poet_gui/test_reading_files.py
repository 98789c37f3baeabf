"""Claim: a file that ends or holds up the process that reads it costs the window nothing."""

import os
import sys
from functools import partial
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.solving import service
from solver.codec import encode_json
from solver.graph_request import GraphRequest
from solver.reading import read_result
from tests.helpers.results import result_of_kind
from tests.poet_gui.fixtures import MakeWindow, notice_saying, open_model

GRAPHS = Path("tests/data/graphs")
PATIENCE_MS = 60_000


def reading_by(code: str) -> tuple[str, ...]:
    """A solve process whose reading processes do this instead of reading 02_residual.json."""
    script = f"""
import functools, sys
from solver import reading, worker

def read(request, **given):
    odd = (sys.executable, "-c", {code!r})
    command = odd if "02_" in request.model else reading.READER_COMMAND
    return reading.read_model(request, command=command, **given)

worker.read_model = read
worker.main()
"""
    return (sys.executable, "-c", script)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no signals")
def test_that_a_crash_while_reading_is_a_notice_and_the_work_stays(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(command=reading_by("import os; os.kill(os.getpid(), 11)"))
    open_model(qtbot, window, str(GRAPHS / "01_chain.json"))
    shown, process = window.state.core.shown, window.controller.worker_pid
    with qtbot.waitSignal(window.controller.open_failed, timeout=PATIENCE_MS):
        window.opener.open_path(str(GRAPHS / "02_residual.json"))

    notice_saying(qtbot, window, "SIGSEGV")
    assert window.state.core.shown is shown
    assert window.controller.worker_pid == process


@pytest.mark.slow
def test_that_reading_without_end_is_cancelled_and_the_work_stays(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(command=reading_by("import time; time.sleep(600)"))
    core = window.state.core
    window.controller.patience.wait_ms(PATIENCE_MS)  # it is to obey, however busy the machine
    open_model(qtbot, window, str(GRAPHS / "01_chain.json"))
    shown, process = core.shown, window.controller.worker_pid
    window.controller.open(GraphRequest(str(GRAPHS / "02_residual.json")), "residual")
    qtbot.wait(300)
    window.controller.cancel_open()

    assert core.shown is shown
    open_model(qtbot, window, str(GRAPHS / "03_unet.json"))
    assert core.shown is not shown
    assert window.controller.worker_pid == process  # it obeyed, and was not replaced


def _result_without_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A saved result whose reading process never answers."""
    endless = (sys.executable, "-c", "import time; time.sleep(600)")
    monkeypatch.setattr(service, "read_result", partial(read_result, command=endless))
    path = folder / "result.json"
    path.write_bytes(encode_json(result_of_kind("optimal")))
    return path


@pytest.mark.slow
def test_that_a_saved_result_without_end_is_cancelled_and_the_work_stays(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _result_without_end(tmp_path, monkeypatch)
    window = make_window("honest")
    core = window.state.core
    open_model(qtbot, window)
    shown, process = core.shown, window.controller.worker_pid
    window.controller.patience.wait_ms(PATIENCE_MS)  # it is to obey, however busy the machine
    window.opener.open_path(str(path))
    qtbot.wait(300)
    window.controller.cancel_open()

    qtbot.waitUntil(lambda: not window.controller.patience.waits, timeout=PATIENCE_MS)
    assert core.shown is shown
    assert window.controller.worker_pid == process  # nobody had to be replaced


@pytest.mark.slow
def test_that_opening_another_file_gives_up_the_one_that_is_being_read(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _result_without_end(tmp_path, monkeypatch)
    window = make_window("honest")
    window.controller.patience.wait_ms(PATIENCE_MS)
    window.opener.open_path(str(path))
    qtbot.wait(300)
    open_model(qtbot, window)
    assert window.state.core.model is not None
