"""Widgets side by side that wrap like words; the last one keeps to the right end."""

from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from poet_gui.widgets.flow_layout import FlowLayout


class Box(QWidget):
    """A widget that likes to be `wide` and can be `least` pixels wide."""

    def __init__(self, wide: int, least: int) -> None:
        super().__init__()
        self.setMinimumWidth(least)
        self._wide = wide

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        size.setWidth(self._wide)
        size.setHeight(20)
        return size


def _row(qtbot: QtBot, width: int) -> list[QRect]:
    page = QWidget()
    qtbot.addWidget(page)
    flow = FlowLayout(page)
    boxes = [Box(100, 100), Box(100, 100), Box(200, 80)]
    for box in boxes:
        flow.addWidget(box)
    page.resize(width, flow.heightForWidth(width))
    page.show()
    QApplication.processEvents()
    return [box.geometry() for box in boxes]


def test_that_the_last_stands_at_the_right_end(qtbot: QtBot) -> None:
    # Margins of 12 left and right, gaps of 10.
    *_, last = _row(qtbot, 600)
    assert last.width() == 200
    assert last.x() + last.width() == 588


def test_that_the_last_shrinks_before_it_wraps(qtbot: QtBot) -> None:
    # 400 - 2 * 12 - 2 * (100 + 10) = 156 pixels are left.
    _, second, last = _row(qtbot, 400)
    assert last.y() == second.y()
    assert last.width() == 156


def test_that_the_last_wraps_when_not_even_its_least_fits(qtbot: QtBot) -> None:
    # 300 - 2 * 12 - 2 * 110 = 56 < 80.
    _, second, last = _row(qtbot, 300)
    assert last.y() > second.y()
    assert last.width() == 200
