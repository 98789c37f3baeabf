"""The knees of the frontier as links: each sets the budget after which more saves little."""

from typing import Final

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from poet_gui.viewmodels.frontier import FrontierScene, Mark
from poet_gui.widgets.parts import button, label

_SO_FAR: Final = "Some of the curve is not certified yet: a sweep may move or remove a knee."


class KneeRow(QWidget):
    """Renders the knees of a FrontierScene, those of an unfinished curve as what they are so far.

    Signals
    -------
    load_requested(int)
        A point of the scene.
    """

    load_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("kneeRow")
        self.marks: tuple[Mark, ...] = ()
        self.words = label("knees", tone="muted")
        self._buttons: list[QPushButton] = []
        self._layout = QHBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self._layout.addWidget(self.words)
        self._layout.addStretch(1)

    def show_knees(self, scene: FrontierScene | None) -> None:
        """Show those of this scene."""
        self.marks = () if scene is None else scene.knees
        settled = scene is None or scene.settled
        self.words.setText("knees" if settled else "knees so far")
        self.words.setToolTip("" if settled else _SO_FAR)
        while len(self._buttons) < len(self.marks):
            self._add_button()
        for number, made in enumerate(self._buttons):
            made.setVisible(number < len(self.marks))
            if number < len(self.marks) and scene is not None:
                mark = self.marks[number]
                tip = f"{mark.text}: more budget than this saves little; sets the budget"
                if not settled:
                    tip = f"{tip}. {_SO_FAR}"
                made.setText(f"{number + 1}: {scene.x_text(mark.x)}")
                made.setToolTip(tip)
                made.setAccessibleName(tip)

    def _add_button(self) -> None:
        number = len(self._buttons) + 1
        made = button("", name=f"knee{number}Button", tip="", kind="link")
        made.clicked.connect(self._on_clicked)
        self._layout.insertWidget(number, made)
        self._buttons.append(made)

    @Slot()
    def _on_clicked(self) -> None:
        sender = self.sender()
        for made, mark in zip(self._buttons, self.marks, strict=False):
            if made is sender:
                self.load_requested.emit(mark.point)
