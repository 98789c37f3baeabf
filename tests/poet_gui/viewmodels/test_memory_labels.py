"""Labels of a picture: near what they name, inside the frame, never on one another."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poet_gui.viewmodels.label_places import Box, Label, in_a_row, place_labels
from poet_gui.viewmodels.memory import memory_curve, memory_top
from poet_gui.viewmodels.memory_labels import Levels, Mark, memory_places, memory_texts
from tests.helpers.traces import story

FRAME = Box(100.0, 50.0, 400.0, 90.0)
SIZES = {
    Mark.OVER: (130.0, 14.0),
    Mark.BUDGET: (120.0, 14.0),
    Mark.PEAK: (90.0, 14.0),
    Mark.FLOOR: (85.0, 14.0),
}


def test_that_labels_with_room_stand_at_their_first_wish() -> None:
    places = memory_places(SIZES, Levels(budget=90.0, floor=130.0, peak=(200.0, 80.0)), FRAME)
    assert places[Mark.OVER] == Box(104.0, 54.0, 130.0, 14.0)
    assert places[Mark.BUDGET] == Box(376.0, 75.0, 120.0, 14.0)  # ends 4 before 500, on 90
    assert places[Mark.PEAK] == Box(208.0, 84.0, 90.0, 14.0)
    assert places[Mark.FLOOR] == Box(104.0, 115.0, 85.0, 14.0)


def test_that_the_floor_goes_below_its_line_where_the_corner_is_taken() -> None:
    # On its line at 70 it would reach from 55 to 69; "over by" stands there from 54 to 68.
    places = memory_places(SIZES, Levels(budget=120.0, floor=70.0, peak=(300.0, 60.0)), FRAME)
    assert places[Mark.FLOOR] == Box(104.0, 72.0, 85.0, 14.0)


def test_that_a_budget_below_the_lower_edge_of_its_label_is_named_under_its_line() -> None:
    places = memory_places(SIZES, Levels(budget=52.0, floor=130.0, peak=None), FRAME)
    assert places[Mark.BUDGET].top == 54.0
    assert Mark.PEAK not in places


@settings(max_examples=50)
@given(
    size=st.tuples(st.floats(60, 1500), st.floats(10, 400)),
    line=st.floats(8, 40),
    lines=st.tuples(st.none() | st.floats(0, 1), st.floats(0, 1)),
    peak=st.none() | st.tuples(st.floats(0, 1), st.floats(0, 1)),
    marks=st.sampled_from([tuple(Mark), tuple(Mark)[1:]]),
)
def test_that_no_two_labels_meet_at_any_budget(
    size: tuple[float, float],
    line: float,
    lines: tuple[float | None, float],
    peak: tuple[float, float] | None,
    marks: tuple[Mark, ...],
) -> None:
    budget, floor = lines
    frame = Box(80.0, 20.0, *size)
    sizes = dict.fromkeys(marks, (7 * line, line))
    levels = Levels(
        budget=None if budget is None else frame.top + budget * frame.height,
        floor=frame.top + floor * frame.height,
        peak=None
        if peak is None
        else (frame.left + peak[0] * frame.width, frame.top + peak[1] * frame.height),
    )
    boxes = memory_places(sizes, levels, frame)
    assert all(frame.holds(box) for box in boxes.values())
    assert not any(one.meets(other) for one, other in combinations(boxes.values(), 2))
    named = {mark for mark in sizes if mark is not Mark.BUDGET or budget is not None}
    named -= {Mark.PEAK} if peak is None else set()
    if frame.width >= 14 * line + 2 and frame.height >= 4 * line + 6:
        assert set(boxes) == named  # two columns and four lines: there is room for all


corners = st.tuples(st.integers(-10, 70), st.integers(-10, 50))
labels_of_any_size = st.builds(
    Label,
    st.integers(4, 40),
    st.integers(4, 20),
    st.lists(corners, min_size=1, max_size=3).map(tuple),
    st.sampled_from([1.0, 0.125]),
)


@settings(max_examples=30)
@given(st.lists(labels_of_any_size, min_size=1, max_size=4))
def test_that_every_label_has_the_nearest_free_place_and_only_without_one_none(
    labels: list[Label],
) -> None:
    frame = Box(0.0, 0.0, 60.0, 40.0)
    places = place_labels(labels, frame)
    taken: list[Box] = []
    for label, place in zip(labels, places, strict=True):
        free = [  # whole pixels are enough: all sizes, wishes and gaps are whole
            (float(x), float(y))
            for x in range(0, 61, 3)
            for y in range(0, 41, 3)
            if frame.holds(box := Box(x, y, label.width, label.height))
            and not any(box.meets(other, 2.0) for other in taken)
        ]
        if place is None:
            assert not free
            continue
        cost = label.cost(place.left, place.top)
        assert all(cost <= label.cost(*corner) + 1e-9 for corner in free)
        taken.append(place)


def test_that_a_budget_out_of_sight_is_named_with_an_arrow() -> None:
    curve = memory_curve(story())
    top = memory_top(curve, 2 * 10**15)
    assert memory_texts(curve, 2 * 10**15, top)[Mark.BUDGET] == "budget 2.00 PB  ↑"
    assert Mark.OVER not in memory_texts(curve, 4000, top)
    assert memory_texts(curve, 3000, top)[Mark.OVER] == "⚠ over by 1000 B"
    assert list(memory_texts(curve, None, top)) == [Mark.PEAK, Mark.FLOOR]


def test_that_texts_in_a_row_give_way_and_the_last_goes_where_there_is_no_room() -> None:
    # 40 wide from 30 on would reach 70; the next must end at 100 and starts at 100 - 50 = 50.
    wanted = [(30.0, 40.0), (80.0, 50.0)]
    assert in_a_row(wanted, room=(0.0, 100.0), gap=5.0) == [5.0, 50.0]
    assert in_a_row(wanted, room=(0.0, 200.0), gap=5.0) == [30.0, 80.0]
    assert in_a_row(wanted, room=(0.0, 94.0), gap=5.0) == [30.0]  # 40 + 5 + 50 is 95


@given(
    st.lists(st.tuples(st.floats(-50, 250), st.floats(1, 90)), max_size=5),
    st.floats(0, 12),
)
def test_that_texts_in_a_row_never_meet_nor_leave_their_room(
    wanted: list[tuple[float, float]], gap: float
) -> None:
    lefts = in_a_row(wanted, room=(0.0, 200.0), gap=gap)
    ends = [left + wanted[k][1] for k, left in enumerate(lefts)]
    assert all(left >= 0 and end <= 200 + 1e-9 for left, end in zip(lefts, ends, strict=True))
    assert all(b - a >= gap - 1e-9 for a, b in zip(ends, lefts[1:], strict=False))
    if sum(width for _, width in wanted) + gap * len(wanted) <= 200:
        assert len(lefts) == len(wanted)


@pytest.mark.parametrize("gap", [0.0, 2.0])
def test_that_edges_that_touch_do_not_meet(gap: float) -> None:
    assert not Box(0, 0, 10, 10).meets(Box(10 + gap, 0, 5, 5), gap)
    assert Box(0, 0, 10, 10).meets(Box(9 + gap, 0, 5, 5), gap)
