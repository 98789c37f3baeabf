"""A button that says whether a lane stands for a tensor or for a whole block of the model."""

from PySide6.QtWidgets import QToolButton, QWidget

_TIP = "one lane for each block of layers instead of each tensor (B)"
_NO_BLOCKS = "this model has no blocks: one would hold all of it, or each op would be one"


class BlocksToggle(QToolButton):
    """Pressed: lanes are blocks. Not enabled where a model has none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("blocksButton")
        self.setText("blocks")
        self.setCheckable(True)
        self.set_useful(useful=False)

    def set_useful(self, *, useful: bool) -> None:
        """Whether the model on screen has blocks; the choice is kept for the next one."""
        self.setEnabled(useful)
        tip = _TIP if useful else _NO_BLOCKS
        self.setToolTip(tip)
        self.setAccessibleName(tip)
