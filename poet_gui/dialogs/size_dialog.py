"""The dialog that asks once for the sizes which a file leaves open."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from poet_gui.viewmodels.size_questions import MOST, UNANSWERED, Question, answers, least
from poet_gui.widgets.parts import button, eliding, label


class SizeDialog(QDialog):
    """One field per open size. It does not block the window; what was open stays meanwhile.

    Signals
    -------
    answered(object)
        Sizes: every field holds a size, and the user wants the file opened with them.
    """

    answered = Signal(object)

    def __init__(self, file: str, asked: Sequence[Question], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sizeDialog")
        self.setWindowTitle(f"Sizes of {file}")
        self.setModal(False)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._asked = tuple(asked)
        self.fields = tuple(self._field(question) for question in self._asked)
        self.problem = label(tone="danger")
        self.problem.setObjectName("sizeProblem")
        self.problem.setWordWrap(True)
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.hide()
        self.open_button = button(
            "Open", name="sizeOpen", tip="open the file with these sizes", kind="primary"
        )
        self.cancel_button = button("Cancel", name="sizeCancel", tip="leave the file unopened")
        self._lay_out(file)
        self.open_button.setDefault(True)
        self.open_button.clicked.connect(self._on_open)
        self.cancel_button.clicked.connect(self.reject)
        self._on_changed()
        self._focus_first_open()

    def show_problem(self, sentence: str) -> None:
        """Say why the file did not open with these sizes; others can be tried at once."""
        self.problem.setText(sentence)
        self.problem.show()
        self._on_changed()
        self.adjustSize()

    def _field(self, question: Question) -> QSpinBox:
        field = QSpinBox()
        field.setObjectName(f"size {question.name}")
        field.setRange(UNANSWERED, MOST)
        field.setSpecialValueText("size?")
        field.setValue(question.start)
        field.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        field.setGroupSeparatorShown(True)
        field.setMinimumWidth(14 * self.fontMetrics().averageCharWidth())
        tip = f"size of {question.title}, a whole number, {least(question)} or more"
        field.setToolTip(tip)
        field.setAccessibleName(tip)
        field.valueChanged.connect(self._on_changed)
        return field

    def _lay_out(self, file: str) -> None:
        words = label(
            f"{file} leaves these sizes open. They are remembered for this file; the model panel "
            "changes them later."
        )
        words.setWordWrap(True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(2, 1)
        for row, (question, field) in enumerate(zip(self._asked, self.fields, strict=True)):
            name = label(question.title, weight="bold")
            name.setBuddy(field)
            name.setTextFormat(Qt.TextFormat.PlainText)
            places = eliding(question.places, tone="muted", at_end=True)
            for column, widget in enumerate((name, field, places)):
                grid.addWidget(widget, row, column)
        row_of_buttons = QHBoxLayout()
        row_of_buttons.addStretch(1)
        row_of_buttons.addWidget(self.cancel_button)
        row_of_buttons.addWidget(self.open_button)
        body = QVBoxLayout(self)
        body.setContentsMargins(18, 16, 18, 14)
        body.setSpacing(12)
        body.addWidget(label(f"Sizes of {file}", size="title"))
        body.addWidget(words)
        body.addLayout(grid)
        body.addWidget(self.problem)
        body.addStretch(1)
        body.addLayout(row_of_buttons)
        self.setMinimumWidth(72 * self.fontMetrics().averageCharWidth())

    def _focus_first_open(self) -> None:
        missing = (field for field in self.fields if field.value() == UNANSWERED)
        first = next(missing, self.fields[0])
        first.setFocus()
        first.selectAll()

    @Slot()
    def _on_changed(self) -> None:
        values = [field.value() for field in self.fields]
        self.open_button.setEnabled(answers(self._asked, values) is not None)

    @Slot()
    def _on_open(self) -> None:
        sizes = answers(self._asked, [field.value() for field in self.fields])
        if sizes is not None:
            self.problem.hide()
            self.open_button.setEnabled(False)
            self.answered.emit(sizes)
