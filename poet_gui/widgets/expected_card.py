"""What the present budgets are known to cost, and the remedy when they are impossible."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from poet_gui.explorer import Explorer
from poet_gui.viewmodels.headline import expected
from poet_gui.viewmodels.solve_words import Remedy, remedy
from poet_gui.widgets.parts import button, label, set_tone


class ExpectedCard(QFrame):
    """Renders what an Explorer promises for its budgets.

    Signals
    -------
    remedy_chosen(object)
        The Remedy whose button was pressed.
    """

    remedy_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("expectedCard")
        self.setProperty("card", "sunken")
        self._remedy: Remedy | None = None
        self.text = label(weight="bold", size="title")
        self.text.setObjectName("expectedText")
        self.text.setWordWrap(True)
        self.detail = label(tone="muted")
        self.detail.setObjectName("expectedDetail")
        self.detail.setWordWrap(True)
        self.raise_button = button(
            "", name="raiseButton", tip="set the least budget that works", kind="primary"
        )
        self.raise_button.hide()
        self.raise_button.clicked.connect(self._on_raise)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(3)
        for widget in (self.text, self.detail, self.raise_button):
            layout.addWidget(widget)

    def render_core(self, core: Explorer) -> None:
        """Show what the budgets of `core` are known to cost."""
        words = expected(core)
        self.text.setText(words.text)
        self.detail.setText(words.detail)
        set_tone(self.detail, words.tone)
        self._remedy = remedy(core.status.outcome)
        self.raise_button.setVisible(self._remedy is not None)
        if self._remedy is not None:
            self.raise_button.setText(self._remedy.text)

    @Slot()
    def _on_raise(self) -> None:
        if self._remedy is not None:
            self.remedy_chosen.emit(self._remedy)
