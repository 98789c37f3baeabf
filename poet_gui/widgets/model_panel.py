"""The model card: what is known before any solve, and the choices that shape the training graph."""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from poet_gui.solving.deliveries import OpenModel
from poet_gui.viewmodels.headline import model_facts
from poet_gui.widgets.parts import FactGrid, button, eliding, label
from solver.graph import Accounting, GraphSettings, WeightGradients, Weights
from solver.operators.losses import LOSSES


class ModelPanel(QWidget):
    """Facts of the open model and its graph settings.

    Signals
    -------
    request_changed(object)
        GraphRequest: open the same model with other settings.
    report_requested, sizes_requested
        The buttons: the import report; other sizes for what the file leaves open.
    """

    request_changed = Signal(object)
    report_requested = Signal()
    sizes_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelPanel")
        self._model: OpenModel | None = None
        self.source = eliding(tone="muted")
        self.facts = FactGrid(rows=7)
        self.accounting, self.weights, self.gradients = QComboBox(), QComboBox(), QComboBox()
        self.loss, self.output = QComboBox(), QComboBox()
        self.batch = QSpinBox()
        self.report_button = button(
            "Import report…", name="importReport", tip="what was folded, ignored and assumed"
        )
        self.sizes_button = button(
            "Sizes…", name="importSizes", tip="other sizes for what the file leaves open"
        )
        self._fill()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.source)
        layout.addWidget(self.facts)
        layout.addLayout(self._settings_grid())
        buttons = QHBoxLayout()
        buttons.addWidget(self.report_button)
        buttons.addWidget(self.sizes_button)
        buttons.addStretch(1)
        layout.addLayout(buttons)
        layout.addStretch(1)
        self.report_button.clicked.connect(self.report_requested)
        self.sizes_button.clicked.connect(self.sizes_requested)
        for combo in (self.accounting, self.weights, self.gradients, self.loss, self.output):
            combo.activated.connect(self._on_changed)
        self.batch.editingFinished.connect(self._on_changed)
        self.setEnabled(False)

    def render_model(self, model: OpenModel | None, with_choice: frozenset[str]) -> None:
        """Show a model; `with_choice` names the built-ins that have more than one accounting."""
        self._model = model
        self.setEnabled(model is not None)
        if model is None:
            return
        self.source.setText(model.source)
        self.facts.set_facts(model_facts(model))
        settings = model.costed.graph.settings
        given = settings.accounting is Accounting.GIVEN
        self._render_batch(settings.batch, given=given)
        poet = settings.accounting is Accounting.POET
        both = model.request.model in with_choice
        _choose(self.accounting, settings.accounting)
        self.accounting.setEnabled(both and model.reopens)
        _choose(self.weights, settings.weights)
        self.weights.setEnabled(model.reopens and not given)
        _choose(self.gradients, settings.weight_gradients)
        own = model.reopens and not given and not poet
        self.gradients.setEnabled(own)
        self.batch.setEnabled(own)
        report = model.costed.graph.report
        outputs = report.outputs if report is not None else ()
        self._render_loss(settings, outputs, enabled=own)
        self.sizes_button.setVisible(own and report is not None and bool(report.open_sizes))

    def _render_batch(self, batch: int | None, *, given: bool) -> None:
        """Samples of a step; a graph that came as it is does not say how many they are."""
        with QSignalBlocker(self.batch):
            self.batch.setMinimum(0 if given else 1)
            self.batch.setSpecialValueText("unknown" if given else "")  # in the place of 0
            self.batch.setValue(batch or (0 if given else 1))

    def _render_loss(
        self, settings: GraphSettings, outputs: tuple[str, ...], *, enabled: bool
    ) -> None:
        _choose(self.loss, settings.loss)
        self.loss.setEnabled(enabled)
        with QSignalBlocker(self.output):
            self.output.clear()
            self.output.addItems(outputs or ([settings.output] if settings.output else []))
            self.output.setCurrentIndex(self.output.findText(settings.output or ""))
        self.output.setEnabled(enabled and len(outputs) > 1)

    def _fill(self) -> None:
        for accounting, text in (
            (Accounting.AUTODIFF, "differentiated"),
            (Accounting.POET, "as POET counts"),
            (Accounting.GIVEN, "as the file says"),
        ):
            self.accounting.addItem(text, accounting)
        self.weights.addItem("not counted", Weights.NOT_COUNTED)
        self.weights.addItem("resident in RAM", Weights.RESIDENT)
        self.gradients.addItem("applied at once", WeightGradients.APPLIED)
        self.gradients.addItem("buffered", WeightGradients.BUFFERED)
        for name in LOSSES:
            self.loss.addItem(name, name)
        self.batch.setRange(1, 65536)
        self.batch.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        for widget, name, tip in (
            (self.accounting, "accountingChoice", "whose rules make the training graph"),
            (self.weights, "weightsChoice", "whether weights occupy RAM throughout"),
            (self.gradients, "gradientsChoice", "what happens to a weight gradient"),
            (self.batch, "batchBox", "samples per training step"),
            (self.loss, "lossChoice", "the loss that training takes of the output"),
            (self.output, "outputChoice", "the output that the loss is taken of"),
        ):
            widget.setObjectName(name)
            widget.setToolTip(tip)
            widget.setAccessibleName(tip)

    def _settings_grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        rows = (
            ("graph", self.accounting),
            ("weights", self.weights),
            ("weight gradients", self.gradients),
            ("batch", self.batch),
            ("loss", self.loss),
            ("output", self.output),
        )
        for row, (text, widget) in enumerate(rows):
            name = label(text, tone="muted")
            name.setBuddy(widget)
            if isinstance(widget, QComboBox):
                widget.setSizeAdjustPolicy(
                    QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
                )
                widget.setMinimumContentsLength(8)
            grid.addWidget(name, row, 0)
            grid.addWidget(widget, row, 1)
        return grid

    @Slot()
    def _on_changed(self) -> None:
        if self._model is None:
            return
        settings = self._model.costed.graph.settings
        batch = self.batch.value() if self.batch.isEnabled() else None
        accounting = Accounting(self.accounting.currentData())
        wanted = replace(
            self._model.request,
            accounting=accounting
            if self.accounting.isEnabled()
            else self._model.request.accounting,
            weights=Weights(self.weights.currentData()),
            weight_gradients=WeightGradients(self.gradients.currentData()),
            batch=self._model.request.batch if batch == (settings.batch or 1) else batch,
        )
        if self.loss.isEnabled() and self.loss.currentData() != settings.loss:
            wanted = replace(wanted, loss=str(self.loss.currentData()))
        if self.output.isEnabled() and self.output.currentText() != settings.output:
            wanted = replace(wanted, output=self.output.currentText())
        if wanted.accounting is Accounting.POET:
            wanted = replace(
                wanted,
                batch=None,
                weight_gradients=WeightGradients.APPLIED,
                loss=None,
                output=None,
            )
        if wanted != self._model.request:
            self.request_changed.emit(wanted)


def _choose(combo: QComboBox, value: object) -> None:
    with QSignalBlocker(combo):
        combo.setCurrentIndex(combo.findData(value))
