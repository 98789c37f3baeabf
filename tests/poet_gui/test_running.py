"""Claim: the schedule on screen can be run from the window, followed, cancelled and judged."""

import json
import sys
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from poet_gui.dialogs.run_sheet import RunSheet
from poet_gui.main_window import MainWindow
from poet_gui.solving.prepare import prepare
from solver.device_files import load_device
from solver.exporters.plan import RUNNER
from solver.graph_request import GraphRequest
from solver.pytorch import need
from tests.helpers.builders import chain
from tests.helpers.scripted_run import FAULT_ACTION
from tests.helpers.traced import FILE, traced_graph
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow

SCRIPT = Path(__file__).parents[1] / "helpers" / "scripted_run.py"


@pytest.fixture
def window(make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window on a traced model; PyTorch is said to be there."""
    monkeypatch.setattr(need, "find_spec", lambda name: name)
    made = make_window(start=False)
    show(made, traced=True)
    return made


def show(window: MainWindow, *, traced: bool) -> None:
    graph = traced_graph() if traced else chain(4)
    device = load_device("rpi4")
    request = GraphRequest(str(FILE))
    window.state.core.open_model(
        prepare(graph, device, request=request, source=str(FILE), sha256=None, graph_key="traced")
    )


def run(qtbot: QtBot, window: MainWindow, scenario: str) -> RunSheet:
    """Run by a script, and wait for the end."""
    window.run_desk.command = (sys.executable, str(SCRIPT), scenario)
    with qtbot.waitSignal(window.run_desk.ended, timeout=WAIT_MS):
        qtbot.mouseClick(window.views.headline.run_button, Qt.MouseButton.LeftButton)
    assert window.run_desk.pid is None
    sheet = window.run_desk.sheet
    assert sheet is not None
    return sheet


def test_that_only_traced_models_offer_to_be_run(window: MainWindow) -> None:
    run_button = window.views.headline.run_button
    actions = [window.actions_by_name[name] for name in ("run_schedule", "export_plan")]
    assert run_button.isVisible()
    assert all(action.isEnabled() for action in actions)
    show(window, traced=False)
    assert not run_button.isVisible()
    assert not any(action.isEnabled() for action in actions)
    assert "poet trace" in actions[0].statusTip()


@pytest.mark.slow
def test_that_a_run_is_followed_and_reported(window: MainWindow, qtbot: QtBot) -> None:
    sheet = run(qtbot, window, "honest")
    total = len(traced_graph().ops) + len(traced_graph().tensors)
    assert sheet.words.text() == f"Action {total} of {total}"
    assert sheet.bar.value() == sheet.bar.maximum() == total
    assert "Everything happened as promised" in sheet.area.text
    assert not sheet.cancel_button.isVisible()
    assert not sheet.action_button.isVisible()


@pytest.mark.slow
def test_that_the_first_differing_action_is_gone_to(window: MainWindow, qtbot: QtBot) -> None:
    sheet = run(qtbot, window, "differing")
    assert "action 3, compute relu" in sheet.area.text
    assert sheet.action_button.isVisible()
    assert window.state.core.looking.playhead != FAULT_ACTION
    qtbot.mouseClick(sheet.action_button, Qt.MouseButton.LeftButton)
    assert window.state.core.looking.playhead == FAULT_ACTION
    show(window, traced=False)
    assert not sheet.action_button.isEnabled()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ("refusing", "net.py: has changed since it was traced"),
        ("dying", "ended without an answer"),
    ],
)
def test_that_a_run_that_fails_says_why(
    window: MainWindow, qtbot: QtBot, scenario: str, words: str
) -> None:
    sheet = run(qtbot, window, scenario)
    assert words in sheet.area.text
    assert ("Segmentation fault" in sheet.area.text) is (scenario == "dying")


@pytest.mark.slow
@pytest.mark.parametrize("by", ["button", "closing"])
def test_that_cancel_leaves_no_process(window: MainWindow, qtbot: QtBot, by: str) -> None:
    window.run_desk.command = (sys.executable, str(SCRIPT), "endless")
    window.actions_by_name["run_schedule"].trigger()
    sheet, pid = window.run_desk.sheet, window.run_desk.pid
    assert sheet is not None
    assert pid is not None
    qtbot.waitUntil(lambda: sheet.bar.value() == 1, timeout=WAIT_MS)
    if by == "button":
        qtbot.mouseClick(sheet.cancel_button, Qt.MouseButton.LeftButton)
        assert sheet.area.text.startswith("Cancelled")
    else:
        sheet.close()
    assert not psutil.pid_exists(pid)
    assert window.run_desk.pid is None


def test_that_a_window_that_closes_ends_the_run(window: MainWindow) -> None:
    window.run_desk.command = (sys.executable, str(SCRIPT), "endless")
    window.run_desk.run()
    pid = window.run_desk.pid
    assert pid is not None
    window.close()
    assert not psutil.pid_exists(pid)


@pytest.mark.slow
def test_that_a_missing_pytorch_is_one_sentence_with_the_way_out(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(need, "find_spec", lambda name: None)
    window.actions_by_name["run_schedule"].trigger()
    assert window.run_desk.sheet is None
    (notice,) = window.views.notices.notices
    assert "PyTorch, which is not installed here" in notice.text
    assert "pip install torch" in notice.text


@pytest.mark.slow
def test_that_a_plan_is_saved_with_its_runner(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "net.plan.json"
    window.exporter.write_plan(str(path))
    assert json.loads(path.read_text())["format"] == "poet.plan"
    assert (tmp_path / RUNNER).exists()
    (notice,) = window.views.notices.notices
    assert RUNNER in notice.text


@pytest.mark.slow
def test_that_a_model_that_was_not_traced_gives_no_plan(window: MainWindow, tmp_path: Path) -> None:
    show(window, traced=False)
    window.exporter.write_plan(str(tmp_path / "net.plan.json"))
    (notice,) = window.views.notices.notices
    assert "was not traced" in notice.text
    assert list(tmp_path.glob("*.plan.json")) == []
