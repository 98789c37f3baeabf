"""What the centre shows before there is a model: three ways to begin."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from poet_gui.widgets.parts import button, label


class EmptyPage(QWidget):
    """Open, demo, or a built-in network.

    Signals
    -------
    open_requested, demo_requested, builtin_requested
        The buttons.
    """

    open_requested = Signal()
    demo_requested = Signal()
    builtin_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyPage")
        title = label("Which training schedule costs the least energy?", size="title")
        text = label(
            "Open a network, choose a device, and drag the memory and runtime budgets. "
            "Or drop a file anywhere in this window.",
            tone="muted",
        )
        text.setWordWrap(True)
        text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.demo = button(
            "See a solved example", name="emptyDemo", tip="a stored result, at once", kind="primary"
        )
        self.open = button("Open a file…", name="emptyOpen", tip="ONNX, graph or saved result")
        self.builtin = button(
            "ResNet-18 for CIFAR", name="emptyBuiltin", tip="the built-in network resnet18_cifar"
        )
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addStretch(1)
        for widget in (self.demo, self.open, self.builtin):
            row.addWidget(widget)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setSpacing(14)
        layout.addStretch(2)
        layout.addWidget(title)
        layout.addWidget(text)
        layout.addLayout(row)
        layout.addStretch(3)
        self.demo.clicked.connect(self.demo_requested)
        self.open.clicked.connect(self.open_requested)
        self.builtin.clicked.connect(self.builtin_requested)
