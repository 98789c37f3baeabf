"""The budgets card: memory, runtime, switches, and what these budgets are known to cost."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from poet_gui.explorer import Explorer
from poet_gui.theme import Theme
from poet_gui.viewmodels.budget_scale import (
    EMPTY_SCALE,
    NO_LIMIT,
    BudgetScale,
    beyond_device,
    memory_scale,
    ram_at,
    runtime_scale,
)
from poet_gui.viewmodels.solve_words import Remedy
from poet_gui.widgets.budget_slider import BudgetSlider
from poet_gui.widgets.expected_card import ExpectedCard
from poet_gui.widgets.parts import eliding, label
from poet_gui.widgets.quantity_box import BYTE_UNITS, SECOND_UNITS, QuantityBox
from poet_gui.widgets.switch_rows import SwitchRows
from solver.units import parse_bytes, parse_seconds

if TYPE_CHECKING:
    from solver.costs import CostedGraph
    from solver.problem import Budgets

NO_LIMIT_TEXT: Final = "no limit"


class BudgetsPanel(QFrame):
    """Renders the what-if of an Explorer and says what the user wishes.

    Signals
    -------
    ram_chosen(object)
        RAM budget in bytes (int; a Qt int would be cut to 32 bits).
    runtime_chosen(object)
        Runtime limit in seconds, None for none.
    switches_chosen(object)
        Switches.
    """

    ram_chosen = Signal(object)
    runtime_chosen = Signal(object)
    switches_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("budgetsPanel")
        self.setProperty("card", "true")
        self._core: Explorer | None = None
        self._memory_scale = self._runtime_scale = EMPTY_SCALE
        self._shown_scales: tuple[CostedGraph, tuple[Budgets, ...], float, float] | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.setSpacing(8)
        self.beyond = eliding(tone="warning", at_end=True)
        self.beyond.setObjectName("beyondDevice")
        self.beyond.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head = QHBoxLayout()  # no row of its own: one that comes and goes would move the sliders
        head.addWidget(label("Budgets", size="title"))
        head.addWidget(self.beyond, 1)
        layout.addLayout(head)
        self.ram_slider, self.ram_box = BudgetSlider(), QuantityBox(BYTE_UNITS, parse_bytes)
        self.ram_left, self.ram_right = eliding(tone="muted"), label(tone="muted")
        self.runtime_slider = BudgetSlider()
        self.runtime_box = QuantityBox(SECOND_UNITS, parse_seconds, empty_text=NO_LIMIT_TEXT)
        self.runtime_left, self.runtime_right = eliding(tone="muted"), label(tone="muted")
        self._name_controls()
        layout.addLayout(_budget_rows("&Memory", self.ram_box, self.ram_slider,
                                      self.ram_left, self.ram_right))  # fmt: skip
        layout.addLayout(_budget_rows("&Runtime", self.runtime_box, self.runtime_slider,
                                      self.runtime_left, self.runtime_right))  # fmt: skip
        self.fault = label(tone="danger")
        self.fault.setObjectName("budgetFault")
        self.fault.setWordWrap(True)
        self.fault.hide()
        layout.addWidget(self.fault)
        self.switches = SwitchRows()
        layout.addWidget(self.switches)
        self.expected = ExpectedCard()
        layout.addWidget(self.expected)
        self._set_tips()
        self._connect()
        self.setEnabled(False)

    def set_theme(self, theme: Theme) -> None:
        """Use these colours."""
        self.ram_slider.set_theme(theme)
        self.runtime_slider.set_theme(theme)

    def render_core(self, core: Explorer) -> None:
        """Show the budgets, switches and expectations of `core`."""
        self._core = core
        model = core.model
        self.setEnabled(model is not None)
        self._refresh_scales(core)
        budgets, limit_s = core.budgets, core.budgets.runtime_s
        self.ram_slider.set_fraction(self._memory_scale.fraction(budgets.ram_bytes))
        self.ram_box.set_value(float(budgets.ram_bytes) if model else None)
        beyond = beyond_device(model.costed, budgets.ram_bytes) if model else ("", "")
        self.beyond.setText(beyond[0])
        self.beyond.setToolTip(beyond[1])
        place = NO_LIMIT if limit_s is None else limit_s
        self.runtime_slider.set_fraction(self._runtime_scale.fraction(place))
        typical_s = model.costed.baseline_runtime_s if model else None
        self.runtime_box.set_value(limit_s, typical=typical_s)
        self.switches.show_switches(core.switches)
        self.show_expected(core)

    def _refresh_scales(self, core: Explorer) -> None:
        """Make the grooves anew when model, solved budgets or what is proven impossible changed."""
        if core.model is None:
            return
        least_ram, least_runtime = core.least
        shown = (core.model.costed, core.solved, least_ram, least_runtime)
        if shown == self._shown_scales:
            return
        self._shown_scales = shown
        self._memory_scale = memory_scale(*shown[:2], least_ram)
        self._runtime_scale = runtime_scale(*shown[:2], least_runtime)
        _show_scale(self._memory_scale, self.ram_slider, self.ram_left, self.ram_right)
        _show_scale(self._runtime_scale, self.runtime_slider, self.runtime_left, self.runtime_right)
        self._set_tips()

    def _set_tips(self) -> None:
        shared = "hatched: impossible, dots: solved budgets"
        ram, runtime = self._memory_scale.tip, self._runtime_scale.tip
        self.ram_slider.setToolTip(f"memory budget; {shared}\n{ram}".strip())
        self.runtime_slider.setToolTip(
            f"runtime limit; {shared}, right end: no limit\n{runtime}".strip()
        )

    @Slot()
    def focus_memory(self) -> None:
        """Let the user type a memory budget."""
        self.ram_box.edit()

    @Slot()
    def focus_runtime(self) -> None:
        """Let the user type a runtime limit."""
        self.runtime_box.edit()

    @Slot()
    def toggle_paging(self) -> None:
        """Allow or forbid paging."""
        self.switches.paging.click()

    @Slot()
    def toggle_recompute(self) -> None:
        """Allow or forbid recomputing."""
        self.switches.recompute.click()

    def show_expected(self, core: Explorer) -> None:
        """Show what the budgets are known to cost, and the remedy when they are impossible."""
        self.expected.render_core(core)

    def _name_controls(self) -> None:
        self.ram_slider.setObjectName("ramSlider")
        self.ram_slider.setAccessibleName("memory budget")
        self.ram_box.set_names("ramBox", "memory budget")
        self.runtime_slider.setObjectName("runtimeSlider")
        self.runtime_slider.setAccessibleName("runtime limit")
        self.runtime_box.set_names("runtimeBox", "runtime limit")

    def _connect(self) -> None:
        self.ram_slider.moved.connect(self._on_ram_moved)
        self.ram_box.entered.connect(self._on_ram_entered)
        self.runtime_slider.moved.connect(self._on_runtime_moved)
        self.runtime_box.entered.connect(self._on_runtime_entered)
        self.ram_box.rejected.connect(self._on_rejected)
        self.runtime_box.rejected.connect(self._on_rejected)
        self.switches.switches_chosen.connect(self.switches_chosen)
        self.expected.remedy_chosen.connect(self._on_remedy)

    @Slot(float)
    def _on_ram_moved(self, fraction: float) -> None:
        if self._core and self._core.model:
            self.fault.hide()
            costed = self._core.model.costed
            snap = self.ram_slider.snap
            self.ram_chosen.emit(ram_at(self._memory_scale, fraction, costed, snap))

    @Slot(object)
    def _on_ram_entered(self, value: float | None) -> None:
        self.fault.hide()
        if value is not None:
            self.ram_chosen.emit(int(value))

    @Slot(float)
    def _on_runtime_moved(self, fraction: float) -> None:
        self.fault.hide()
        value = self._runtime_scale.value(fraction)
        if self._core and self._core.model:
            baseline_s = self._core.model.costed.baseline_runtime_s
            near = abs(self._runtime_scale.fraction(baseline_s) - fraction)
            if near <= self.runtime_slider.snap:
                value = baseline_s
        self.runtime_chosen.emit(None if value == NO_LIMIT else value)

    @Slot(object)
    def _on_runtime_entered(self, value: float | None) -> None:
        self.fault.hide()
        self.runtime_chosen.emit(value)

    @Slot(str)
    def _on_rejected(self, sentence: str) -> None:
        self.fault.setText(sentence)
        self.fault.show()

    @Slot(object)
    def _on_remedy(self, cure: Remedy) -> None:
        if cure.ram_bytes is not None:
            self.ram_chosen.emit(cure.ram_bytes)
        elif cure.runtime_s is not None:
            self.runtime_chosen.emit(cure.runtime_s)


def _budget_rows(
    title: str, box: QuantityBox, slider: BudgetSlider, left: QLabel, right: QLabel
) -> QGridLayout:
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 4)
    grid.setVerticalSpacing(3)
    name = label(title, weight="bold")
    name.setBuddy(box)
    grid.addWidget(name, 0, 0)
    grid.addWidget(box, 0, 1)
    grid.addWidget(slider, 1, 0, 1, 2)
    ends = QHBoxLayout()
    ends.addWidget(left, 1)
    ends.addWidget(right)
    grid.addLayout(ends, 2, 0, 1, 2)
    grid.setColumnStretch(0, 1)
    grid.setColumnStretch(1, 2)
    return grid


def _show_scale(scale: BudgetScale, slider: BudgetSlider, left: QLabel, right: QLabel) -> None:
    slider.set_scale(scale)
    left.setText(scale.left_text)
    right.setText(scale.right_text)
