"""The header: open, demo, model, device, solve, stop, find. Wraps into rows when it must."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QWidget

from poet_gui.theme import Theme
from poet_gui.viewmodels.device_words import device_tip, device_title
from poet_gui.widgets.eliding_combo import ElidingCombo
from poet_gui.widgets.flow_layout import FlowLayout
from poet_gui.widgets.icons import themed_icon
from poet_gui.widgets.parts import button, eliding, label
from poet_gui.widgets.search_field import SearchField
from solver.device import Device
from solver.simulate import Trace

OPEN_DEVICE: Final = "open device file"
OPEN_MODEL: Final = "open model file"
_SHOW_BUSY_AFTER_MS: Final = 300
_LETTERS: Final = ((0, 12), (150, 26), (300, 44))
"""A header of so many letters or more, and how many of them each of its lists shows."""


class HeaderBar(QWidget):
    """Buttons and choices above the work.

    Signals
    -------
    open_requested, demo_requested, solve_requested, stop_requested, cancel_open_requested,
    edit_device_requested
        The buttons.
    model_chosen(str)
        A built-in name, or OPEN_MODEL.
    device_chosen(str)
        A device id, or OPEN_DEVICE.
    """

    open_requested = Signal()
    demo_requested = Signal()
    solve_requested = Signal()
    stop_requested = Signal()
    cancel_open_requested = Signal()
    edit_device_requested = Signal()
    model_chosen = Signal(str)
    device_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headerBar")
        self._make()
        flow = FlowLayout(self)
        self._busy_group = _group((self.busy, self.cancel_open))
        for group in (
            _group((self.open_button, self.demo_button)),
            _group((label("Model", tone="muted"), self.models)),
            _group((label("Device", tone="muted"), self.devices, self.edit_device)),
            _group((self.solve_button, self.stop_button)),
            self._busy_group,
            self.search,
        ):
            flow.addWidget(group)
        self._later = QTimer(self, singleShot=True, interval=_SHOW_BUSY_AFTER_MS)
        self._later.timeout.connect(self._show_opening)
        self._opening: str | None = None
        self._shown: Device | None = None
        self._busy_group.hide()
        self._connect()

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.solve_button.setIcon(themed_icon("mdi6.play", theme.accent_text, theme.text_muted))
        self.stop_button.setIcon(themed_icon("mdi6.stop", theme.text, theme.text_muted))
        self.search.set_theme(theme)

    def set_builtins(self, names: Sequence[str]) -> None:
        """Offer these networks."""
        self.models.clear()
        self.models.addItem("Choose a model …", "")
        for name in names:
            self.models.addItem(name, name)
        self.models.insertSeparator(self.models.count())
        self.models.addItem("Open a file …", OPEN_MODEL)

    def set_devices(self, devices: Sequence[Device]) -> None:
        """Offer these devices."""
        self.devices.clear()
        for device in devices:
            self.devices.addItem(device.name, device.id)
        self.devices.insertSeparator(self.devices.count())
        self.devices.addItem("Open a device file …", OPEN_DEVICE)

    def show_model(self, title: str, tooltip: str) -> None:
        """Say which model is on screen."""
        with QSignalBlocker(self.models):
            self.models.setItemText(0, title)
            self.models.setCurrentIndex(0)
        self.models.setToolTip(tooltip)

    def show_device(self, device: Device) -> None:
        """Say which device is in use; one from a file is added to the list."""
        with QSignalBlocker(self.devices):
            shown = self.devices.findData(self._shown.id) if self._shown is not None else -1
            if self._shown is not None and shown >= 0:
                self.devices.setItemText(shown, self._shown.name)  # its costs go with it
            index = self.devices.findData(device.id)
            if index < 0:
                self.devices.insertItem(0, device.name, device.id)
                index = 0
            self.devices.setItemText(index, device_title(device))
            self.devices.setCurrentIndex(index)
        self._shown = device
        self.devices.setToolTip(device_tip(device))

    def set_trace(self, trace: Trace | None) -> None:
        """Find in this schedule."""
        self.search.set_trace(trace)
        self.search.setEnabled(trace is not None)

    def show_busy(self, *, can_solve: bool, solving: bool) -> None:
        """Enable what makes sense now."""
        self.solve_button.setEnabled(can_solve and not solving)
        self.stop_button.setEnabled(solving)

    def show_opening(self, name: str | None) -> None:
        """Say after 300 ms that a file is being read, with a way out; None = no longer."""
        self._opening = name
        if name is None:
            self._later.stop()
            self._show_busy_group(shown=False)
        elif not self._later.isActive():
            self._later.start()

    @Slot()
    def _show_opening(self) -> None:
        if self._opening is not None:
            self.busy.setText(f"Opening {self._opening} …")
            self._show_busy_group(shown=True)

    def _show_busy_group(self, *, shown: bool) -> None:
        self._busy_group.setVisible(shown)
        self.updateGeometry()  # a layout of our own: Qt asks for another height only when told

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the two lists are wide where there is room."""
        super().resizeEvent(event)
        room = event.size().width() / self.fontMetrics().averageCharWidth()
        letters = max(letters for least, letters in _LETTERS if room >= least)
        for combo in (self.models, self.devices):
            combo.setMinimumContentsLength(letters)

    def _make(self) -> None:
        self.open_button = button("Open…", name="openButton", tip="open a model or a saved result")
        self.demo_button = button(
            "Demo", name="demoButton", tip="show a solved example, without a file or a solve"
        )
        self.models, self.devices = _combo("modelChoice"), _combo("deviceChoice")
        self.models.setAccessibleName("model")
        self.devices.setAccessibleName("device")
        self.edit_device = button(
            "Edit…", name="deviceEdit", tip="change the numbers of this device, or copy it"
        )
        self.solve_button = button(
            "Solve", name="solveButton", tip="find the least-energy schedule", kind="primary"
        )
        self.stop_button = button("Stop", name="stopButton", tip="stop and keep the best schedule")
        self.busy = eliding(tone="accent")
        self.busy.setObjectName("openingText")
        self.busy.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.search = SearchField()
        self.search.setEnabled(False)
        self.cancel_open = button("Cancel", name="cancelOpen", tip="give up opening this file")

    def _connect(self) -> None:
        self.open_button.clicked.connect(self.open_requested)
        self.demo_button.clicked.connect(self.demo_requested)
        self.solve_button.clicked.connect(self.solve_requested)
        self.stop_button.clicked.connect(self.stop_requested)
        self.cancel_open.clicked.connect(self.cancel_open_requested)
        self.models.activated.connect(self._on_model)
        self.devices.activated.connect(self._on_device)
        self.edit_device.clicked.connect(self.edit_device_requested)

    @Slot(int)
    def _on_model(self, index: int) -> None:
        name = str(self.models.itemData(index) or "")
        with QSignalBlocker(self.models):
            self.models.setCurrentIndex(0)
        if name:
            self.model_chosen.emit(name)

    @Slot(int)
    def _on_device(self, index: int) -> None:
        self.device_chosen.emit(str(self.devices.itemData(index) or ""))


def _combo(name: str) -> QComboBox:
    combo = ElidingCombo()
    combo.setObjectName(name)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(_LETTERS[0][1])
    combo.setMaxVisibleItems(20)
    return combo


def _group(widgets: Sequence[QWidget]) -> QWidget:
    group = QWidget()
    layout = QHBoxLayout(group)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    for widget in widgets:
        layout.addWidget(widget)
    if isinstance(widgets[0], QLabel) and isinstance(widgets[1], QComboBox):
        widgets[0].setBuddy(widgets[1])
    return group
