"""A text that takes as many lines as before leaves the layout around it alone."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from poet_gui.widgets.steady_label import SteadyLabel
from tests.poet_gui.fixtures import settle


class Requests(QObject):
    """Counts how often a widget is asked to lay out anew."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.LayoutRequest
        return super().eventFilter(watched, event)


def test_that_only_another_number_of_lines_asks_for_another_layout(
    qtbot: QtBot, qapp: QApplication
) -> None:
    outer = QWidget()
    qtbot.addWidget(outer)
    layout = QVBoxLayout(outer)
    text = SteadyLabel(QLabel())
    text.set_text("peak 704 KiB of 719 KiB")
    layout.addWidget(text)
    layout.addStretch(1)
    outer.resize(300, 200)
    outer.show()
    settle(qapp)
    requests, height = Requests(outer), text.height()
    text.set_text("peak 704 KiB of 720 KiB")
    settle(qapp)
    assert requests.count == 0
    assert text.text() == "peak 704 KiB of 720 KiB"
    text.set_text("peak 704 KiB of 720 KiB " * 8)
    settle(qapp)
    assert requests.count > 0
    assert text.height() > height
