"""The frontier's scene: curves, points, marks, knees and the texts about them.

chain(3): its floor is 3000 B (b2 with b3, f2 and its output), its plain peak 4004 B, its baseline
9 s and 9 J (3 forward ops of 1, 3 backward ops of 2) and a microjoule for the loss.
"""

import math

import pytest

from poet_gui.viewmodels.frontier import FrontierScene, frontier_scene
from poet_gui.viewmodels.frontier_words import (
    budget_words,
    energy_ticks,
    neighbour,
    place_words,
    point_words,
    points_table,
    same_point,
    shown_point,
)
from solver.problem import Budgets
from tests.helpers.builders import chain, problem_of
from tests.helpers.frontiers import Figures, brackets_of, source

PROBLEM = problem_of(chain(3), 3600)
BASELINE_J = 9.000001
KNOWN: tuple[Figures, ...] = ((3000, 12.0, 12.0), (3500, 10.0, 10.0), (4004, 9.000001, BASELINE_J))
PROVEN = ((3000, None, 11.5), (3500, None, 10.0))


def scene(
    ram_bytes: int = 3600, runtime_s: float | None = None, axis: str = "ram"
) -> FrontierScene:
    known = source(brackets_of(PROBLEM, KNOWN, PROVEN))
    remat = source(brackets_of(PROBLEM, [(3200, 11.0, 14.0)]), "remat-only")
    nothing = source(brackets_of(PROBLEM), "sqrt-n")
    budgets = Budgets(ram_bytes, runtime_s)
    return frontier_scene((known, remat, nothing), PROBLEM.costed, budgets, axis)


def test_that_the_curve_is_a_staircase_that_falls_where_a_schedule_begins_to_fit() -> None:
    main = scene().series[0]
    assert main.x.tolist() == [3000, 3500, 3500, 4004, 4004, 4004]
    assert main.y.tolist() == [12, 12, 10, 10, BASELINE_J, BASELINE_J]


def test_that_a_strategy_without_a_schedule_has_no_curve() -> None:
    assert [one.style.label for one in scene().series] == ["joint", "recompute only"]


def test_that_curves_differ_in_more_than_their_hue() -> None:
    dashes = [one.style.dash for one in scene().series]
    assert len(set(dashes)) == len(dashes)


def test_that_the_gap_lies_between_proof_and_schedule() -> None:
    shown = scene()
    # 11.5 J are proven up to 3000 B, 10 J up to 3500 B, the baseline everywhere.
    assert shown.gap_x.tolist() == [3000, 3001, 3001, 3500, 3500, 3501, 3501, 4004, 4004, 4004]
    assert shown.gap_low_j[:4].tolist() == [11.5, 11.5, 10, 10]
    assert shown.gap_high_j[:4].tolist() == [12, 12, 12, 12]
    assert (shown.gap_low_j <= shown.gap_high_j).all()


def test_that_a_point_is_proven_when_its_bracket_is_closed() -> None:
    points = scene().points
    # At 3000 B 0.5 J of an overhead of 3 J are open; the others meet their bounds.
    assert points.proven.tolist()[:3] == [False, True, True]
    assert points.x.tolist() == [3000, 3500, 4004, 3200]
    assert points.series.tolist() == [0, 0, 0, 1]


def test_that_loading_a_point_sets_the_budget_that_it_needs_and_keeps_the_other() -> None:
    assert scene(runtime_s=20.0).budgets_of(0, Budgets(3600, 20.0)) == Budgets(3000, 20.0)
    along_time = scene(axis="runtime")
    assert along_time.budgets_of(0, Budgets(3600)).ram_bytes == 3600
    assert along_time.budgets_of(0, Budgets(3600)).runtime_s == along_time.points.x[0]


def test_that_only_schedules_that_keep_the_other_budget_count() -> None:
    # Within 11 s the schedule of 12 s is out; within 3600 B the plain one is.
    assert scene(runtime_s=11.0).series[0].x[0] == 3500
    assert scene(axis="runtime").series[0].frontier.corner.tolist() == [10, 12][:1]


def test_that_nothing_is_promised_below_the_floor() -> None:
    shown = scene()
    assert shown.impossible == 3000
    assert shown.x_range[0] < 3000
    title, lines = place_words(shown, 2990.0)
    assert title == "2.92 KiB"
    assert lines == ("impossible: no schedule fits",)


def test_that_a_proof_of_impossibility_moves_the_edge() -> None:
    known = source(brackets_of(PROBLEM, [(3500, 10.0, 10.0)], [(3200, None, math.inf)]))
    shown = frontier_scene((known,), PROBLEM.costed, Budgets(3600), "ram")
    assert shown.impossible == 3201


def test_that_without_schedules_the_gap_is_open_upwards() -> None:
    shown = frontier_scene((source(brackets_of(PROBLEM)),), PROBLEM.costed, Budgets(3600), "ram")
    assert len(shown.points) == 0
    assert math.isinf(shown.gap_high_j[0])
    assert shown.y_range[0] < shown.y_range[1]
    lines = place_words(shown, 3300.0)[1]
    assert lines == ("at least 9.000 J", "no schedule known yet")


def test_that_floor_plain_peak_and_budget_are_marked() -> None:
    shown = scene()
    assert [mark.text for mark in shown.marks] == ["floor 2.93 KiB", "plain peak 3.91 KiB"]
    assert shown.budget == 3600
    assert scene(axis="runtime").budget is None
    assert shown.caption == "energy against RAM · no runtime limit · √ scale"


@pytest.mark.parametrize(
    ("ram_bytes", "words"),
    [(1024, "← budget 1.00 KiB"), (3584, "budget 3.50 KiB ↔"), (2**20, "budget 1.00 MiB →")],
)
def test_that_a_budget_out_of_sight_is_named_with_the_way_to_it(ram_bytes: int, words: str) -> None:
    assert budget_words(scene(ram_bytes)) == words
    assert budget_words(scene(axis="runtime")) == "no limit ↔"


def test_that_a_knee_is_named_and_leads_to_its_point() -> None:
    # The corners (0, 1), (0.1, 0.2), (1, 0) of the unit square: the second lies far below the
    # chord, so more budget saves little from there on.
    known = source(brackets_of(PROBLEM, [(3000, 12.0, 19.0), (3100, 11.0, 11.0),
                                         (4004, 9.0, BASELINE_J)]))  # fmt: skip
    shown = frontier_scene((known,), PROBLEM.costed, Budgets(3600), "ram")
    assert [mark.text for mark in shown.knees] == ["knee 1 · 3.03 KiB, 11.00 J"]
    assert shown.points.x[shown.knees[0].point] == 3100


def test_that_knees_are_certain_only_where_the_curve_is() -> None:
    schedules = [(3000, 12.0, 12.0), (3100, 11.0, 11.0), (4004, 9.0, BASELINE_J)]
    # 12 J are proven up to 3099 B, 11 J up to `end`: from there to 4004 B only the baseline is.
    for end, settled in ((4003, True), (3995, True), (3985, False), (3100, False)):
        bounds = [(3099, None, 12.0), (end, None, 11.0)]
        known = source(brackets_of(PROBLEM, schedules, bounds))
        shown = frontier_scene((known,), PROBLEM.costed, Budgets(3600), "ram")
        assert shown.settled is settled  # open: 0, 8, 18 and 903 of 1004 B; 10 are allowed


def test_that_a_place_tells_a_rule_of_thumb_that_found_none_from_a_proof() -> None:
    known = source(brackets_of(PROBLEM, KNOWN, PROVEN))
    rule = source(brackets_of(PROBLEM, [(3800, 12.0, 11.0)], [(3400, None, math.inf)]), "sqrt-n")
    remat = source(
        brackets_of(PROBLEM, [(3600, 12.0, 11.0)], [(3400, None, math.inf)]), "remat-only"
    )
    sources = (known, remat, rule)
    shown = frontier_scene(sources, PROBLEM.costed, Budgets(3600), "ram")
    assert place_words(shown, 3300.0)[1][1:] == (
        "recompute only: proven impossible",
        "√n: this rule of thumb found none here",
    )
    assert place_words(shown, 3500.0)[1][1:] == (
        "recompute only: none known yet",
        "√n: this rule of thumb found none here",
    )
    assert place_words(shown, 3900.0)[1][1:] == ()


def test_that_rows_of_almost_the_same_ram_are_told_apart() -> None:
    # 3.000 and 3.001 KiB
    known = source(brackets_of(PROBLEM, [(3072, 12.0, 12.0), (3073, 12.0, 11.0)]))
    shown = frontier_scene((known,), PROBLEM.costed, Budgets(3600), "ram")
    sizes = points_table(shown).columns[1]
    assert [sizes.text(row) for row in range(2)] == ["3.000 KiB", "3.001 KiB"]


def test_that_the_card_of_a_point_says_what_is_proven_there() -> None:
    title, lines = point_words(scene(), 0)
    assert title == "joint · 2.93 KiB"
    # 12 J / 9 J; 0.5 J / 12 J.
    assert lines[0] == "12.00 J, +33.3 % above the baseline"
    assert lines[1] == "at least 11.50 J, gap 4.2 %"
    assert lines[2] == "needs 3,000 B, 12.0 s"
    assert point_words(scene(), 1)[1][1] == "proven: nothing that fits needs less"


def test_that_between_points_the_bracket_is_told() -> None:
    assert place_words(scene(), 3300.0)[1] == ("10.00 J … 12.00 J, proven",)


def test_that_the_table_has_a_row_per_point() -> None:
    table = points_table(scene())
    assert table.rows == 4
    texts = [[column.text(row) for column in table.columns] for row in (0, 3)]
    assert texts[0] == ["joint", "2.93 KiB", "12.0 s", "12.00 J", "11.50 J", "4.2 %"]
    assert texts[1][0] == "recompute only"
    assert table.action.tolist() == [0, 1, 2, 3]


def test_that_arrows_walk_along_a_curve_and_across_to_the_nearest_point() -> None:
    shown = scene()
    first = neighbour(shown, None, along=1, across=0)
    assert first == 1  # 3500 B is nearest to the budget of 3600 B
    assert neighbour(shown, 1, along=1, across=0) == 2
    assert neighbour(shown, 2, along=1, across=0) == 2
    assert neighbour(shown, 0, along=-1, across=0) == 0
    assert neighbour(shown, 1, along=0, across=1) == 3
    assert neighbour(shown, 3, along=0, across=-1) == 0  # 3000 B is nearer to 3200 B
    assert neighbour(shown, 3, along=0, across=1) == 3


def test_that_there_is_no_neighbour_without_points() -> None:
    empty = frontier_scene((source(brackets_of(PROBLEM)),), PROBLEM.costed, Budgets(3600), "ram")
    assert neighbour(empty, None, along=1, across=0) is None


def test_that_a_point_is_found_again_in_another_scene() -> None:
    brackets = brackets_of(PROBLEM, KNOWN)
    before = frontier_scene((source(brackets),), PROBLEM.costed, Budgets(3600), "ram")
    schedule = before.points.schedules[1]
    brackets.add_stored(brackets_of(PROBLEM, [(3200, 11.0, 11.0)]).schedules[0])
    after = frontier_scene((source(brackets),), PROBLEM.costed, Budgets(3600), "ram")
    assert same_point(after, schedule, "joint") == 2
    assert same_point(after, schedule, "remat-only") is None


def test_that_the_point_on_screen_is_the_cheapest_that_fits() -> None:
    assert shown_point(scene(), Budgets(3600)) == 1
    assert shown_point(scene(), Budgets(2999)) is None


def test_that_several_strategies_are_spread_by_the_root() -> None:
    shown = scene()
    low, high = shown.y_range
    quarter = shown.height(shown.series[0].y * 0 + low + 0.25 * (high - low))
    assert quarter[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (545.0, 620.0, 4, [560, 580, 600, 620]),
        (0.0, 1.0, 5, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (1.0, 1.0, 5, []),
        (0.0, 1.0, 0, []),
    ],
)
def test_that_ticks_are_round(low: float, high: float, most: int, ticks: list[float]) -> None:
    assert energy_ticks(low, high, most) == pytest.approx(ticks)
