"""The model card: what is known before any solve, and the choices that shape the training graph."""

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QComboBox, QGridLayout, QSpinBox, QVBoxLayout, QWidget

from poet_gui.solving.deliveries import OpenModel
from poet_gui.viewmodels.headline import model_facts
from poet_gui.widgets.parts import FactGrid, eliding, label
from solver.graph import Accounting, WeightGradients, Weights


class ModelPanel(QWidget):
    """Facts of the open model and its graph settings.

    Signals
    -------
    request_changed(object)
        GraphRequest: open the same model with other settings.
    """

    request_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelPanel")
        self._model: OpenModel | None = None
        self.source = eliding(tone="muted")
        self.facts = FactGrid()
        self.accounting, self.weights, self.gradients = QComboBox(), QComboBox(), QComboBox()
        self.batch = QSpinBox()
        self._fill()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.source)
        layout.addWidget(self.facts)
        layout.addLayout(self._settings_grid())
        layout.addStretch(1)
        for combo in (self.accounting, self.weights, self.gradients):
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
        with QSignalBlocker(self.batch):
            self.batch.setValue(settings.batch or 1)
        given = settings.accounting is Accounting.GIVEN
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

    def _fill(self) -> None:
        for accounting, text in (
            (Accounting.AUTODIFF, "differentiated"),
            (Accounting.POET, "POET's released code"),
            (Accounting.GIVEN, "as the file says"),
        ):
            self.accounting.addItem(text, accounting)
        self.weights.addItem("not counted", Weights.NOT_COUNTED)
        self.weights.addItem("resident in RAM", Weights.RESIDENT)
        self.gradients.addItem("applied at once", WeightGradients.APPLIED)
        self.gradients.addItem("buffered", WeightGradients.BUFFERED)
        self.batch.setRange(1, 65536)
        self.batch.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        for widget, name, tip in (
            (self.accounting, "accountingChoice", "whose rules make the training graph"),
            (self.weights, "weightsChoice", "whether weights occupy RAM throughout"),
            (self.gradients, "gradientsChoice", "what happens to a weight gradient"),
            (self.batch, "batchBox", "samples per training step"),
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
        if wanted.accounting is Accounting.POET:
            wanted = replace(wanted, batch=None, weight_gradients=WeightGradients.APPLIED)
        if wanted != self._model.request:
            self.request_changed.emit(wanted)


def _choose(combo: QComboBox, value: object) -> None:
    with QSignalBlocker(combo):
        combo.setCurrentIndex(combo.findData(value))
