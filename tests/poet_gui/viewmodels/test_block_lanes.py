"""Lanes and rows of blocks: every action in its block, nothing lost, sums that agree."""

import numpy as np
import pytest

from poet_gui.viewmodels.block_lanes import block_scene, lanes_scene
from poet_gui.viewmodels.block_table import blocks_table
from poet_gui.viewmodels.hover import bar_text, lane_text, name_text
from poet_gui.viewmodels.timeline import NO_TENSOR, TimelineScene
from poet_gui.viewmodels.trace_index import Axis, Kind
from solver.blocks import Blocks, Division
from solver.simulate import Trace
from tests.helpers.traces import beside_trace, big_trace, story

# f1 f2 and their gradients b2 b1 are one block; f3, loss, b3 the other
TWO = Blocks(("first", "second"), (0, 0, 1, 1, 1, 0, 0), Division.NAMES)


def scene_of(trace: Trace) -> TimelineScene:
    assert [op.name for op in trace.problem.costed.graph.ops] == [
        "f1", "f2", "f3", "loss", "b3", "b2", "b1",
    ]  # fmt: skip
    return block_scene(trace, TWO)


def spans(scene: TimelineScene, lane: int, axis: Axis = Axis.STEP) -> list[tuple[float, float]]:
    begin, end = scene.resident.edges(axis)
    part = slice(scene.resident.row_start[lane], scene.resident.row_start[lane + 1])
    return list(zip(begin[part].tolist(), end[part].tolist(), strict=True))


def test_that_each_block_has_a_lane_with_a_bar_for_each_of_its_actions() -> None:
    scene = scene_of(story())  # f1 f2 out:f1 f3 loss b3 in:f1 again:f2 b2 b1

    kinds = [Kind(int(kind)).name for kind in scene.bars.kind[: scene.bars.row_start[1]]]

    assert scene.lane_names == ("first", "second")
    assert kinds == [
        "COMPUTE", "COMPUTE", "PAGE_OUT", "PAGE_IN", "RECOMPUTE", "COMPUTE", "COMPUTE",
    ]  # fmt: skip
    assert len(scene.bars) == 10  # every action that is not a free


def test_that_a_block_holds_ram_while_any_of_its_tensors_does() -> None:
    scene = scene_of(story())

    # f1 is there in [0, 3) and [6, 10), f2 in [1, 4) and [7, 9), b2 and b1 to the end
    assert spans(scene, 0)[0] == (0.0, 4.0)
    assert spans(scene, 0)[1] == (6.0, 10.0)


def test_that_a_lane_says_what_its_block_holds_at_most() -> None:
    scene = scene_of(story())

    title, lines = name_text(scene, 0)
    assert title == "first"
    assert lines[0].startswith("4 ops, 4 tensors, at most ")
    assert scene.lane_sizes[0] in lines[0]
    assert lane_text(scene, 0, 4.5, Axis.STEP)[1] == lines
    assert bar_text(scene, 0)[0].endswith("f1")


def test_that_a_tensor_leads_to_the_lane_of_its_block() -> None:
    scene = scene_of(story())
    tensors = scene.index.trace.problem.costed.graph.tensor_index

    assert scene.lane_of_tensor[tensors["b2"]] == 0
    assert scene.lane_of_tensor[tensors["b3"]] == 1
    assert set(scene.lane_tensor.tolist()) == {NO_TENSOR}


def test_that_lanes_of_the_units_stay_above_where_transfers_overlap() -> None:
    trace = beside_trace()
    ops = len(trace.problem.costed.graph.ops)
    scene = block_scene(trace, Blocks(("all",), (0,) * ops, Division.CUTS))

    assert scene.lane_names == ("processor", "transfers", "all")
    per_lane = np.diff(scene.bars.row_start).tolist()
    assert per_lane[0] + per_lane[1] == per_lane[2]


def test_that_blocks_are_shown_on_demand_and_tensors_again_after() -> None:
    trace = big_trace(depth=30, stride=6)

    by_block, by_tensor = (lanes_scene(trace, by_block=wanted) for wanted in (True, False))

    assert 1 < by_block.lanes < by_tensor.lanes
    assert by_tensor.lanes == lanes_scene(trace, by_block=False).lanes


def test_that_a_model_without_blocks_keeps_the_lanes_of_its_tensors() -> None:
    assert lanes_scene(story(), by_block=True).lanes == 7


def test_that_the_rows_of_blocks_add_up_to_the_schedule() -> None:
    trace = big_trace(depth=30, stride=6)
    table = blocks_table(trace)
    by_title = {column.title: column for column in table.columns}

    assert by_title["energy"].keys.sum() == pytest.approx(trace.total_energy_j)
    assert by_title["overhead"].keys.sum() == pytest.approx(
        trace.total_energy_j - trace.problem.costed.baseline_energy_j
    )
    assert by_title["ops"].keys.sum() == len(trace.problem.costed.graph.ops)
    runs = sum(action.kind == "recompute" for action in trace.schedule.actions)
    assert by_title["recomputes"].keys.sum() == runs
    assert (table.tensor >= 0).all()
