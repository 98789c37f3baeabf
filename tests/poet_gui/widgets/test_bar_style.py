"""The four kinds stay apart without colour: by place in the lane, pattern and brightness."""

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from poet_gui.theme import DARK, LIGHT, Theme
from poet_gui.viewmodels.trace_index import BAR_KINDS, Kind
from poet_gui.widgets.bar_style import LaneBox, bar_brushes, draw_glyph

LANE = 19


def grey_bar(theme: Theme, kind: Kind, *, glyph: bool = False) -> np.ndarray:
    """One bar of 24 pixels in its lane, as grey levels, shape (LANE, 24)."""
    image = QImage(24, LANE, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.lane_even))
    painter = QPainter(image)
    top, height = LaneBox(float(LANE)).bar(kind)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(bar_brushes(theme)[kind])
    painter.drawRect(QRectF(0, top, 24, height))
    if glyph:
        draw_glyph(painter, kind, QRectF(0, top, 24, height))
    painter.end()
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    rows = np.frombuffer(grey.constBits(), dtype=np.uint8).reshape(LANE, grey.bytesPerLine())
    return rows[:, :24].astype(np.int64)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(("first", "second"), list(combinations(BAR_KINDS, 2)))
def test_that_any_two_kinds_differ_in_grey(
    qtbot: QtBot, theme: Theme, first: Kind, second: Kind
) -> None:
    difference = np.abs(grey_bar(theme, first) - grey_bar(theme, second))
    # At least a tenth of the lane differs by more than an eye needs (an eighth of the range).
    assert (difference > 32).mean() > 0.1


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_that_only_compute_is_solid_and_the_patterns_run_differently(
    qtbot: QtBot, theme: Theme
) -> None:
    def inside(kind: Kind) -> np.ndarray:
        top, height = LaneBox(float(LANE)).bar(kind)
        return grey_bar(theme, kind)[int(top) : int(top + height)]

    assert np.ptp(inside(Kind.COMPUTE)) == 0
    page_in, page_out, recompute = (
        inside(kind) for kind in (Kind.PAGE_IN, Kind.PAGE_OUT, Kind.RECOMPUTE)
    )
    assert np.ptp(page_in, axis=1).max() == 0  # horizontal lines: each row is one grey
    assert np.ptp(page_in, axis=0).min() > 20
    assert np.ptp(page_out, axis=0).max() == 0  # vertical lines: each column is one grey
    assert np.ptp(page_out, axis=1).min() > 20
    assert np.ptp(recompute, axis=0).min() > 20  # diagonal: neither
    assert np.ptp(recompute, axis=1).min() > 20


def test_that_page_outs_stand_in_the_upper_half_and_page_ins_in_the_lower() -> None:
    box = LaneBox(19.0)
    out_top, out_height = box.bar(Kind.PAGE_OUT)
    in_top, in_height = box.bar(Kind.PAGE_IN)
    full_top, full_height = box.bar(Kind.COMPUTE)
    assert out_top == full_top
    assert in_top + in_height == full_top + full_height
    assert out_top + out_height <= in_top + 1
    assert box.bar(Kind.RECOMPUTE) == (full_top, full_height)


@pytest.mark.parametrize("height", [1.0, 3.0, 19.0, 60.0])
def test_that_no_part_of_a_lane_vanishes_at_any_height(height: float) -> None:
    box = LaneBox(height)
    for kind in BAR_KINDS:
        assert box.bar(kind)[1] >= 1.0
    assert box.resident[1] >= 1.0


@pytest.mark.parametrize("kind", [Kind.RECOMPUTE, Kind.PAGE_IN, Kind.PAGE_OUT])
def test_that_each_kind_but_compute_has_a_glyph(qtbot: QtBot, kind: Kind) -> None:
    plain, with_glyph = grey_bar(LIGHT, kind), grey_bar(LIGHT, kind, glyph=True)
    assert (plain != with_glyph).sum() > 10
    np.testing.assert_array_equal(
        grey_bar(LIGHT, Kind.COMPUTE), grey_bar(LIGHT, Kind.COMPUTE, glyph=True)
    )


def test_that_the_triangles_point_in_opposite_directions(qtbot: QtBot) -> None:
    def widths(kind: Kind) -> list[int]:
        changed = grey_bar(LIGHT, kind) != grey_bar(LIGHT, kind, glyph=True)
        rows = changed if kind is Kind.COMPUTE else grey_bar(LIGHT, kind, glyph=True) > 230
        top, height = LaneBox(float(LANE)).bar(kind)
        return rows[int(top) : int(top + height)].sum(axis=1).tolist()

    down, up = widths(Kind.PAGE_IN), widths(Kind.PAGE_OUT)
    assert sum(down[:3]) > sum(down[-3:])
    assert sum(up[-3:]) > sum(up[:3])
