"""The scale of the solver's curves: what is cut is said, what is equal is drawn together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poet_gui.solving.status import Phase, Point, SolveStatus
from poet_gui.viewmodels.curve_scale import CurveScale, apart, curve_scale, points_above


def status(incumbents: tuple[float, ...], bounds: tuple[float, ...]) -> SolveStatus:
    """Energies and bounds a second apart."""
    return SolveStatus(
        Phase.DONE,
        incumbents=tuple(Point(float(t), j) for t, j in enumerate(incumbents)),
        bounds=tuple(Point(float(t), j) for t, j in enumerate(bounds)),
    )


def scale_of(incumbents: tuple[float, ...], bounds: tuple[float, ...]) -> CurveScale:
    scale = curve_scale(status(incumbents, bounds))
    assert scale is not None
    return scale


def test_that_there_is_no_scale_before_there_is_a_number() -> None:
    assert curve_scale(SolveStatus()) is None


def test_that_a_curve_that_fits_is_not_called_cut() -> None:
    # 2 above the bound is the best, 4 the first: less than three times 2 above the best.
    scale = scale_of((14.0, 12.0), (10.0, 11.0))
    assert (scale.low_j, scale.high_j, scale.is_cut) == (10.0, 14.0, False)
    assert scale.ticks() == ((0.0, "10.00 J"), (1.0, "14.00 J"))
    assert [scale.height(j) for j in (10.0, 12.0, 14.0)] == [0.0, 0.5, 1.0]


def test_that_the_axis_says_so_where_first_schedules_lie_above_it() -> None:
    # The best lies 2 above the first bound: the axis ends at 12 + 3 x 2 = 18, below the 50 and 20.
    found = status((50.0, 20.0, 12.0), (10.0,))
    scale = curve_scale(found)
    assert scale is not None
    assert (scale.high_j, scale.is_cut) == (18.0, True)
    assert scale.ticks()[1] == (1.0, "> 18.00 J")
    assert points_above(scale, found.incumbents) == 2
    assert scale.height(50.0) == 1.0


def test_that_an_optimum_stored_at_once_stands_in_the_middle_with_one_number() -> None:
    scale = scale_of((12.0,), (12.0,))
    assert scale.ticks() == ((0.5, "12.00 J"),)
    assert scale.height(12.0) == 0.5
    assert scale_of((12.0,), (12.0 * (1 - 1e-12),)).is_flat  # the rounding of a sum is no gap


def test_that_a_fall_to_the_first_bound_is_seen_whole() -> None:
    scale = scale_of((30.0, 12.0), (12.0,))
    assert (scale.low_j, scale.high_j, scale.is_cut) == (12.0, 30.0, False)


def test_that_ends_that_read_the_same_say_how_far_apart_they_are() -> None:
    # 10 uJ in 0.5 J: four digits show 500.0 mJ at both ends.
    scale = scale_of((0.50001,), (0.5,))
    assert scale.ticks() == ((0.0, "500.0 mJ"), (1.0, "+ 10.00 µJ"))


def test_that_labels_stand_at_their_places_while_they_do_not_meet() -> None:
    assert apart(20.0, 50.0, line=10.0, room=(0.0, 80.0)) == (15.0, 45.0)


def test_that_labels_of_one_place_stand_around_it() -> None:
    assert apart(30.0, 30.0, line=10.0, room=(0.0, 80.0)) == (20.0, 30.0)


@given(
    upper=st.floats(-50, 150),
    lower=st.floats(-50, 150),
    line=st.floats(1, 50),
)
def test_that_labels_never_meet_nor_leave_their_room(
    upper: float, lower: float, line: float
) -> None:
    top, bottom = apart(upper, lower, line=line, room=(0.0, 100.0))
    assert bottom - top >= line - 1e-9
    assert top >= -1e-9
    assert bottom + line <= 100 + 1e-9


@pytest.mark.parametrize("lower", [12.0, 30.0])
def test_that_a_label_is_at_most_a_line_from_its_place(lower: float) -> None:
    top, bottom = apart(12.0, lower, line=14.0, room=(0.0, 80.0))
    assert abs(top + 7 - 12.0) <= 14
    assert abs(bottom + 7 - lower) <= 14
