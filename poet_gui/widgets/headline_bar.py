"""The line above the timeline: how sure, how much energy, time and memory."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from poet_gui.viewmodels.headline import Headline
from poet_gui.widgets.parts import button, label, set_tone
from poet_gui.widgets.steady_label import SteadyLabel

_UNBROKEN = str.maketrans({" ": "\u00a0", "-": "\u2011"})
"""Spaces and hyphens at which no line ends: lines end between figures, never inside one."""


class HeadlineBar(QWidget):
    """Renders a Headline; a button runs the schedule of a model that was traced.

    Signals
    -------
    run_requested()
        Run the schedule on real tensors.
    """

    run_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headlineBar")
        self._shown: Headline | None = None
        self.lead = label(weight="bold")
        self.lead.setObjectName("headlineLead")
        self.figures = SteadyLabel(label())
        self.figures.setObjectName("headlineFigures")
        self.run_button = button(
            "Run…", name="runButton", tip="run this schedule on real tensors (F7)", kind="link"
        )
        self.run_button.clicked.connect(self.run_requested)
        self.run_button.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self.lead, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.figures, 1)
        layout.addWidget(self.run_button, 0, Qt.AlignmentFlag.AlignTop)

    def set_headline(self, line: Headline) -> None:
        """Show this line."""
        if line == self._shown:
            return
        self._shown = line
        self.lead.setText(line.lead.text)
        self.lead.setToolTip(line.lead.detail)
        set_tone(self.lead, line.lead.tone)
        self.figures.set_text("   ".join(f.translate(_UNBROKEN) for f in line.figures))
        self.figures.setToolTip(line.tooltip)
