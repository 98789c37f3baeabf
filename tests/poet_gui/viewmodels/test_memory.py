"""The memory curve never loses a peak, whatever is in sight and however few pixels there are."""

import numpy as np
import pytest

from poet_gui.viewmodels.memory import byte_ticks, memory_curve, memory_top, over_budget_text
from poet_gui.viewmodels.trace_index import Axis
from tests.helpers.traces import all_zero_trace, big_trace, empty_trace, one_action_trace, story


def test_that_the_curve_stands_at_each_action_for_the_width_of_its_column() -> None:
    curve = memory_curve(story())
    x, y = curve.outline(Axis.STEP, (0.0, 10.0), 1000)
    at_columns = {(float(a), float(b)) for a, b in zip(x, y, strict=True)}
    assert {(0.0, 1000.0), (1.0, 1000.0), (8.0, 4000.0), (9.0, 4000.0)} <= at_columns
    assert x[0] == 0.0
    assert x[-1] == 10.0


def test_that_a_free_shows_as_a_notch_between_two_columns() -> None:
    x, y = memory_curve(story()).outline(Axis.STEP, (0.0, 10.0), 1000)
    # f1 is freed after column 2 (2000 -> 1000), then f3 makes it 2000 again.
    assert [float(level) for place, level in zip(x, y, strict=True) if place == 3.0] == [
        2000.0, 1000.0, 1000.0, 2000.0
    ]  # fmt: skip


@pytest.mark.parametrize("axis", list(Axis))
@pytest.mark.parametrize("pixels", [1, 7, 100])
def test_that_the_peak_survives_any_number_of_pixels(axis: Axis, pixels: int) -> None:
    trace = big_trace(depth=120, stride=30)
    curve = memory_curve(trace)
    _, y = curve.outline(axis, (0.0, curve.extent[axis]), pixels)
    assert y.max() == trace.peak_bytes
    assert len(y) <= 4 * pixels


def test_that_each_pixel_shows_the_highest_action_that_touches_it() -> None:
    trace = big_trace(depth=120, stride=30)
    curve = memory_curve(trace)
    pixels = 50
    x, y = curve.outline(Axis.STEP, (0.0, curve.extent[Axis.STEP]), pixels)
    edges = np.linspace(0.0, curve.extent[Axis.STEP], pixels + 1)
    begin, end = curve.begin[Axis.STEP], curve.end[Axis.STEP]
    for k in range(pixels):
        touching = (begin <= edges[k + 1]) & (end >= edges[k])
        assert y[2 * k] == trace.resident_bytes[touching].max()
        assert x[2 * k] == pytest.approx(edges[k])


def test_that_only_what_is_in_sight_is_outlined() -> None:
    x, y = memory_curve(story()).outline(Axis.STEP, (7.25, 8.75), 1000)
    assert (x.min(), x.max()) == (7.25, 8.75)
    assert y.max() == 4000.0  # b2 at column 8


def test_that_nothing_is_outlined_beside_the_schedule() -> None:
    x, _ = memory_curve(story()).outline(Axis.STEP, (20.0, 30.0), 100)
    assert len(x) == 0


def test_that_what_is_over_the_budget_is_said_in_bytes() -> None:
    assert over_budget_text(4000, 3000) == "over by 1000 B"
    assert over_budget_text(4000, 4000) == ""


@pytest.mark.parametrize("make", [empty_trace, one_action_trace, all_zero_trace])
def test_that_odd_schedules_have_a_memory_axis_of_some_height(make) -> None:
    curve = memory_curve(make())
    assert memory_top(curve, None) > 0
    assert memory_top(None, None) > 0
    x, y = curve.outline(Axis.TIME, (0.0, curve.extent[Axis.TIME]), 10)
    assert np.isfinite(x).all()
    assert np.isfinite(y).all()


def test_that_a_budget_near_the_peak_is_in_sight_and_a_far_one_does_not_press_the_curve_flat() -> (
    None
):
    curve = memory_curve(story())
    assert memory_top(curve, 6000) >= 6000
    assert memory_top(curve, 2 * 10**15) < 2 * 4000


def test_that_byte_ticks_are_powers_of_two_apart() -> None:
    ticks, spacing = byte_ticks(0.0, 4000.0, 4)
    assert spacing == 1024.0
    assert ticks == [0.0, 1024.0, 2048.0, 3072.0]
    assert byte_ticks(0.0, 0.0, 4)[0] == []
