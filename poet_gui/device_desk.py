"""Changing devices: the editor is filled, what it stands for is saved, used, read and written."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog

from poet_gui.dialogs.device_editor import DeviceEditor
from poet_gui.viewmodels.device_form import copy_words, form_of, own_words, with_edits
from poet_gui.widgets.header_bar import HeaderBar
from solver.device import Device
from solver.device_files import find_devices, read_device_file
from solver.device_writer import free_id, save_user_device, user_device_file, write_device
from solver.errors import DeviceError

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from poet_gui.opening import Opener
    from poet_gui.settings import Settings
    from poet_gui.state import ExplorerState

_FILTER: Final = "Device profiles (*.toml);;All files (*)"


class DeviceDesk(QObject):
    """Owns the device editor of one window."""

    def __init__(
        self,
        state: "ExplorerState",
        header: HeaderBar,
        opener: "Opener",
        settings: "Settings",
        window: "QWidget",
    ) -> None:
        super().__init__(window)
        self._core = state.core
        self._header = header
        self._opener = opener
        self._settings = settings
        self._window = window
        self._editor: DeviceEditor | None = None
        header.edit_device_requested.connect(self.edit)

    @Slot()
    def edit(self) -> None:
        """Show the editor with the device in use; one that is open comes to the front."""
        if self._editor is None:
            self._editor = DeviceEditor(self._window)
            self._editor.save_requested.connect(self._on_save)
            self._editor.export_requested.connect(self._on_export)
            self._editor.import_requested.connect(self._on_import)
            self._editor.duplicate_requested.connect(self._on_duplicate)
            self._editor.finished.connect(self._on_closed)
            self._fill(self._editor, self._core.device)
            self._editor.show()
        else:
            self._editor.activateWindow()

    def lets_close(self) -> bool:
        """Whether the window may go: not before unsaved changes of a device are given up.

        They are asked about in the editor; when they are discarded, the window is closed.
        """
        editor = self._editor
        if editor is None or not editor.is_changed:
            return True
        editor.activateWindow()
        editor.ask_first(self._close_all)
        return False

    def close(self) -> None:
        """The window is about to go."""
        if self._editor is not None:
            self._editor.leave()

    def _close_all(self) -> None:
        self.close()
        self._window.close()

    def _fill(self, editor: DeviceEditor, device: Device) -> None:
        """Edit a device of the user in place, any other as a copy."""
        place = user_device_file(device.id)
        if place is None:
            form = form_of(device, replaces=None, free_id=free_id(device.id))
            editor.fill(form, copy_words(device))
        else:
            form = form_of(device, replaces=device.id, free_id=device.id)
            editor.fill(form, own_words(device, place.name))

    @Slot(object)
    def _on_save(self, device: Device) -> None:
        editor = self._editor
        if editor is None or editor.form is None:
            return
        try:
            path = save_user_device(device, replaces=editor.form.replaces)
        except DeviceError as error:
            issue = error.issues[0]
            words = f"{issue.message} ({issue.suggestion})" if issue.suggestion else issue.message
            editor.show_problem(words if issue.where == "id" else str(error), key=issue.where)
            return
        self._header.set_devices(find_devices().devices)
        self._header.show_device(self._core.device)
        self._fill(editor, device)
        editor.show_done(f"Saved as {path}, and in use.")
        self._opener.open_device(device.id)

    @Slot()
    def _on_duplicate(self) -> None:
        editor = self._editor
        if editor is not None and editor.form is not None:
            base = editor.form.base
            copied = form_of(base, replaces=None, free_id=free_id(base.id))
            editor.fill(with_edits(copied, editor.form), copy_words(base), filled=copied)

    # Files

    @Slot()
    def _on_import(self) -> None:
        dialog = self._dialog("Import a device profile")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.import_file)
        dialog.open()

    @Slot(str)
    def import_file(self, path: str) -> None:
        """Fill the editor from a device file; nothing is saved yet."""
        editor = self._editor
        if editor is None:
            return
        try:
            device = read_device_file(Path(path))
        except DeviceError as error:
            editor.show_problem(str(error))
            return
        self._settings.folder = str(Path(path).parent)
        form = form_of(device, replaces=None, free_id=free_id(device.id))
        editor.fill(form, f"From {path}. Saving puts it among your devices.")

    @Slot(object)
    def _on_export(self, device: Device) -> None:
        dialog = self._dialog("Export the device profile", f"{device.id}.toml")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("toml")
        dialog.fileSelected.connect(self.export_file)
        dialog.open()

    @Slot(str)
    def export_file(self, path: str) -> None:
        """Write to a file what the editor stands for."""
        editor = self._editor
        device = None if editor is None else editor.checked()
        if editor is None or device is None:
            return
        try:
            write_device(device, Path(path))
        except DeviceError as error:
            editor.show_problem(str(error))
            return
        self._settings.folder = str(Path(path).parent)
        editor.show_done(f"Written to {path}.")

    def _dialog(self, title: str, name: str = "") -> QFileDialog:
        start = str(Path(self._settings.folder) / name)
        dialog = QFileDialog(self._editor, title, start, _FILTER)
        dialog.setObjectName("deviceFileDialog")
        dialog.finished.connect(dialog.deleteLater)
        return dialog

    @Slot()
    def _on_closed(self) -> None:
        self._editor = None
