"""Zooming keeps the place under the pointer; nothing leaves the schedule; back goes back."""

import pytest

from poet_gui.viewmodels.time_range import RangeHistory, TimeRange


def test_that_zooming_keeps_the_place_it_zooms_about() -> None:
    shown = TimeRange(20.0, 60.0)
    closer = shown.zoomed(30.0, 0.5)  # 30 stands at a quarter of the width
    assert closer == TimeRange(25.0, 45.0)
    assert (30.0 - closer.low) / closer.width == pytest.approx(0.25)


def test_that_a_range_is_moved_into_the_schedule_without_changing_its_width() -> None:
    assert TimeRange(-5.0, 15.0).fitted(100.0, 1.0) == TimeRange(0.0, 20.0)
    assert TimeRange(90.0, 110.0).fitted(100.0, 1.0) == TimeRange(80.0, 100.0)


def test_that_no_range_is_wider_than_the_schedule_or_thinner_than_the_least() -> None:
    assert TimeRange(-50.0, 500.0).fitted(100.0, 1.0) == TimeRange(0.0, 100.0)
    assert TimeRange(10.0, 10.0).fitted(100.0, 2.0) == TimeRange(9.0, 11.0)
    assert TimeRange(0.0, 0.0).fitted(0.5, 1.0) == TimeRange(0.0, 0.5)


def test_that_back_returns_ranges_in_reverse_order() -> None:
    history = RangeHistory()
    for low in (0.0, 1.0, 1.0, 2.0):
        history.remember(TimeRange(low, 10.0))
    assert history.back() == TimeRange(2.0, 10.0)
    assert history.back() == TimeRange(1.0, 10.0)  # remembered once
    assert history.back() == TimeRange(0.0, 10.0)
    assert history.back() is None
