"""The solver panel: state in words, the two curves, the steps, when to stop, and Stop."""

import time
from dataclasses import replace
from typing import Final

from PySide6.QtCore import QSignalBlocker, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QVBoxLayout, QWidget

from poet_gui.explorer import Explorer
from poet_gui.solving.status import SolveStatus
from poet_gui.theme import Theme
from poet_gui.viewmodels.solve_words import StatusWords, status_words
from poet_gui.viewmodels.solver_facts import solver_facts, solver_words
from poet_gui.widgets.parts import FactGrid, button, eliding, label, set_tone
from poet_gui.widgets.solve_curve import SolveCurve
from poet_gui.widgets.wrapped_label import WrappedLabel
from solver.problem import SolveOptions

_TICK_MS: Final = 200


class SolverPanel(QWidget):
    """Renders the running or last solve.

    Signals
    -------
    stop_requested
        Stop and keep the best.
    extend_requested
        Solve the same problem again with twice the time.
    options_chosen(object)
        SolveOptions.
    """

    stop_requested = Signal()
    extend_requested = Signal()
    options_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("solverPanel")
        self._status = SolveStatus()
        self._options = SolveOptions()
        self._shown: tuple[SolveStatus, SolveOptions, bool, StatusWords] | None = None
        self.words = eliding(at_end=True)
        self.words.setProperty("weight", "bold")
        self.words.setObjectName("solverWords")
        self.detail = WrappedLabel(least_lines=2)
        self.detail.setProperty("tone", "muted")
        self.detail.setObjectName("solverDetail")
        self.curve = SolveCurve()
        self.facts = FactGrid(left=True)
        self.with_what = label(tone="muted")
        self.gap = _number("gapBox", "stop within this gap on the overhead")
        self.gap.setSuffix(" % gap")
        self.gap.setRange(0.0, 1000.0)
        self.limit = _number("timeBox", "stop after this many seconds")
        self.limit.setSuffix(" s")
        self.limit.setDecimals(1)
        self.limit.setRange(0.0, 86400.0)
        self.stop_button = button(
            "Stop, keep best", name="stopKeepButton", tip="stop and keep the best schedule"
        )
        self.extend_button = button(
            "Extend", name="extendButton", tip="solve again with twice the time"
        )
        self._lay_out()
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self.stop_button.clicked.connect(self.stop_requested)
        self.extend_button.clicked.connect(self.extend_requested)
        self.gap.editingFinished.connect(self._on_options)
        self.limit.editingFinished.connect(self._on_options)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.curve.set_theme(theme)

    def render_core(self, core: Explorer) -> None:
        """Show the solve of `core`."""
        words = status_words(core.status, core.problem)
        shown = (core.status, core.options, core.model is None, words)
        same = shown == self._shown and core.status.outcome is self._status.outcome
        self._status, self._options, self._shown = core.status, core.options, shown
        if same:  # a slider that moves over one answer says so at every move
            return
        self.words.setText(words.text)
        set_tone(self.words, words.tone)
        self.detail.setText(words.detail)
        self.detail.setToolTip(words.detail)
        self.facts.set_facts(solver_facts(core.status))
        self.with_what.setText(solver_words(core.status, core.options))
        busy = core.status.phase.is_busy
        self.stop_button.setEnabled(busy)
        self.extend_button.setEnabled(core.model is not None and not busy)
        with QSignalBlocker(self.gap), QSignalBlocker(self.limit):
            self.gap.setValue(100 * core.options.gap)
            self.limit.setValue(core.options.time_limit_s)
        self._draw()
        if busy and self.isVisible() and not self._tick.isActive():
            self._tick.start()
        elif not busy:
            self._tick.stop()

    def _lay_out(self) -> None:
        left = QVBoxLayout()
        left.setSpacing(3)
        left.addWidget(self.words)
        left.addWidget(self.curve, 1)
        middle = QVBoxLayout()
        middle.setSpacing(4)
        middle.addWidget(self.facts)
        middle.addStretch(1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.stop_button)
        buttons.addWidget(self.extend_button)
        stops = QHBoxLayout()
        stops.addWidget(label("stop at", tone="muted"))
        stops.addWidget(self.gap)
        stops.addWidget(self.limit)
        right = QVBoxLayout()
        right.setSpacing(4)
        right.addLayout(buttons)
        right.addLayout(stops)
        right.addWidget(self.with_what)
        right.addStretch(1)
        words = QHBoxLayout()
        words.setSpacing(28)
        words.addLayout(middle, 1)
        words.addLayout(right)
        beside = QVBoxLayout()
        beside.setSpacing(4)
        beside.addLayout(words)
        beside.addWidget(self.detail, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(28)
        layout.addLayout(left, 4)
        layout.addLayout(beside, 8)  # with large text the numbers need it

    def _elapsed_s(self) -> float:
        status = self._status
        if status.wall_s is not None:
            return status.wall_s
        if status.started_at is not None and status.phase.is_busy:
            return time.monotonic() - status.started_at
        return 0.0

    def _draw(self) -> None:
        self.curve.set_status(self._status, self._elapsed_s())

    @Slot()
    def _on_tick(self) -> None:
        self._draw()

    @Slot()
    def _on_options(self) -> None:
        wanted = replace(self._options, gap=self.gap.value() / 100, time_limit_s=self.limit.value())
        if wanted != self._options:
            self.options_chosen.emit(wanted)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: go on counting seconds."""
        super().showEvent(event)
        if self._status.phase.is_busy:
            self._tick.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Qt: a timer must not outlive its view."""
        self._tick.stop()
        super().hideEvent(event)


def _number(name: str, tip: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setDecimals(2)
    box.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
    box.setObjectName(name)
    box.setToolTip(tip)
    box.setAccessibleName(tip)
    return box
