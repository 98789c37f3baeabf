"""The card of the selected tensor: its facts, and why it is where it is at the playhead."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from poet_gui.theme import Theme
from poet_gui.viewmodels.details import TensorDetails, describe_tensor
from poet_gui.widgets.parts import FactGrid, eliding, label, rule
from solver.problem import Budgets
from solver.simulate import Trace

_NOTHING = "Select a tensor: click a lane, a bar or a row of a table."


class DetailsCard(QWidget):
    """Facts and sentences about one tensor; scrolls when there is not room for all."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("detailsCard")
        self._trace: Trace | None = None
        self._tensor: int | None = None
        self._action: int | None = None
        self._budgets: Budgets | None = None
        self.details: TensorDetails | None = None
        self.name, self.subtitle = eliding(), eliding(tone="muted")
        self.name.setProperty("rank", "title")
        self.facts = FactGrid(rows=8)
        self.why_rule, self.why_title = rule(), label(weight="bold")
        self.why_text = label()
        self.hint = label(_NOTHING, tone="muted")
        for text in (self.why_title, self.why_text, self.hint):
            text.setWordWrap(True)
        self.why_text.setObjectName("whyText")
        self.why_text.setTextFormat(Qt.TextFormat.PlainText)
        self._lay_out()
        self._refresh()

    def _lay_out(self) -> None:
        body = QWidget()
        inner = QVBoxLayout(body)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        parts = (self.name, self.subtitle, self.hint, self.facts, self.why_rule, self.why_title,
                 self.why_text)  # fmt: skip
        for part in parts:
            inner.addWidget(part)
        inner.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll)

    def set_theme(self, theme: Theme) -> None:
        """Colours come from the style sheet; the new one asks for new paint."""
        del theme
        self.update()

    def show_all(
        self, trace: Trace | None, *, tensor: int | None, action: int, budgets: Budgets
    ) -> None:
        """Speak of another schedule, tensor, action and budgets at once."""
        self._tensor, self._budgets = tensor, budgets
        self._action = action if action >= 0 else None
        self.set_trace(trace)

    def set_trace(self, trace: Trace | None) -> None:
        """Speak of another schedule; the selection goes when its graph has no such tensor."""
        self._trace = trace
        tensors = len(trace.problem.costed.graph.tensors) if trace is not None else 0
        if self._tensor is not None and self._tensor >= tensors:
            self._tensor = None
        if trace is None or (self._action is not None and self._action >= len(trace.start_s)):
            self._action = None
        self._refresh()

    def set_selected(self, tensor: int | None) -> None:
        """Speak of this tensor."""
        if tensor != self._tensor:
            self._tensor = tensor
            self._refresh()

    def set_playhead(self, action: int) -> None:
        """Say why at this action."""
        chosen = action if action >= 0 else None
        if chosen != self._action:
            self._action = chosen
            self._refresh()

    def set_budgets(self, budgets: Budgets) -> None:
        """Measure what else could have been done by these budgets."""
        if budgets != self._budgets:
            self._budgets = budgets
            self._refresh()

    def _refresh(self) -> None:
        shown = None
        if self._trace is not None and self._tensor is not None:
            actions = len(self._trace.start_s)
            inside = self._action is not None and self._action < actions
            at = self._action if inside else None
            shown = describe_tensor(self._trace, self._tensor, at, self._budgets)
        self.details = shown
        self.hint.setVisible(shown is None)
        why = shown.why if shown is not None else None
        for part in (self.name, self.subtitle, self.facts):
            part.setVisible(shown is not None)
        for why_part in (self.why_rule, self.why_title, self.why_text):
            why_part.setVisible(why is not None)
        if shown is not None:
            self.name.setText(shown.name)
            self.name.setToolTip(shown.name)
            self.subtitle.setText(shown.subtitle)
            self.facts.set_facts(tuple((f.label, f.value, f.full) for f in shown.facts))
        if why is not None:
            self.why_title.setText(why.title)
            self.why_text.setText("\n".join(why.sentences))
