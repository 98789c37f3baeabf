"""Claim: the solver's curves are named where they end, and what is cut is marked."""

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from poet_gui.solving.status import Phase, Point, SolveStatus
from poet_gui.theme import LIGHT
from poet_gui.widgets.solve_curve import SolveCurve


@pytest.fixture
def curve(qtbot: QtBot) -> SolveCurve:
    widget = SolveCurve()
    qtbot.addWidget(widget)
    widget.set_theme(LIGHT)
    widget.resize(600, 120)
    return widget


def show(curve: SolveCurve, incumbents: tuple[float, ...], bounds: tuple[float, ...]) -> None:
    """Energies and bounds a second apart, over ten seconds."""
    status = SolveStatus(
        Phase.DONE,
        incumbents=tuple(Point(float(t), j) for t, j in enumerate(incumbents)),
        bounds=tuple(Point(float(t), j) for t, j in enumerate(bounds)),
    )
    curve.set_status(status, 10.0)


def accent_rows(curve: SolveCurve) -> list[int]:
    """Rows of the area with a pixel in about the colour of the best energy: lines are smoothed."""
    frame = curve.frame()
    assert frame is not None
    image, wanted = curve.grab().toImage(), QColor(LIGHT.accent)
    left, right = round(frame.area.left()), round(frame.area.right())

    def is_accent(x: int, y: int) -> bool:
        seen = image.pixelColor(x, y)
        return abs(seen.red() - wanted.red()) < 60 and abs(seen.blue() - wanted.blue()) < 60

    return [y for y in range(image.height()) if any(is_accent(x, y) for x in range(left, right, 2))]


def test_that_each_label_stands_at_the_end_of_its_curve(curve: SolveCurve) -> None:
    # The best ends at 13 of 10 .. 14, the bound at 11: three and one quarter of the height.
    show(curve, (14.0, 13.0), (10.0, 11.0))
    frame = curve.frame()
    assert frame is not None
    best, bound = curve.end_labels(frame)
    assert best.center().y() == pytest.approx(frame.area.bottom() - 0.75 * frame.area.height())
    assert bound.center().y() == pytest.approx(frame.area.bottom() - 0.25 * frame.area.height())


def test_that_labels_of_curves_that_meet_stand_around_their_end(curve: SolveCurve) -> None:
    show(curve, (14.0, 13.0), (10.0, 13.0))
    frame = curve.frame()
    assert frame is not None
    best, bound = curve.end_labels(frame)
    assert best.bottom() == pytest.approx(bound.top())
    assert best.bottom() == pytest.approx(frame.y(13.0))


def test_that_a_label_without_another_stands_at_its_curve(curve: SolveCurve) -> None:
    show(curve, (12.0,), ())
    frame = curve.frame()
    assert frame is not None
    assert curve.end_labels(frame)[0].center().y() == pytest.approx(frame.y(12.0))


def test_that_an_optimum_stored_at_once_is_one_line_in_the_middle(curve: SolveCurve) -> None:
    show(curve, (12.0,), (12.0,))
    frame = curve.frame()
    assert frame is not None
    rows = accent_rows(curve)
    assert rows
    assert all(abs(y - frame.area.center().y()) <= 2 for y in rows)


def test_that_an_arrow_stands_over_what_is_cut(curve: SolveCurve) -> None:
    show(curve, (14.0, 13.0), (10.0,))
    frame = curve.frame()
    assert frame is not None
    assert not [y for y in accent_rows(curve) if y < frame.area.top() - 2]
    show(curve, (90.0, 13.0), (10.0,))
    frame = curve.frame()
    assert frame is not None
    assert [y for y in accent_rows(curve) if y < frame.area.top() - 2]
