"""Many rectangles in one call: a preallocated array that Qt reads as it is."""

from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from solver.costs import FloatArray


class RectBatch:
    """Rectangles that are written as columns and drawn with the painter's brush.

    The array grows and is used again for the next frame. pyqtgraph keeps PrimitiveArray internal;
    this is the only place that touches it.
    """

    def __init__(self) -> None:
        self._array = PrimitiveArray(QRectF, 4)

    def draw(
        self,
        painter: QPainter,
        x: FloatArray,
        y: FloatArray,
        width: FloatArray,
        height: FloatArray | float,
    ) -> None:
        """Draw one rectangle per entry; arrays of one length, in the painter's coordinates."""
        if not len(x):
            return
        self._array.resize(len(x))
        memory: FloatArray = self._array.ndarray()
        memory[:, 0], memory[:, 1], memory[:, 2], memory[:, 3] = x, y, width, height
        painter.drawRects(*self._array.drawargs())
