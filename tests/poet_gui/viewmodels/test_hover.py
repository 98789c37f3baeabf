"""What the card beside the pointer and the sum of a range say."""

from poet_gui.viewmodels.hover import bar_text, lane_text, name_text, range_text
from poet_gui.viewmodels.timeline import timeline_scene
from poet_gui.viewmodels.trace_index import Axis, index_trace
from tests.helpers.traces import beside_trace, many_outputs_trace, story


def test_that_a_bar_says_kind_name_place_energy_and_ram() -> None:
    scene = timeline_scene(story())
    bar = scene.pick(1, 7.5, Axis.STEP)
    assert bar is not None
    assert bar_text(scene, bar) == (
        "recompute · f2",
        ("f2, 1000 B", "step 8 · 5.02 s, lasts 1.00 s", "energy 1.000 J (10.0 %)", "RAM 2.93 KiB"),
    )


def test_that_an_empty_place_says_whether_the_tensor_is_in_ram_in_storage_or_nowhere() -> None:
    scene = timeline_scene(story())
    assert lane_text(scene, 0, 1.5, Axis.STEP) == ("f1", ("1000 B, in RAM",))
    assert lane_text(scene, 0, 4.5, Axis.STEP) == ("f1", ("1000 B, in storage",))
    assert lane_text(scene, 1, 5.5, Axis.STEP) == ("f2", ("1000 B, not in RAM",))


def test_that_a_name_is_told_whole_with_its_size_and_producer() -> None:
    scene = timeline_scene(story())
    assert name_text(scene, 4) == ("b3", ("1000 B", "made by b3"))


def test_that_the_lane_of_silent_ops_explains_itself() -> None:
    scene = timeline_scene(many_outputs_trace())
    title, [line] = lane_text(scene, 3, 0.5, Axis.STEP)
    assert title == "weight updates"
    assert "leaves no tensor" in line


def test_that_a_range_sums_up_what_lies_partly_in_it() -> None:
    index = index_trace(story())
    # Steps 8 and 9: f2 again (1 J, 1 s), b2 (2 J, 2 s, RAM 4000 B).
    assert range_text(index, 7.5, 9.0, Axis.STEP) == (
        "steps 8–9: 2 actions, 3.000 J, 3.00 s, RAM up to 3.91 KiB"
    )
    assert range_text(index, 50.0, 60.0, Axis.STEP) == "nothing in this range"


def test_that_the_lanes_of_the_units_explain_themselves() -> None:
    scene = timeline_scene(beside_trace())
    assert name_text(scene, 0) == ("processor", ("what it computes, one op at a time",))
    assert "beside it" in lane_text(scene, 1, 0.0, Axis.STEP)[1][0]
    page_out = scene.pick(1, 2.5, Axis.STEP)
    assert page_out is not None
    assert bar_text(scene, page_out)[0] == "page out · a"
