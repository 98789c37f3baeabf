"""The line that says what is compared: A, B, the difference in energy, swap and end."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from poet_gui.viewmodels.compare import Strip
from poet_gui.widgets.parts import button, eliding, label, set_tone


class CompareStrip(QFrame):
    """Renders a Strip above the schedule; hidden while nothing is compared.

    Signals
    -------
    swap_requested()
        Let A be B and B be A.
    end_requested()
        Compare no longer.
    details_requested()
        Show the whole comparison.
    """

    swap_requested = Signal()
    end_requested = Signal()
    details_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compareStrip")
        self.setProperty("card", "sunken")
        self.a, self.b = label(), label()
        self.difference = label(weight="bold")
        self.refusal = eliding(tone="warning", at_end=True)
        for name, widget in (
            ("compareA", self.a),
            ("compareB", self.b),
            ("compareDifference", self.difference),
            ("compareRefusal", self.refusal),
        ):
            widget.setObjectName(name)
        self.swap = button("Swap", name="swapButton", tip="let A be B and B be A", kind="link")
        self.details = button(
            "Details", name="compareDetailsButton", tip="show every difference", kind="link"
        )
        self.end = button("End", name="endCompareButton", tip="compare no longer", kind="link")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 3, 6, 3)
        row.setSpacing(6)
        row.addWidget(label("A", tone="accent", weight="bold"))
        row.addWidget(self.a)
        row.addSpacing(14)
        row.addWidget(label("B", tone="accent", weight="bold"))
        row.addWidget(self.b)
        row.addWidget(self.difference)
        row.addWidget(self.refusal, 1)
        for control in (self.swap, self.details, self.end):
            row.addWidget(control)
        self.swap.clicked.connect(self.swap_requested)
        self.details.clicked.connect(self.details_requested)
        self.end.clicked.connect(self.end_requested)
        self.hide()

    def set_strip(self, line: Strip | None) -> None:
        """Show this line; None hides it."""
        self.setVisible(line is not None)
        if line is None:
            return
        compared = not line.refusal
        for widget in (self.a, self.b, self.difference):
            widget.setVisible(compared)
        self.a.setText(line.a)
        self.b.setText(line.b)
        self.difference.setText(line.difference)
        set_tone(self.difference, line.tone)
        self.refusal.setText(line.refusal)
        self.setToolTip(line.tooltip)
        self.swap.setEnabled(compared)
        self.details.setEnabled(compared)
