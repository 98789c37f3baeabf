"""A run of the schedule on a sheet beside the work: how far it is, and what it found."""

from typing import Final

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from poet_gui.dialogs.report_sheet import SectionArea
from poet_gui.dialogs.sheets import Sheet
from poet_gui.viewmodels.import_report import Section
from poet_gui.viewmodels.run_words import progress_words
from poet_gui.widgets.parts import button, label

_BAR_PX: Final = 6


class RunSheet(Sheet):
    """First a bar and a button to cancel, then a report; closing it ends the run.

    Signals
    -------
    cancel_requested()
        Stop the run.
    action_requested()
        Go to the first action that differs.
    """

    cancel_requested = Signal()
    action_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Run this schedule", "runSheet", parent)
        self.words = label()
        self.words.setObjectName("runWords")
        self.bar = QProgressBar()
        self.bar.setObjectName("runProgress")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(_BAR_PX)
        self.bar.setAccessibleName("actions done")
        self.area = SectionArea("report of the run")
        self.cancel_button = button("Cancel", name="runCancel", tip="stop the run")
        self.action_button = button(
            "Go to the action", name="runAction", tip="put the playhead on the first that differs"
        )
        self.copy_button = button("Copy", name="runCopy", tip="copy the whole report")
        self.cancel_button.clicked.connect(self.cancel_requested)
        self.action_button.clicked.connect(self.action_requested)
        self.copy_button.clicked.connect(self._on_copy)
        for widget in (self.words, self.bar):
            self.body.addWidget(widget)
        self.body.addWidget(self.area, 1)
        self.finish(self.cancel_button, self.action_button, self.copy_button)
        unit = self.fontMetrics().averageCharWidth()
        self.take_room(QSize(84 * unit, 26 * self.fontMetrics().height()))
        self.show_start(0)

    def show_start(self, total: int) -> None:
        """A run of that many actions has begun."""
        self._set_running(running=True)
        self.action_button.hide()
        self.bar.setRange(0, 0)  # moves by itself until the first action is done
        self.words.setText(progress_words(0, total))
        self.area.show_sections(())

    def show_progress(self, done: int, total: int) -> None:
        """So many actions are done."""
        self.bar.setRange(0, total)
        self.bar.setValue(done)
        self.words.setText(progress_words(done, total))

    def show_end(self, sections: tuple[Section, ...], *, has_action: bool = False) -> None:
        """Show what was found; `has_action`: there is an action to go to."""
        self._set_running(running=False)
        self.action_button.setVisible(has_action)
        self.area.show_sections(sections)

    def set_action_reachable(self, *, reachable: bool) -> None:
        """Whether the schedule that was run is the one on screen."""
        self.action_button.setEnabled(reachable)
        tip = "put the playhead on the first that differs"
        self.action_button.setToolTip(tip if reachable else "another schedule is on screen now")

    def _set_running(self, *, running: bool) -> None:
        for widget in (self.words, self.bar, self.cancel_button):
            widget.setVisible(running)
        self.copy_button.setVisible(not running)
        self.copy_button.setText("Copy")

    @Slot()
    def _on_copy(self) -> None:
        self.area.copy()
        self.copy_button.setText("Copied")

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: nobody would see how the run ends."""
        self.cancel_requested.emit()
        super().closeEvent(event)
