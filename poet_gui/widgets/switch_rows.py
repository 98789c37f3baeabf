"""What a schedule may do: page, recompute, and how transfers go."""

from dataclasses import replace
from typing import Final

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from poet_gui.widgets.parts import label
from solver.device import IoMode
from solver.problem import Switches

_TRANSFERS: Final = (
    "blocking: the processor waits while a tensor moves; overlapped: it goes on computing beside "
    "the transfer; ignored: transfers take no time. Their energy always counts."
)


class SwitchRows(QWidget):
    """Renders Switches.

    Signals
    -------
    switches_chosen(object)
        Switches: those that the user wishes.
    """

    switches_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._switches = Switches()
        self.paging, self.recompute = QCheckBox("&Paging"), QCheckBox("Re&compute")
        self.paging.setObjectName("pagingSwitch")
        self.paging.setToolTip("tensors may be moved to storage and back")
        self.recompute.setObjectName("recomputeSwitch")
        self.recompute.setToolTip("forward ops may run again")
        self.io = QComboBox()
        self.io.setObjectName("ioMode")
        self.io.setToolTip(_TRANSFERS)
        self.io.setAccessibleName("transfers")
        for mode in IoMode:
            self.io.addItem(mode.value, mode)
        switches = QHBoxLayout()
        switches.setSpacing(22)
        switches.addWidget(self.paging)
        switches.addWidget(self.recompute)
        switches.addStretch(1)
        transfers = QHBoxLayout()
        transfers.setSpacing(10)
        name = label("&Transfers", tone="muted")
        name.setBuddy(self.io)
        transfers.addWidget(name)
        transfers.addWidget(self.io)
        transfers.addStretch(1)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(6)
        rows.addLayout(switches)
        rows.addLayout(transfers)
        self.paging.clicked.connect(self._on_switch)
        self.recompute.clicked.connect(self._on_switch)
        self.io.activated.connect(self._on_switch)

    def show_switches(self, switches: Switches) -> None:
        """Show these, telling nobody."""
        self._switches = switches
        self.paging.setChecked(switches.paging)
        self.recompute.setChecked(switches.recompute)
        self.io.setCurrentIndex(self.io.findData(switches.io))

    @Slot()
    def _on_switch(self) -> None:
        self.switches_chosen.emit(
            replace(
                self._switches,
                paging=self.paging.isChecked(),
                recompute=self.recompute.isChecked(),
                io=IoMode(self.io.currentData()),
            )
        )
