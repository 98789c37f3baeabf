"""Bars become whole pixels: what is outside is left out, what is thin stays visible."""

import numpy as np

from poet_gui.viewmodels.bar_layout import Viewport, place_bars, visible_strips
from poet_gui.viewmodels.timeline import timeline_scene
from poet_gui.viewmodels.trace_index import Axis
from tests.helpers.traces import big_trace, story


def view(*, scale: float, offset: float = 0.0, width: float = 100.0, lanes=(0, 7)) -> Viewport:
    return Viewport(
        Axis.STEP, scale, offset, width, 20.0, 0.0, first_lane=lanes[0], last_lane=lanes[1]
    )


def test_that_only_lanes_in_sight_are_drawn() -> None:
    bars = timeline_scene(story()).bars
    seen = visible_strips(bars, view(scale=10.0, lanes=(1, 3)))
    assert set(bars.row[seen].tolist()) == {1, 2}


def test_that_bars_that_end_at_the_left_edge_are_left_out_only_beyond_it() -> None:
    bars = timeline_scene(story()).bars
    # Columns 2.5 to 5 in sight: 40 pixels a column, the offset moves 2.5 columns out.
    seen = visible_strips(bars, view(scale=40.0, offset=-100.0))
    assert sorted(bars.step0[seen].tolist()) == [2.0, 3.0, 4.0]


def test_that_bars_stand_on_whole_pixels_with_a_gap_between_neighbours() -> None:
    bars = timeline_scene(story()).bars
    chosen = np.flatnonzero(bars.row == 1)  # f2 at columns 1 and 7
    placed = place_bars(bars, chosen, view(scale=10.0))
    assert placed.x.tolist() == [10.0, 70.0]
    assert placed.width.tolist() == [9.0, 9.0]
    assert placed.y.tolist() == [20.0, 20.0]


def test_that_bars_thinner_than_a_pixel_are_merged_but_never_lost() -> None:
    scene = timeline_scene(big_trace(depth=60, stride=20))
    bars = scene.bars
    lane = scene.lane_names.index("f10")
    chosen = np.flatnonzero(bars.row == lane)
    wide = view(scale=10.0, width=10.0 * scene.index.steps, lanes=(0, scene.lanes))
    narrow = view(scale=0.1, width=0.1 * scene.index.steps, lanes=(0, scene.lanes))
    assert len(place_bars(bars, chosen, wide).x) == len(chosen)
    merged = place_bars(bars, chosen, narrow)
    columns = set(np.floor(bars.step0[chosen] * 0.1).tolist())
    assert set(merged.x.tolist()) == columns  # one per pixel column that has a bar
    assert len(merged.x) == len(columns)
    assert merged.width.min() == 1.0


def test_that_a_bar_far_wider_than_the_screen_is_cut_to_it() -> None:
    bars = timeline_scene(story()).bars
    # The bar of column 0 reaches from pixel -5e8 to pixel 5e8.
    placed = place_bars(bars, np.array([0]), view(scale=1e9, offset=-5e8))
    assert placed.x[0] >= -10.0
    assert placed.width[0] <= 120.0
