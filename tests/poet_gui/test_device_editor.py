"""Claim: a device is changed, copied, read and written in a form, and the model priced at once."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

from poet_gui.dialogs.device_editor import DeviceEditor
from poet_gui.main_window import MainWindow
from solver.device import IoMode
from solver.device_files import load_device, read_device_file, user_device_folder
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, open_model


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder of devices, empty."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return user_device_folder()


def editor_of(window: MainWindow) -> DeviceEditor:
    """The editor, opened by its menu entry."""
    window.actions_by_name["edit_device"].trigger()
    found = [editor for editor in window.findChildren(DeviceEditor) if editor.isVisible()]
    assert len(found) == 1
    return found[0]


def write(editor: DeviceEditor, **texts: str) -> None:
    """Type into entries; two underscores stand for the dot of a key."""
    for name, text in texts.items():
        field = editor.rows[name.replace("__", ".")].value
        assert isinstance(field, QLineEdit)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)


def leave(editor: DeviceEditor, key: str) -> None:
    """Take the focus away from an entry, as a window that the system calls active would."""
    field = editor.rows[key].value
    assert isinstance(field, QLineEdit)
    field.editingFinished.emit()


def fields_of(editor: DeviceEditor, key: str) -> tuple[QComboBox, QLineEdit]:
    """The fields that say where an entry comes from."""
    fields = editor.rows[key].source_fields
    assert fields is not None
    return fields.kind, fields.words


def fault(editor: DeviceEditor, key: str) -> str:
    """The sentence shown at an entry; empty when none is."""
    row = editor.rows[key]
    return "" if row.fault.isHidden() else row.fault.text()


def names_in(window: MainWindow) -> list[str]:
    devices = window.views.header.devices
    return [str(devices.itemData(i)) for i in range(devices.count()) if devices.itemData(i)]


@pytest.mark.slow
def test_that_a_built_in_device_is_edited_as_a_copy_and_used_at_once(
    qtbot: QtBot, make_window: MakeWindow, own_folder: Path
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    before = window.state.core.model
    assert before is not None
    editor = editor_of(window)
    assert not editor.isModal()
    write(editor, id="bench", name="Bench", flop_per_s="12 MFLOP/s")
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        QTest.keyClick(editor.rows["flop_per_s"].value, Qt.Key.Key_Return)
    saved = read_device_file(own_folder / "bench.toml")
    assert (saved.name, saved.flop_per_s) == ("Bench", 12e6)
    model = window.state.core.model
    assert model is not None
    assert model.costed.device == saved
    # Time is FLOP over the rate: 6.369... MFLOP/s became 12.
    ratio = model.costed.baseline_runtime_s / before.costed.baseline_runtime_s
    assert ratio == pytest.approx(6369910.145264308 / 12e6)
    assert "bench" in names_in(window)
    assert window.views.header.devices.currentText() == "Bench"
    assert "in use" in editor.verdict.text()
    assert load_device("nrf52840").flop_per_s == 6369910.145264308
    assert window.settings.device == "bench"
    editor.leave()


def test_that_a_device_of_ones_own_is_edited_in_place(
    qtbot: QtBot, make_window: MakeWindow, own_folder: Path
) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, id="bench")
    editor.save_button.click()
    assert editor.duplicate_button.isEnabled()
    write(editor, ram_bytes="1 MiB")
    editor.save_button.click()
    assert [path.name for path in own_folder.iterdir()] == ["bench.toml"]
    assert load_device("bench").ram_bytes == 2**20
    assert window.state.core.device.ram_bytes == 2**20
    editor.duplicate_button.click()
    assert editor.form is not None
    assert (editor.form.id, editor.form.replaces) == ("bench-2", None)
    editor.save_button.click()
    assert sorted(path.name for path in own_folder.iterdir()) == ["bench-2.toml", "bench.toml"]
    editor.leave()


@pytest.mark.slow
def test_that_the_old_device_is_one_choice_away(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    editor = editor_of(window)
    write(editor, id="bench", flop_per_s="12 MFLOP/s")
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        editor.save_button.click()
    editor.leave()
    devices = window.views.header.devices
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        devices.activated.emit(devices.findData("nrf52840"))
    assert window.state.core.device == load_device("nrf52840")


def test_that_mistakes_are_said_at_their_entries_and_nothing_is_saved(
    qtbot: QtBot, make_window: MakeWindow, own_folder: Path
) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, ram_bytes="256 KB", page_in__power_w="-1 W")
    leave(editor, "ram_bytes")
    assert "kB for 1000 B" in fault(editor, "ram_bytes")
    assert fault(editor, "page_in.power_w") == ""  # still being typed: marked, not lectured
    assert editor.rows["page_in.power_w"].value.property("invalid") == "true"
    assert "RAM, power (page_in.power_w)" in editor.verdict.text()
    editor.save_button.click()
    assert "below zero" in fault(editor, "page_in.power_w")
    assert editor.focusWidget() is editor.rows["ram_bytes"].value
    assert not own_folder.exists()
    write(editor, ram_bytes="256 KiB", page_in__power_w="1 W")
    assert fault(editor, "ram_bytes") == fault(editor, "page_in.power_w") == ""
    editor.leave()


def test_that_an_id_that_is_taken_is_said_at_the_id(make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, id="rpi4")
    editor.save_button.click()
    assert "built-in device" in fault(editor, "id")
    assert "rpi4-2 is free" in fault(editor, "id")
    editor.leave()


def test_that_a_folder_that_cannot_be_written_is_said_and_the_form_stays(
    make_window: MakeWindow, own_folder: Path
) -> None:
    own_folder.parent.mkdir(parents=True)
    own_folder.write_text("a file where the folder should be")
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, id="bench")
    editor.save_button.click()
    assert "cannot be made" in editor.verdict.text()
    assert editor.isVisible()
    editor.leave()


def test_that_a_changed_number_says_so_in_its_source(make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    kind, words = fields_of(editor, "flop_per_s")
    assert kind.currentText() == "measured"
    write(editor, flop_per_s="7 MFLOP/s")
    assert kind.currentText() == "estimate"
    assert words.text() == "entered by hand, was 6.36991 MFLOP/s (measured)"
    kind.setCurrentText("measured")
    kind.activated.emit(kind.currentIndex())
    words.selectAll()
    QTest.keyClicks(words, "stop watch")
    write(editor, id="bench")
    editor.save_button.click()
    assert load_device("bench").source["flop_per_s"] == "measured: stop watch"
    editor.leave()


def test_that_the_io_mode_is_chosen_from_a_list(make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    combo = editor.rows["io"].value
    assert isinstance(combo, QComboBox)
    combo.setCurrentText("overlapped")
    combo.activated.emit(combo.currentIndex())
    write(editor, id="bench")
    editor.save_button.click()
    assert load_device("bench").io is IoMode.OVERLAPPED
    editor.leave()


def test_that_a_device_goes_out_to_a_file_and_comes_in_again(
    make_window: MakeWindow, tmp_path: Path, own_folder: Path
) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, id="bench", ram_bytes="64 KiB")
    window.device_desk.export_file(str(tmp_path / "out.toml"))
    assert read_device_file(tmp_path / "out.toml").ram_bytes == 65536
    assert not own_folder.exists()  # a file elsewhere is not among the devices
    write(editor, id="other", ram_bytes="1 MiB")
    window.device_desk.import_file(str(tmp_path / "out.toml"))
    assert editor.form is not None
    assert (editor.form.id, editor.form.texts["ram_bytes"]) == ("bench", "64.0 KiB")
    ram = editor.rows["ram_bytes"].value
    assert isinstance(ram, QLineEdit)
    assert ram.text() == "64.0 KiB"
    editor.leave()


def test_that_a_file_that_is_no_profile_leaves_the_form_as_it_is(
    make_window: MakeWindow, tmp_path: Path
) -> None:
    (tmp_path / "bad.toml").write_text('id = "x"\nflop_per_s = -1\n')
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, ram_bytes="1 MiB")
    window.device_desk.import_file(str(tmp_path / "bad.toml"))
    assert "flop_per_s" in editor.verdict.text()
    assert "page_in is missing" in editor.verdict.text()
    assert editor.form is not None
    assert editor.form.texts["ram_bytes"] == "1 MiB"
    editor.leave()


def test_that_escape_asks_before_changes_are_lost_and_again_goes_on(
    make_window: MakeWindow,
) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, ram_bytes="1 MiB")
    QTest.keyClick(editor.rows["ram_bytes"].value, Qt.Key.Key_Escape)
    assert editor.isVisible()
    assert editor.foot.is_asking
    QTest.keyClick(editor.foot.keep_button, Qt.Key.Key_Escape)
    assert not editor.foot.is_asking
    assert editor.form is not None
    assert editor.form.texts["ram_bytes"] == "1 MiB"
    assert editor.focusWidget() is editor.rows["ram_bytes"].value
    editor.close_button.click()
    assert editor.isVisible()
    assert editor.foot.is_asking
    window.device_desk.edit()  # again: the same one comes to the front
    assert len([e for e in window.findChildren(DeviceEditor) if e.isVisible()]) == 1
    editor.leave()


def test_that_discarded_changes_are_gone(make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, ram_bytes="1 MiB")
    editor.close()
    editor.foot.discard_button.click()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    editor = editor_of(window)
    assert editor.form is not None
    assert editor.form.texts["ram_bytes"] == "256 KiB"
    editor.leave()


@pytest.mark.parametrize("texts", [(), ("1 MiB", "256 KiB")])
def test_that_an_editor_in_which_nothing_is_changed_closes_at_once(
    make_window: MakeWindow, texts: tuple[str, ...]
) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    for text in texts:
        write(editor, ram_bytes=text)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not editor.isVisible()


def test_that_typing_on_takes_the_question_away(make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, ram_bytes="1 MiB")
    editor.close()
    write(editor, name="Bench")
    assert not editor.foot.is_asking
    editor.leave()


def test_that_the_window_waits_for_the_answer_and_closes_with_the_editor(
    make_window: MakeWindow,
) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, ram_bytes="1 MiB")
    assert not window.close()
    assert editor.foot.is_asking
    editor.foot.discard_button.click()
    assert not editor.isVisible()
    assert not window.isVisible()


def test_that_a_duplicate_keeps_what_was_typed_and_an_import_asks(
    make_window: MakeWindow, own_folder: Path
) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    write(editor, id="bench")
    editor.save_button.click()
    write(editor, ram_bytes="1 MiB")
    editor.duplicate_button.click()
    assert editor.form is not None
    assert (editor.form.id, editor.form.texts["ram_bytes"]) == ("bench-2", "1 MiB")
    editor.import_button.click()
    assert editor.foot.is_asking
    assert not editor.findChildren(QFileDialog)
    editor.leave()


def test_that_every_entry_is_reached_by_tab_and_says_what_it_is(make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    editor = editor_of(window)
    editor.rows["name"].value.setFocus()
    reached = []
    for _ in range(60):
        focus = editor.focusWidget()
        assert focus is not None
        reached.append(focus.objectName())
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    for row in editor.rows.values():
        fields = row.source_fields
        parts = (row.value,) if fields is None else (row.value, fields.kind, fields.words)
        for part in parts:
            assert part.objectName() in reached
            assert part.toolTip()
            assert part.accessibleName()
    editor.leave()
