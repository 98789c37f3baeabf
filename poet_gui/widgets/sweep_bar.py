"""Start, follow and cancel a sweep: how many points, which strategies, how long for each."""

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from poet_gui.solving.sweep_status import MAIN, SweepPlan, SweepStatus
from poet_gui.theme import Theme
from poet_gui.viewmodels.frontier_sources import STYLES
from poet_gui.viewmodels.sweep_words import sweep_words
from poet_gui.widgets.icons import themed_icon
from poet_gui.widgets.parts import button, eliding, label, set_tone
from solver.sweep import Axis

_POINTS = 12
_LIMIT_S = 10.0


class SweepBar(QWidget):
    """One button that sweeps, or cancels while a sweep runs, and what it will do.

    Signals
    -------
    sweep_requested(object)
        A SweepPlan.
    cancel_requested()
        Stop the running sweep.
    """

    sweep_requested = Signal(object)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweepBar")
        self._axis: Axis = "ram"
        self._running = False
        self._can_start = False
        self._make_controls()
        self._lay_out()
        self.go.clicked.connect(self._on_go)
        self._name_choice()
        self.show_status(SweepStatus(), can_start=False)

    def _make_controls(self) -> None:
        self.go = button("Sweep", name="sweepButton", tip="solve budgets along this axis")
        self.points = QSpinBox()
        self.points.setObjectName("sweepPointsBox")
        self.points.setRange(2, 500)
        self.points.setValue(_POINTS)
        self.points.setSuffix(" points")
        self.points.setToolTip("at most so many solves for each strategy")
        self.points.setAccessibleName("most points of a sweep")
        self.choice = QToolButton()
        self.choice.setObjectName("sweepChoiceButton")
        self.choice.setProperty("flat", "false")
        self.choice.setProperty("compact", "true")
        self.choice.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.choice.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.strategies: dict[str, QAction] = {}
        self.limit = QDoubleSpinBox()
        self.choice.setMenu(self._menu())
        self.progress = QProgressBar()
        self.progress.setObjectName("sweepProgress")
        self.progress.setTextVisible(False)
        self.progress.setFixedHeight(4)
        # To come and to go must not lay the whole window out anew, in the middle of a drag.
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)  # Qt's signature
        self.progress.setSizePolicy(keeps)
        self.words = eliding(tone="muted", at_end=True)
        self.words.setObjectName("sweepWords")

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.go)
        row.addWidget(self.points)
        row.addWidget(self.choice)
        row.addStretch(1)
        self._row = row
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(row)
        layout.addWidget(self.progress)
        layout.addWidget(self.words)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.choice.setIcon(themed_icon("mdi6.chevron-down", theme.text, theme.text_muted))

    def set_wide(self, *, wide: bool) -> None:
        """Let the words stand beside the buttons, or below them."""
        layout = self.layout()
        for holder in (self._row, layout):
            if holder is not None:
                holder.removeWidget(self.words)
        if wide:
            self._row.addWidget(self.words, 100)
        elif isinstance(layout, QVBoxLayout):
            layout.addWidget(self.words)

    def set_axis(self, axis: Axis) -> None:
        """Sweep along this axis next time."""
        self._axis = axis

    def show_status(self, status: SweepStatus, *, can_start: bool) -> None:
        """Show where the sweep stands; `can_start`: there is a model."""
        words = sweep_words(status)
        self._running, self._can_start = status.is_running, can_start
        self.go.setText("Cancel" if self._running else "Sweep")
        tip = "stop the sweep; what was found stays" if self._running else self._tip()
        self.go.setToolTip(tip)
        self.go.setAccessibleName(tip)
        self.go.setEnabled(self._running or (can_start and bool(self.chosen())))
        self.progress.setVisible(self._running)
        self.progress.setMaximum(words.total)
        self.progress.setValue(words.done)
        self.words.setText(words.text)
        set_tone(self.words, words.tone)
        for widget in (self.points, self.choice):
            widget.setEnabled(not self._running)

    def chosen(self) -> tuple[str, ...]:
        """The strategies that a sweep would solve, the main one first."""
        return tuple(name for name, action in self.strategies.items() if action.isChecked())

    def plan(self) -> SweepPlan:
        """What a sweep started now would do."""
        return SweepPlan(self._axis, self.points.value(), self.chosen(), self.limit.value())

    @Slot()
    def toggle(self) -> None:
        """Start a sweep, or cancel the running one."""
        if self.go.isEnabled():
            self._on_go()

    def _tip(self) -> str:
        return (
            "solve budgets where least is known; what is certified already is not solved again, "
            "and your own solve goes on beside it"
        )

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setObjectName("sweepChoiceMenu")
        menu.setToolTipsVisible(True)
        for style in STYLES:
            action = QAction(style.label, menu)
            action.setObjectName(f"sweep_{style.strategy}")
            action.setCheckable(True)
            action.setChecked(style.strategy == MAIN)
            action.setToolTip(style.tip)
            action.toggled.connect(self._name_choice)
            menu.addAction(action)
            self.strategies[style.strategy] = action
        menu.addSeparator()
        self.limit.setObjectName("sweepLimitBox")
        self.limit.setRange(0.5, 3600.0)
        self.limit.setDecimals(1)
        self.limit.setValue(_LIMIT_S)
        self.limit.setSuffix(" s per point")
        self.limit.setAccessibleName("time limit of each point")
        holder = QWidget(menu)
        row = QHBoxLayout(holder)
        row.setContentsMargins(10, 4, 10, 4)
        row.addWidget(label("at most", tone="muted"))
        row.addWidget(self.limit)
        entry = QWidgetAction(menu)
        entry.setDefaultWidget(holder)
        menu.addAction(entry)
        return menu

    @Slot()
    def _name_choice(self) -> None:
        count = len(self.chosen())
        names = [style.label for style in STYLES if style.strategy in self.chosen()]
        text = names[0] if count == 1 else f"{count} strategies" if count else "no strategy"
        self.choice.setText(text)
        tip = f"strategies to sweep: {', '.join(names) or 'none'}; time for each point"
        self.choice.setToolTip(tip)
        self.choice.setAccessibleName(tip)
        if not self._running:
            self.go.setEnabled(self._can_start and bool(count))

    @Slot()
    def _on_go(self) -> None:
        if self._running:
            self.cancel_requested.emit()
        else:
            self.sweep_requested.emit(self.plan())
