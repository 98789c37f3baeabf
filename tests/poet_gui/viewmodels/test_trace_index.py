"""A trace as arrays says for every action where it lies and for every tensor when it is in RAM."""

import numpy as np
import pytest

from poet_gui.viewmodels.trace_index import Axis, Kind, index_trace
from solver.schedule import ActionKind
from solver.simulate import simulate
from tests.helpers.schedules import random_legal_schedule
from tests.helpers.traces import (
    all_zero_trace,
    beside_trace,
    empty_trace,
    many_outputs_trace,
    one_action_trace,
    story,
)


def test_that_each_action_but_a_free_has_a_column_of_its_own() -> None:
    index = index_trace(story())
    assert index.steps == 10  # 19 actions, 9 of them frees
    assert index.step.tolist() == [0, 1, 2, 3, 3, 4, 4, 5, 6, 6, 6, 7, 8, 9, 9, 9, 10, 10, 10]
    assert index.step_action.tolist() == [0, 1, 2, 4, 6, 7, 10, 11, 12, 15]


def test_that_a_free_stands_on_the_border_after_the_column_before_it() -> None:
    index = index_trace(story())
    free_of_f2 = 5
    assert index.begin(Axis.STEP)[free_of_f2] == index.end(Axis.STEP)[free_of_f2] == 4.0
    assert index.place(free_of_f2, Axis.STEP) == 4.0
    assert index.place(4, Axis.STEP) == 3.5  # the column of f3, its middle


def test_that_time_is_that_of_the_trace() -> None:
    trace = story()
    index = index_trace(trace)
    assert index.begin(Axis.TIME).tolist() == trace.start_s.tolist()
    # f1 1 s, f2 1 s, then the page-out of 10 ms: f3 starts at 2.01 s and ends at 3.01 s.
    assert index.begin(Axis.TIME)[4] == pytest.approx(2.01)
    assert index.end(Axis.TIME)[4] == pytest.approx(3.01)


def test_that_spans_begin_with_the_making_and_end_with_the_free() -> None:
    trace = story()
    index, tensor = index_trace(trace), trace.problem.costed.graph.tensor_index
    assert index.span_at(tensor["f1"], 0) == (0, 3)
    assert index.span_at(tensor["f1"], 3) is None  # the free itself: gone
    assert index.span_at(tensor["f1"], 9) is None
    assert index.span_at(tensor["f1"], 10) == (10, 16)
    assert index.span_at(tensor["f2"], 11) == (11, 14)


def test_that_a_tensor_that_is_never_freed_stays_to_the_end() -> None:
    index = index_trace(one_action_trace())
    assert index.span_at(0, 0) == (0, 1)


def test_that_the_next_and_the_last_reading_are_found() -> None:
    trace = story()
    index, tensor = index_trace(trace), trace.problem.costed.graph.tensor_index
    assert index.next_use(tensor["f1"], 0) == 1  # f2 reads it
    assert index.next_use(tensor["f1"], 2) == 2  # the page-out reads it
    assert index.next_use(tensor["f1"], 3) == 11  # f2 again
    assert index.next_use(tensor["f1"], 16) is None
    every = np.arange(len(tensor))
    for action in range(17):
        uses = [index.next_use(int(one), action) for one in every]
        assert index.next_uses(every, action).tolist() == [-1 if u is None else u for u in uses]
    assert index.last_use(tensor["f1"], 9) == 2
    assert index.last_use(tensor["f1"], 0) is None


def test_that_a_place_on_the_axis_belongs_to_the_bar_last_begun() -> None:
    index = index_trace(story())
    assert index.action_at(-5.0, Axis.STEP) == 0
    assert index.action_at(3.0, Axis.STEP) == 4
    assert index.action_at(99.0, Axis.STEP) == 15
    assert index.action_at(2.005, Axis.TIME) == 2  # inside the page-out, 2.00 to 2.01 s


def test_that_both_outputs_of_one_op_are_in_ram_from_its_run() -> None:
    trace = many_outputs_trace()
    index = index_trace(trace)
    assert index.span_at(0, 0) == (0, 2)
    assert index.span_at(1, 0) == (0, 3)


@pytest.mark.parametrize("make", [empty_trace, one_action_trace, all_zero_trace])
@pytest.mark.parametrize("axis", list(Axis))
def test_that_no_axis_ends_at_zero(make, axis: Axis) -> None:
    extent = index_trace(make()).extent(axis)
    assert np.isfinite(extent)
    assert extent > 0


def test_that_an_empty_schedule_has_no_bar_anywhere() -> None:
    assert index_trace(empty_trace()).action_at(0.5, Axis.STEP) == -1


def test_that_spans_agree_with_a_replay_of_random_schedules() -> None:

    for seed in range(40):
        trace = simulate(*random_legal_schedule(seed))
        index, resident = index_trace(trace), set()
        outputs = trace.problem.costed.graph.op_outputs
        for at, action in enumerate(trace.schedule.actions):
            if action.kind.runs_op:
                resident |= set(outputs[action.target])
            elif action.kind is ActionKind.PAGE_IN:
                resident.add(action.target)
            elif action.kind is ActionKind.FREE:
                resident.discard(action.target)
            inside = (index.spans.first <= at) & (at < index.spans.last)
            assert set(index.spans.tensor[inside].tolist()) == resident
        assert np.count_nonzero(index.kind == Kind.FREE) == index.actions - index.steps


def test_that_the_playhead_of_a_long_bar_stands_before_the_bars_that_begin_beside_it() -> None:
    # c runs 4..6 ms, the page-in of a begins with it: at 4 ms RAM is that of c no more.
    index = index_trace(beside_trace())
    assert index.place(0, Axis.TIME) == pytest.approx(0.0005)
    assert index.place(1, Axis.TIME) == pytest.approx(0.001)
    assert index.place(5, Axis.TIME) == pytest.approx(0.0045)
    assert index.place(1, Axis.STEP) == 1.5


def test_that_the_run_under_way_is_known_at_every_action() -> None:
    # c:a c:b o:a x:a c:c i:a c:g: the free of a waits for the end of b.
    index = index_trace(beside_trace())
    assert [index.running(action) for action in range(7)] == [0, 1, 1, None, 4, 4, 6]
    one_by_one = index_trace(story())
    assert one_by_one.running(2) is None
