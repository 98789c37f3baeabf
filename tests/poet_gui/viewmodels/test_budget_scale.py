"""Where budgets lie on the groove, and which budget a place of the groove means."""

import math
from dataclasses import replace

import pytest

from poet_gui.viewmodels.budget_scale import beyond_device, memory_scale, ram_at, runtime_scale
from solver.costs import CostedGraph, price
from tests.helpers.builders import chain, device_of


@pytest.fixture
def costed() -> CostedGraph:
    # Floor 3000 B; plain peak 6004 B: f1 .. f5, the loss of 4 B and the first gradient.
    return price(chain(5), device_of())


def test_that_the_memory_groove_ends_a_little_above_the_plain_peak(costed: CostedGraph) -> None:
    scale = memory_scale(costed, ())
    assert scale.low == 0
    assert scale.high == pytest.approx(1.075 * 6004)
    assert scale.impossible == pytest.approx(3000 / (1.075 * 6004))
    assert scale.left_text == "floor 2.93 KiB"
    assert scale.right_text == "plain peak 5.86 KiB"


def test_that_places_and_values_are_inverse(costed: CostedGraph) -> None:
    scale = memory_scale(costed, ())
    for place in (0.0, 0.25, 0.5, 1.0):
        assert scale.fraction(scale.value(place)) == pytest.approx(place)


def test_that_what_lies_outside_rests_at_the_ends(costed: CostedGraph) -> None:
    scale = memory_scale(costed, ())
    assert scale.fraction(-5) == 0.0
    assert scale.fraction(10**15) == 1.0


def test_that_a_place_near_a_mark_means_the_mark(costed: CostedGraph) -> None:
    scale = memory_scale(costed, ())
    floor_at = scale.fraction(3000)
    assert ram_at(scale, floor_at + 0.001, costed, 0.002) == 3000
    assert ram_at(scale, floor_at + 0.003, costed, 0.002) != 3000


def test_that_the_runtime_groove_is_open_at_its_end(costed: CostedGraph) -> None:
    scale = runtime_scale(costed, ())
    baseline_s = costed.baseline_runtime_s
    assert scale.value(1.0) == math.inf
    assert scale.fraction(math.inf) == 1.0
    assert scale.impossible == pytest.approx(0.1 / 2.1)  # from 0.9 to 3 baselines
    assert scale.value(0.5) == pytest.approx(1.95 * baseline_s)


def test_that_the_devices_own_ram_is_marked_and_met_exactly() -> None:
    costed = price(chain(5), replace(device_of(), ram_bytes=4096))
    scale = memory_scale(costed, ())
    board = scale.marks[-1]
    assert board.pointed
    assert board.at == pytest.approx(4096 / (1.075 * 6004))
    assert "RAM of test: 4.00 KiB" in scale.tip
    assert ram_at(scale, board.at + 0.001, costed, 0.002) == 4096


def test_that_more_ram_than_the_groove_has_is_not_marked() -> None:
    costed = price(chain(5), replace(device_of(), ram_bytes=10**6))
    scale = memory_scale(costed, ())
    assert [mark.pointed for mark in scale.marks] == [False]
    assert ram_at(scale, 1.0, costed, 0.002) == round(1.075 * 6004)


def test_that_a_budget_beyond_the_device_is_said() -> None:
    costed = price(chain(5), replace(device_of(), ram_bytes=4096))
    assert beyond_device(costed, 4096) == ("", "")
    short, full = beyond_device(costed, 5120)
    assert short == "above the board's 4.00 KiB"
    assert full == "1.00 KiB above the RAM of test, 4.00 KiB"
