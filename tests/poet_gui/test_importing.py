"""Files with open sizes, the import report, and reading a file again in place."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from poet_gui.dialogs.report_sheet import ReportSheet
from poet_gui.dialogs.size_dialog import SizeDialog
from poet_gui.main_window import MainWindow
from poet_gui.notices import Level
from poet_gui.screenshot import Screenshot
from poet_gui.settings import Settings
from poet_gui.viewmodels.size_questions import UNANSWERED, Sizes
from poet_gui.viewmodels.time_range import TimeRange
from poet_gui.widgets.notice_bar import NoticeBar
from solver.graph import Quantized
from tests.helpers.onnx_models import floats, model_of, node, weight
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, notice_saying, open_model, solve

pytestmark = pytest.mark.slow  # each reads files in the real solve process


def write(path: Path, *dims: int | str, hidden: int = 32) -> Path:
    """Two matrix products and a softmax over inputs of these sizes, the last of them 16."""
    nodes = [
        node("MatMul", "x w", "h"),
        node("Relu", "h", "r"),
        node("MatMul", "r v", "m"),
        node("Softmax", "m", "y"),
    ]
    stored = [weight("w", 16, hidden), weight("v", hidden, 8)]
    path.write_bytes(model_of(nodes, [floats("x", *dims, 16)], stored).SerializeToString())
    return path


def asked(qtbot: QtBot, window: MainWindow, path: Path) -> SizeDialog:
    """The dialog that opening the file brings."""
    with qtbot.waitSignal(window.opener.sizes_wanted, timeout=WAIT_MS):
        window.opener.open_path(str(path))
    dialog = window.findChild(SizeDialog)
    assert dialog is not None
    return dialog


def answer(qtbot: QtBot, window: MainWindow, dialog: SizeDialog, *values: int) -> None:
    for field, value in zip(dialog.fields, values, strict=True):
        field.setValue(value)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        dialog.open_button.click()


def _button_of(window: MainWindow, title: str) -> QPushButton:
    """What can be done about the notice of that title."""
    bars = window.views.notices.findChildren(NoticeBar)
    (bar,) = (bar for bar in bars if bar.notice.title == title)
    button = bar.findChild(QPushButton, "noticeAction")
    assert button is not None
    return button


def test_that_open_sizes_are_asked_for_once_and_remembered(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    path = write(tmp_path / "net.onnx", "N", "rows")
    dialog = asked(qtbot, window, path)
    assert dialog.isVisible()
    assert not dialog.isModal()
    assert [field.value() for field in dialog.fields] == [1, UNANSWERED]
    assert not dialog.open_button.isEnabled()  # "rows" is still open
    assert window.views.notices.notices == ()  # a question is no failure
    answer(qtbot, window, dialog, 2, 64)
    model = window.state.core.model
    assert model is not None
    assert model.costed.graph.settings.batch == 2
    assert dict(model.costed.graph.settings.dims) == {"rows": 64}
    qtbot.waitUntil(
        lambda: window.findChild(SizeDialog) is None or not dialog.isVisible(), timeout=WAIT_MS
    )
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(path))  # nothing is asked a second time
    assert window.state.core.model.costed.graph.settings.batch == 2
    other = asked(qtbot, window, write(tmp_path / "other.onnx", "N", "rows"))
    assert [field.value() for field in other.fields] == [1, 64]  # a name known from elsewhere
    other.cancel_button.click()


def test_that_sizes_which_do_not_fit_can_be_corrected_in_the_dialog(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    path = tmp_path / "net.onnx"
    nodes = [node("Add", "x c", "a"), node("MatMul", "a w")]
    stored = [weight("c", 5, 16), weight("w", 16, 8)]
    path.write_bytes(model_of(nodes, [floats("x", "N", "rows", 16)], stored).SerializeToString())
    dialog = asked(qtbot, window, path)
    dialog.fields[1].setValue(7)  # c has 5 rows
    with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
        dialog.open_button.click()
    assert dialog.isVisible()
    assert "node" in dialog.problem.text()
    answer(qtbot, window, dialog, 1, 5)


def test_that_remembered_sizes_of_another_version_of_the_file_lead_to_the_question_again(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    path = write(tmp_path / "net.onnx", "N", "rows")
    answer(qtbot, window, asked(qtbot, window, path), 2, 64)
    write(path, "N", "length")
    dialog = asked(qtbot, window, path)
    assert [field.objectName() for field in dialog.fields] == ["size N", "size length"]
    assert dialog.fields[0].value() == 2
    dialog.cancel_button.click()


def test_that_other_sizes_can_be_chosen_for_the_open_model(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    answer(qtbot, window, asked(qtbot, window, write(tmp_path / "net.onnx", "N", "rows")), 2, 64)
    panel = window.views.model
    assert panel.sizes_button.isVisible()
    panel.sizes_button.click()
    dialog = window.findChild(SizeDialog)
    assert dialog is not None
    assert [field.value() for field in dialog.fields] == [2, 64]
    answer(qtbot, window, dialog, 4, 8)
    model = window.state.core.model
    assert model is not None
    assert model.costed.graph.settings.batch == 4


def test_that_nobody_is_asked_while_a_screenshot_is_taken(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    shot = Screenshot(window, tmp_path / "shot.png", solves=False)
    with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
        window.opener.open_path(str(write(tmp_path / "net.onnx", "N", "rows")))
    assert window.findChild(SizeDialog) is None
    assert "rows" in shot.why


def test_that_a_refused_quantised_file_is_opened_in_floats_from_its_notice(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    nodes = [node("MatMul", "x w", "h"), node("DynamicQuantizeLinear", "h", "y s z")]
    path = tmp_path / "int8.onnx"
    path.write_bytes(
        model_of(nodes, [floats("x", 2, 16)], [weight("w", 16, 8)]).SerializeToString()
    )
    with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
        window.opener.open_path(str(path))
    button = _button_of(window, "int8.onnx was not opened; what was open stays")
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        button.click()
    model = window.state.core.model
    assert model is not None
    assert model.costed.graph.settings.quantized is Quantized.STRAIGHT_THROUGH
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.import_desk.reload()
    assert window.state.core.model is not None
    assert window.state.core.model.request.quantized is Quantized.STRAIGHT_THROUGH


def test_that_nothing_is_opened_in_floats_before_anything_was_refused(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    with qtbot.waitSignal(window.opener.notice, timeout=WAIT_MS) as caught:
        window.actions_by_name["open_straight"].trigger()
    assert caught.args[0].title == "No quantised file was refused"


def test_that_the_loss_and_the_output_can_be_chosen(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    path = tmp_path / "net.onnx"
    nodes = [node("MatMul", "x w", "a"), node("MatMul", "a v", "b")]
    stored = [weight("w", 16, 8), weight("v", 8, 4)]
    path.write_bytes(
        model_of(nodes, [floats("x", 2, 16)], stored, outputs=("a", "b")).SerializeToString()
    )
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(path))
    panel = window.views.model
    assert panel.loss.currentData() == "softmax-ce"
    assert [panel.output.itemText(i) for i in range(panel.output.count())] == ["a", "b"]
    for combo, text in ((panel.loss, "mse"), (panel.output, "b")):
        with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
            combo.setCurrentIndex(combo.findText(text))
            combo.activated.emit(combo.currentIndex())
    model = window.state.core.model
    assert model is not None
    assert model.costed.graph.settings.loss == "mse"
    assert model.costed.graph.settings.output == "b"


def test_that_the_report_is_reached_from_the_notice_and_follows_the_model(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(write(tmp_path / "net.onnx", 2, 3)))
    _button_of(window, "Keep in mind").click()
    sheet = window.findChild(ReportSheet)
    assert sheet is not None
    assert sheet.isVisible()
    assert not sheet.isModal()
    assert "x: float32 2 x 3 x 16" in sheet.text
    assert "2 weights of 3,072 B are trained" in sheet.text  # (16 x 32 + 32 x 8) x 4 B
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(write(tmp_path / "two.onnx", 2, 5)))
    assert "x: float32 2 x 5 x 16" in sheet.text
    window.actions_by_name["report"].trigger()
    assert window.findChildren(ReportSheet) == [sheet]  # one sheet, raised
    sheet.close()


def test_that_reading_the_same_file_again_changes_nothing_on_screen(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(write(tmp_path / "net.onnx", 2, 3)))
    core, time_model = window.state.core, window.views.schedule.model
    assert core.model is not None
    core.set_ram(core.model.costed.plain_peak_bytes - 1)
    solve(qtbot, window)
    core.looking.set_tensor(3)
    time_model.set_range(TimeRange(2.0, 6.0))
    model, shown, outcome = core.model, core.shown, core.status.outcome
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.actions_by_name["reload"].trigger()
    assert core.model is model  # rows of the history go on belonging to it
    assert core.shown is shown
    assert core.status.outcome is outcome
    assert core.looking.tensor == 3
    assert time_model.range == TimeRange(2.0, 6.0)
    notice_saying(qtbot, window, "Read again: nothing has changed")


def test_that_a_changed_file_is_read_into_the_same_view(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    path = write(tmp_path / "net.onnx", 2, 3)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_path(str(path))
    core, time_model = window.state.core, window.views.schedule.model
    before = core.model
    assert before is not None
    core.set_ram(before.costed.plain_peak_bytes - 1)
    selected = before.costed.graph.tensors[3].name
    core.looking.set_tensor(3)
    time_model.set_range(TimeRange(2.0, 6.0))
    write(path, 2, 3, hidden=48)
    notice_saying(qtbot, window, "written again")
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        _button_of(window, "net.onnx was written again").click()
    assert core.model is not before
    assert core.budgets.ram_bytes == before.costed.plain_peak_bytes - 1
    assert core.looking.tensor is not None
    assert core.model.costed.graph.tensors[core.looking.tensor].name == selected
    assert time_model.range == TimeRange(2.0, 6.0)
    notice = notice_saying(qtbot, window, "Read again: the model has changed")
    assert notice.level is Level.INFO
    assert "weights 3.00 KiB → 4.50 KiB" in notice.text  # (16 x 48 + 48 x 8) x 4 B = 4,608 B


def test_that_a_file_that_broke_meanwhile_leaves_everything_as_it_is(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window(None)
    path = write(tmp_path / "net.onnx", 2, 3)
    open_model(qtbot, window, str(path))
    shown = window.state.core.shown
    path.write_bytes(b"")
    with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
        window.actions_by_name["reload"].trigger()
    assert window.state.core.shown is shown
    notice_saying(qtbot, window, "empty")
    qtbot.wait(600)  # longer than a written file is left to rest before it is spoken of
    titles = [notice.title for notice in window.views.notices.notices]
    assert not any("written again" in title for title in titles)  # the user has just read it


def test_that_remembered_sizes_are_few_and_survive_a_restart(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    for i in range(60):
        settings.remember_sizes(f"/models/{i}.onnx", Sizes(i + 1, {"rows": i + 1}))
    settings.save()
    again = Settings(tmp_path / "window.ini")
    assert again.sizes("/models/59.onnx") == Sizes(60, {"rows": 60})
    assert again.sizes("/models/9.onnx") is None
    assert again.sizes_by_name == {"rows": 60}
