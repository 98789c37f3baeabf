"""Lanes: one per tensor in first-made order, every action in its place, nothing lost."""

import numpy as np
import pytest

from poet_gui.viewmodels.timeline import NO_TENSOR, timeline_scene
from poet_gui.viewmodels.trace_index import Axis, Kind
from tests.helpers.builders import Line, graph_of, problem_of
from tests.helpers.traces import (
    all_zero_trace,
    beside_trace,
    empty_trace,
    many_outputs_trace,
    one_action_trace,
    story,
    trace_of,
    words,
)


def lane_bars(scene, name: str) -> list[tuple[str, float, float]]:
    lane = scene.lane_names.index(name)
    part = slice(scene.bars.row_start[lane], scene.bars.row_start[lane + 1])
    rows = zip(scene.bars.kind[part], scene.bars.step0[part], scene.bars.step1[part], strict=True)
    return [(Kind(int(kind)).name, float(x0), float(x1)) for kind, x0, x1 in rows]


def lane_strips(strips, lane: int, axis: Axis = Axis.STEP) -> list[tuple[float, float]]:
    begin, end = strips.edges(axis)
    part = slice(strips.row_start[lane], strips.row_start[lane + 1])
    return list(zip(begin[part].tolist(), end[part].tolist(), strict=True))


def test_that_lanes_stand_in_the_order_in_which_tensors_are_first_made() -> None:
    scene = timeline_scene(story())
    assert scene.lane_names == ("f1", "f2", "f3", "loss", "b3", "b2", "b1")
    assert scene.lane_sizes[3] == "4 B"


def test_that_all_four_kinds_stand_in_their_tensors_lane_at_their_column() -> None:
    scene = timeline_scene(story())
    assert lane_bars(scene, "f1") == [
        ("COMPUTE", 0.0, 1.0),
        ("PAGE_OUT", 2.0, 3.0),
        ("PAGE_IN", 6.0, 7.0),
    ]
    assert lane_bars(scene, "f2") == [("COMPUTE", 1.0, 2.0), ("RECOMPUTE", 7.0, 8.0)]
    assert len(scene.bars) == 10  # every action that is not a free


def test_that_ram_and_storage_are_intervals_of_the_lane() -> None:
    scene = timeline_scene(story())
    assert lane_strips(scene.resident, 0) == [(0.0, 3.0), (6.0, 10.0)]
    # The copy exists from the end of the page-out and is read last by the page-in of column 6.
    assert lane_strips(scene.stored, 0) == [(3.0, 6.0)]
    # Time: the page-out ends at 2.01 s; f3, loss, b3 take 1 + 0.000001 + 2 s.
    [(begin, end)] = lane_strips(scene.stored, 0, Axis.TIME)
    assert (begin, end) == (pytest.approx(2.01), pytest.approx(5.010001))


def test_that_a_stored_input_is_in_storage_from_the_start_to_its_last_page_in() -> None:
    lines = [Line("in", "f", 10, 0.0, stored=True), Line("a", "f", 10, 1.0, ("in",))]
    trace = trace_of(problem_of(graph_of(lines), 100), words("c:in x:in i:in c:a"))
    scene = timeline_scene(trace)
    assert lane_strips(scene.stored, 0) == [(0.0, 1.0)]


def test_that_an_op_of_two_outputs_has_a_bar_in_each_lane() -> None:
    scene = timeline_scene(many_outputs_trace())
    assert lane_bars(scene, "left") == [("COMPUTE", 0.0, 1.0)]
    assert lane_bars(scene, "right") == [("COMPUTE", 0.0, 1.0)]


def test_that_ops_without_output_share_one_last_lane() -> None:
    scene = timeline_scene(many_outputs_trace())
    assert scene.lane_names[-1] == "weight updates"
    assert scene.lane_tensor[-1] == NO_TENSOR
    assert lane_bars(scene, "weight updates") == [("COMPUTE", 2.0, 3.0)]
    assert NO_TENSOR not in scene.lane_of_tensor


def test_that_picking_finds_the_bar_under_a_place_and_the_nearest_within_the_slack() -> None:
    scene = timeline_scene(story())
    under = scene.pick(0, 2.5, Axis.STEP)
    assert under is not None
    assert scene.bars.action[under] == 2  # the page-out
    assert scene.pick(0, 4.0, Axis.STEP) is None
    near = scene.pick(0, 3.1, Axis.STEP, slack=0.2)
    assert near == under
    later = scene.pick(0, 5.9, Axis.STEP, slack=0.2)
    assert later is not None
    assert scene.bars.action[later] == 10  # the page-in of column 6
    assert scene.pick(99, 0.0, Axis.STEP) is None


def test_that_a_bar_of_no_duration_can_be_picked_on_the_time_axis() -> None:
    scene = timeline_scene(all_zero_trace())
    assert scene.pick(0, 0.0, Axis.TIME, slack=0.01) is not None


@pytest.mark.parametrize(
    ("make", "lanes"), [(empty_trace, 0), (one_action_trace, 1), (all_zero_trace, 2)]
)
def test_that_odd_schedules_have_finite_lanes(make, lanes: int) -> None:
    scene = timeline_scene(make())
    assert scene.lanes == lanes
    for strips in (scene.bars, scene.resident, scene.stored):
        for axis in Axis:
            begin, end = strips.edges(axis)
            assert np.isfinite(begin).all()
            assert (end >= begin).all()


def test_that_overlapping_transfers_stand_in_a_lane_beside_that_of_the_processor() -> None:
    scene = timeline_scene(beside_trace())
    assert scene.lane_names == ("processor", "transfers", "a", "b", "c", "g")
    assert scene.lane_sizes[:3] == ("", "", "100 B")
    assert lane_bars(scene, "processor") == [
        ("COMPUTE", 0.0, 1.0), ("COMPUTE", 1.0, 2.0), ("COMPUTE", 3.0, 4.0), ("COMPUTE", 5.0, 6.0)
    ]  # fmt: skip
    assert lane_bars(scene, "transfers") == [("PAGE_OUT", 2.0, 3.0), ("PAGE_IN", 4.0, 5.0)]
    assert lane_bars(scene, "a") == [
        ("COMPUTE", 0.0, 1.0), ("PAGE_OUT", 2.0, 3.0), ("PAGE_IN", 4.0, 5.0)
    ]  # fmt: skip
    assert scene.lane_of_tensor == {0: 2, 1: 3, 2: 4, 3: 5}


def test_that_bars_of_the_two_units_overlap_on_the_time_axis() -> None:
    scene = timeline_scene(beside_trace())
    begins, ends = scene.bars.edges(Axis.TIME)
    rows = scene.bars.row
    assert begins[rows == 0] == pytest.approx([0, 0.001, 0.004, 0.006])
    assert ends[rows == 0] == pytest.approx([0.001, 0.004, 0.006, 0.008])
    assert begins[rows == 1] == pytest.approx([0.001, 0.004])  # beside b, and beside c
    assert ends[rows == 1] == pytest.approx([0.002, 0.005])


def test_that_one_unit_after_the_other_needs_no_lanes_of_its_own() -> None:
    assert timeline_scene(story()).units == 0
    assert timeline_scene(beside_trace()).units == 2
