"""Opening: every way gives the same; bad files are explained and cost nothing."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from poet_gui.dialogs.size_dialog import SizeDialog
from poet_gui.explorer import Origin
from poet_gui.main_window import MainWindow
from poet_gui.notices import Level
from poet_gui.solving.results import opened_result
from poet_gui.solving.status import Phase
from solver.api import load_training_graph
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.outcome import Feasible, Optimal
from solver.saved_result import load_result
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, notice_saying, open_model, solve

GRAPHS = Path("tests/data/graphs")
MALFORMED = Path("tests/data/malformed")
LEGAL = "07_petabyte_tensor.json"
UTF16 = "15_bom_utf16.json"  # text in another encoding, which is read like any other
ASKED = "17_overflow_dims.onnx"  # leaves its batch open: that is asked for first
BAD = sorted(path for path in MALFORMED.iterdir() if path.name not in {LEGAL, UTF16, ASKED})


@pytest.mark.slow
def test_that_dialog_drop_argument_and_recent_give_the_same(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    path = (GRAPHS / "01_chain.json").absolute()
    seen = []
    for way in (_by_dialog, _by_drop, _by_argument, _by_recent):
        with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
            way(window, path)
        facts = tuple(window.views.model.facts.texts().items())
        seen.append((window.windowTitle(), window.views.header.models.currentText(), facts))
    assert len(set(seen)) == 1
    assert window.settings.recent == (str(path),)


@pytest.mark.slow
def test_that_every_built_in_network_opens(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(None)
    names = [window.views.header.models.itemData(i) for i in range(1, 12)]
    assert names == ["linear", "vgg16", "vgg16_cifar", "resnet18", "resnet18_cifar", "resnet50",
                     "bert", "transformer", "bert_128", "mobilenet_v2", "unet"]  # fmt: skip
    for name in names:
        with qtbot.waitSignal(window.controller.opened, timeout=60_000):
            window.opener.open_builtin(name)
        model = window.state.core.model
        assert model is not None
        assert model.costed.graph.name == name
        own = name != "linear"
        wanted = Accounting.AUTODIFF if own else Accounting.POET
        assert model.costed.graph.settings.accounting is wanted
        released = name not in {"bert_128", "mobilenet_v2", "unet"}
        assert window.views.model.accounting.isEnabled() is (own and released)


def test_that_the_accounting_can_be_chosen_where_both_exist(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_builtin("vgg16_cifar")
    choice = window.views.model.accounting
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        choice.setCurrentIndex(choice.findData(Accounting.POET))
        choice.activated.emit(choice.currentIndex())
    model = window.state.core.model
    assert model is not None
    assert model.costed.graph.settings.accounting is Accounting.POET


@pytest.mark.slow
def test_that_bad_files_are_explained_and_the_work_stays(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    open_model(qtbot, window, str(GRAPHS / "01_chain.json"))
    before = window.state.core.shown
    picture, empty = tmp_path / "picture.onnx", tmp_path / "empty.onnx"
    picture.write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(200))
    empty.write_bytes(b"")
    files = [*BAD, picture, empty, tmp_path, tmp_path / "vanished.onnx"]
    texts = []
    for path in files:
        with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
            window.opener.open_path(str(path))
        title = f"{path.name} was not opened; what was open stays"
        notice = notice_saying(qtbot, window, title)
        assert notice.level is Level.ERROR
        assert notice.text
        assert "Traceback" not in notice.text
        assert window.state.core.shown is before
        texts.append(notice.text)
    assert len(set(texts)) == len(files)
    assert "picture" in texts[-4]
    assert "empty" in texts[-3]
    assert "folder" in texts[-2]
    assert "vanished.onnx" in texts[-1]


@pytest.mark.slow
def test_that_a_size_beyond_measure_is_told_where_the_batch_was_asked_for(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    open_model(qtbot, window, str(GRAPHS / "01_chain.json"))
    before = window.state.core.shown
    with qtbot.waitSignal(window.opener.sizes_wanted, timeout=WAIT_MS):
        window.opener.open_path(str(MALFORMED / ASKED))
    dialog = window.findChild(SizeDialog)
    assert dialog is not None
    with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
        dialog.open_button.click()
    assert "more than 10^20 B" in dialog.problem.text()
    assert window.state.core.shown is before
    dialog.cancel_button.click()


@pytest.mark.slow  # two processes; the numbers themselves: test_solve.py
def test_that_a_petabyte_tensor_is_legal(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(None)
    open_model(qtbot, window, str(MALFORMED / LEGAL))
    window.state.core.set_ram(2 * 10**15)
    solve(qtbot, window)
    assert isinstance(window.state.core.status.outcome, Optimal)


@pytest.mark.slow
def test_that_a_saved_result_comes_back_as_it_was(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    open_model(qtbot, window, str(GRAPHS / "02_residual.json"))
    core = window.state.core
    assert core.model is not None
    core.set_ram(core.model.costed.floor_bytes)
    solve(qtbot, window)
    solved = core.status.outcome
    assert isinstance(solved, Optimal)
    saved = tmp_path / "result.json"
    window.exporter.write_json(str(saved))
    open_model(qtbot, window, str(GRAPHS / "01_chain.json"))
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(saved))
    again = core.status.outcome
    assert isinstance(again, Optimal)
    assert again.trace.schedule == solved.trace.schedule
    assert again.trace.total_energy_j == solved.trace.total_energy_j
    assert core.budgets.ram_bytes == solved.trace.problem.budgets.ram_bytes
    assert core.shown is not None
    assert core.shown.origin is Origin.RESULT
    assert not core.needs_solve


def test_that_the_demo_shows_a_verified_schedule_at_once(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest", start=False)  # without any solve process
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.views.empty.demo.click()
    core = window.state.core
    assert core.shown is not None
    assert core.shown.origin is Origin.RESULT
    assert isinstance(core.status.outcome, Optimal | Feasible)
    # The others arrive after the first is on screen; they are the dots on the slider.
    qtbot.waitUntil(lambda: len(core.solved) == 6, timeout=WAIT_MS)
    assert window.controller.worker_pid is None
    for solved in core.solved:
        core.set_ram(solved.ram_bytes)
        assert not core.needs_solve


@pytest.mark.slow  # solves, saves and reads; the lie itself: test_saved_result.py
def test_that_a_result_that_lies_is_refused(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    open_model(qtbot, window, str(GRAPHS / "01_chain.json"))
    core = window.state.core
    assert core.model is not None
    core.set_ram(core.model.costed.plain_peak_bytes)
    solve(qtbot, window)
    saved = tmp_path / "result.json"
    window.exporter.write_json(str(saved))
    document = json.loads(saved.read_text())
    document["energy_j"]["total"] *= 0.9
    saved.write_text(json.dumps(document))
    with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
        window.opener.open_path(str(saved))
    assert "energy" in notice_saying(qtbot, window, "result.json was not opened").text


def test_that_a_device_file_moves_the_model(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    device = tmp_path / "board.toml"
    text = Path("resources/devices/nrf52840.toml").read_text(encoding="utf-8")
    text = text.replace('id = "nrf52840"', 'id = "board"').replace(
        "ram_bytes = 262144", "ram_bytes = 524288"
    )
    device.write_text(text, encoding="utf-8")
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(device))
    assert window.state.core.device.id == "board"
    assert window.state.core.model is not None
    assert window.state.core.model.costed.device.id == "board"


def test_that_a_wrong_device_file_names_its_fields(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window("honest", start=False)
    before = window.state.core.device
    device = tmp_path / "board.toml"
    device.write_text('schema = 1\nid = "x"\nflop_per_s = -1\n')
    window.opener.open_path(str(device))
    notice = window.views.notices.notices[0]
    assert "board.toml was not opened" in notice.title
    assert "flop_per_s" in notice.whole
    assert window.state.core.device is before


@pytest.mark.parametrize("count", [0, 2])
def test_that_a_drop_of_none_or_several_is_no_accident(
    qtbot: QtBot, make_window: MakeWindow, count: int
) -> None:
    window = make_window("honest")
    paths = [f"/nowhere/model{i}.onnx" for i in range(count)]
    if count:
        with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
            _drop(window, paths)
    else:
        _drop(window, paths)
        assert window.state.core.opening is None


def _by_dialog(window: MainWindow, path: Path) -> None:
    window.actions_by_name["open"].trigger()
    dialog = window.findChild(QFileDialog, "openDialog")
    assert dialog is not None
    assert not dialog.isModal() or dialog.isVisible()
    dialog.fileSelected.emit(str(path))
    dialog.close()


def _by_drop(window: MainWindow, path: Path) -> None:
    _drop(window, [str(path)])


def _by_argument(window: MainWindow, path: Path) -> None:
    window.opener.open_subject(str(path))


def _by_recent(window: MainWindow, path: Path) -> None:
    menu = window.recent_menu
    menu.aboutToShow.emit()
    first = menu.actions()[0]
    assert first.text() == path.name
    assert first.toolTip() == str(path)
    first.trigger()


def _drop(window: MainWindow, paths: list[str]) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path) for path in paths])
    event = QDropEvent(
        QPointF(10, 10),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)


def test_that_a_broken_device_file_of_the_user_is_named_at_the_start_and_stays_named(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("solver.device_files.user_device_folder", lambda: tmp_path)
    (tmp_path / "board.toml").write_text("schema = 1\nid = 'board'\n")
    window = make_window("honest")
    open_model(qtbot, window)
    (notice,) = window.views.notices.notices
    assert "board.toml" in notice.text
    assert notice.level is Level.WARNING


@pytest.mark.slow
def test_that_a_solve_that_made_way_for_a_bad_file_goes_on(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("obedient")
    open_model(qtbot, window)
    core = window.state.core
    window.controller.solve_now()
    qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
        window.controller.open(GraphRequest("bad"), "bad")
    qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        window.controller.stop()
    assert core.status.phase is Phase.DONE


def test_that_a_result_of_the_released_accounting_names_a_graph_that_can_be_made_anew() -> None:
    path = sorted(Path(str(files("resources") / "demo")).glob("*.json"))[0]
    saved = load_result(path)
    assert saved is not None
    model, _ = opened_result(saved, path)
    assert model.costed.graph.settings.accounting is Accounting.POET
    again = load_training_graph(model.request).graph
    assert again.tensors == model.costed.graph.tensors
