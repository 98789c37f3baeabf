"""The sheet in which a device profile is changed or copied; it does not block the window."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QWidget,
)

from poet_gui.dialogs.asking_foot import AskingFoot
from poet_gui.dialogs.sheets import Sheet
from poet_gui.viewmodels.device_form import (
    GROUPS,
    IO_TIP,
    DeviceForm,
    Reading,
    meaning,
    read_form,
    with_io,
    with_source,
    with_text,
)
from poet_gui.widgets.device_row import DeviceRow, heading
from poet_gui.widgets.parts import button, label, set_tone
from solver.device import Device, IoMode

_PLAIN = {
    "name": ("name", "what the device is called in lists and results"),
    "id": ("id", "short name for --device: letters, digits, '.', '_' and '-'"),
}


class DeviceEditor(Sheet):
    """Entries with units, sources and faults; whoever made it saves, imports and exports.

    What was changed is not thrown away unasked, neither by closing it nor by another form in it.

    Signals
    -------
    save_requested(object), export_requested(object)
        The Device that the form stands for is to be saved and used, or written to a file.
    import_requested, duplicate_requested
        The form is to be filled from a file, or to become another device.
    """

    save_requested = Signal(object)
    export_requested = Signal(object)
    import_requested = Signal()
    duplicate_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Device", "deviceEditor", parent)
        self._form: DeviceForm | None = None
        self._filled: DeviceForm | None = None
        self._told: set[str] = set()
        self.rows: dict[str, DeviceRow] = {}
        self.note = _sentence("deviceNote")
        self.body.addWidget(self.note)
        self.area = self._entries()
        self.body.addWidget(self.area, 1)
        self.verdict = _sentence("deviceVerdict")
        self.body.addWidget(self.verdict)
        self.foot = AskingFoot(self._buttons())
        self.body.addWidget(self.foot)
        self._connect()
        unit = self.fontMetrics().averageCharWidth()
        wanted = self.sizeHint()
        wanted.setWidth(max(wanted.width(), 112 * unit))
        wanted.setHeight(46 * self.fontMetrics().height())
        room = self.screen().availableGeometry().size() * 0.92
        self.resize(wanted.boundedTo(room))

    # What is asked of it

    @property
    def form(self) -> DeviceForm | None:
        """What stands in the form now."""
        return self._form

    @property
    def filled(self) -> DeviceForm | None:
        """What the form was filled with."""
        return self._filled

    @property
    def is_changed(self) -> bool:
        """Whether something differs from what the form was filled with."""
        return self._form != self._filled

    def fill(self, form: DeviceForm, note: str, *, filled: DeviceForm | None = None) -> None:
        """Show a form; `filled` is what it was before the user changed it, if that is another."""
        self._form, self._filled = form, filled or form
        self._told.clear()
        self.foot.stop_asking()
        self.note.setText(note)
        self.duplicate_button.setEnabled(form.replaces is not None)
        for key, text in {"name": form.name, "id": form.id, **form.texts}.items():
            self.rows[key].show_text(text)
        io = self.rows["io"].value
        assert isinstance(io, QComboBox)
        io.setCurrentIndex(io.findText(form.io.value))
        self._render()

    def show_problem(self, sentences: str, *, key: str = "") -> None:
        """Say why something was not done: at an entry, or below all of them."""
        if key in self.rows:
            self.rows[key].show_fault(sentences, told=True)
            self._go_to(key)
            return
        self.verdict.setText(sentences)
        set_tone(self.verdict, "danger")

    def show_done(self, sentence: str) -> None:
        """Say what was done."""
        self.verdict.setText(sentence)
        set_tone(self.verdict, "good")

    def checked(self) -> Device | None:
        """The device of the form; else every mistake is said and the first has the focus."""
        reading = Reading() if self._form is None else read_form(self._form)
        if reading.device is None and reading.faults:
            self._told |= set(reading.faults)
            self._render()
            set_tone(self.verdict, "danger")
            for key in [key for key in self.rows if key in reading.faults][:1]:
                self._go_to(key)
        return reading.device

    def ask_first(self, then: Callable[[], None]) -> None:
        """Do what would lose changes: at once where there are none, else when they are given up."""
        if self.is_changed:
            self.foot.ask(then)
        else:
            then()

    def leave(self) -> None:
        """Close; nothing is asked any more."""
        self.done(self.DialogCode.Rejected)

    # Building

    def _entries(self) -> QScrollArea:
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 10, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 3)  # values are never cut before words are
        grid.setColumnStretch(3, 3)
        for key, (title, tip) in _PLAIN.items():
            self._add(grid, DeviceRow(key, title, tip, QLineEdit(), self, sourced=False))
        for group in GROUPS:
            grid.addWidget(heading(group.title), grid.rowCount(), 0, 1, 4)
            for n in group.numbers:
                tip = f"{n.tip}; a number with its unit, such as {n.example}"
                self._add(grid, DeviceRow(n.key, n.title, tip, QLineEdit(), self))
        grid.addWidget(heading("Transfers and computing"), grid.rowCount(), 0, 1, 4)
        self._add(grid, DeviceRow("io", "I/O mode", IO_TIP, _io_combo(), self))
        grid.setRowStretch(grid.rowCount(), 1)
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setAccessibleName("entries of the device")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return area

    def _add(self, grid: QGridLayout, row: DeviceRow) -> None:
        row.add_to(grid, grid.rowCount())
        row.edited.connect(self._on_edited)
        row.left.connect(self._on_left)
        row.source_edited.connect(self._on_source)
        self.rows[row.key] = row

    def _buttons(self) -> QWidget:
        self.import_button = button(
            "Import…", name="deviceImport", tip="fill the form from a device file (TOML)"
        )
        self.export_button = button(
            "Export…", name="deviceExport", tip="write the form to a device file (TOML)"
        )
        self.duplicate_button = button(
            "Duplicate", name="deviceDuplicate", tip="make another device of this one"
        )
        self.close_button = button("Close", name="sheetClose", tip="close; asks about changes")
        self.save_button = button(
            "Save and use",
            name="deviceSave",
            tip="save it among your devices and price the model with it at once",
            kind="primary",
        )
        buttons = QWidget()
        row = QHBoxLayout(buttons)
        row.setContentsMargins(0, 0, 0, 0)
        for left in (self.import_button, self.export_button, self.duplicate_button):
            left.setAutoDefault(False)
            row.addWidget(left)
        row.addStretch(1)
        row.addWidget(self.close_button)
        row.addWidget(self.save_button)
        self.close_button.setAutoDefault(False)
        self.save_button.setDefault(True)
        return buttons

    def _connect(self) -> None:
        self.import_button.clicked.connect(self._on_import)
        self.duplicate_button.clicked.connect(self.duplicate_requested)
        self.export_button.clicked.connect(self._on_export)
        self.close_button.clicked.connect(self.close)
        self.save_button.clicked.connect(self._on_save)

    # Editing

    @Slot(str)
    def _on_edited(self, key: str) -> None:
        value, form = self.rows[key].value, self._form
        if form is None:
            return
        self.foot.stop_asking()
        if isinstance(value, QComboBox):
            self._form = with_io(form, IoMode(value.currentText()))
        elif isinstance(value, QLineEdit) and key in _PLAIN:
            text = value.text()
            self._form = replace(form, id=text) if key == "id" else replace(form, name=text)
        elif isinstance(value, QLineEdit):
            self._form = with_text(form, key, value.text())
        self._render()

    @Slot(str)
    def _on_left(self, key: str) -> None:
        self._told.add(key)
        self._render()

    @Slot(str)
    def _on_source(self, key: str) -> None:
        if self._form is not None:
            self.foot.stop_asking()
            self._form = with_source(self._form, key, self.rows[key].source)
            self._render()

    def _render(self) -> None:
        form = self._form
        if form is None:
            return
        reading = read_form(form)
        for key, row in self.rows.items():
            row.show_fault(reading.faults.get(key, ""), told=key in self._told)
            if key in form.sources:
                row.show_source(form.sources[key])
        set_tone(self.verdict, "muted")
        self.verdict.setText(self._verdict(reading))

    def _verdict(self, reading: Reading) -> str:
        if reading.device is not None:
            return meaning(reading.device)
        names = [
            f"{self.rows[key].title.text()} ({key})" if "." in key else self.rows[key].title.text()
            for key in reading.faults
            if key in self.rows
        ]
        others = [f"{key}: {why}" for key, why in reading.faults.items() if key not in self.rows]
        return f"Not usable yet: {', '.join([*names, *others])}."

    def _go_to(self, key: str) -> None:
        value = self.rows[key].value
        value.setFocus()
        self.area.ensureWidgetVisible(value)

    @Slot()
    def _on_import(self) -> None:
        self.ask_first(self.import_requested.emit)

    @Slot()
    def _on_save(self) -> None:
        device = self.checked()
        if device is not None:
            self.save_requested.emit(device)

    @Slot()
    def _on_export(self) -> None:
        device = self.checked()
        if device is not None:
            self.export_requested.emit(device)

    def reject(self) -> None:
        """Qt: Escape and every way to close come here."""
        self.ask_first(self.leave)


def _io_combo() -> QComboBox:
    combo = QComboBox()
    combo.addItems([mode.value for mode in IoMode])
    return combo


def _sentence(name: str) -> QLabel:
    made = label(tone="muted")
    made.setObjectName(name)
    made.setWordWrap(True)
    made.setTextFormat(Qt.TextFormat.PlainText)
    return made
