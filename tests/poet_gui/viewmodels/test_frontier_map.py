"""The map over both budgets: brackets of a coarse grid, as levels and texts."""

import math

from poet_gui.viewmodels.frontier_map import COLUMNS, ROWS, map_scene, map_table
from solver.problem import Budgets
from tests.helpers.builders import chain, problem_of
from tests.helpers.frontiers import brackets_of

PROBLEM = problem_of(chain(3), 3600)
KNOWN = brackets_of(
    PROBLEM,
    [(3000, 12.0, 12.0), (3500, 10.0, 10.0)],
    [(3500, None, 9.95), (3000, 9.5, math.inf)],
)


def test_that_the_grid_goes_from_floor_to_plain_peak_and_to_no_limit() -> None:
    scene = map_scene(KNOWN, PROBLEM.costed, PROBLEM.budgets)
    assert scene.shape == (ROWS, COLUMNS)
    assert (scene.ram_bytes[0], scene.ram_bytes[-1]) == (3000, 4004)
    assert scene.runtime_s[0] == PROBLEM.costed.baseline_runtime_s
    assert scene.runtime_s[-2] == 12.0  # the longest schedule known
    assert math.isinf(scene.runtime_s[-1])


def test_that_each_cell_holds_what_is_known_of_its_budgets() -> None:
    scene = map_scene(KNOWN, PROBLEM.costed, PROBLEM.budgets)
    for row in range(ROWS):
        for column in range(COLUMNS):
            bracket = KNOWN.bracket(scene.budgets(row, column))
            assert scene.lower_j[row, column] == bracket.low_j
            best_j = scene.best_j[row, column]
            assert best_j == (math.inf if bracket.high_j is None else bracket.high_j)


def test_that_energies_fall_from_cell_to_looser_cell() -> None:
    best = map_scene(KNOWN, PROBLEM.costed, PROBLEM.budgets).best_j
    assert (best[1:] <= best[:-1]).all()
    assert (best[:, 1:] <= best[:, :-1]).all()


def test_that_cells_say_no_unknown_or_how_much_more() -> None:
    scene = map_scene(KNOWN, PROBLEM.costed, PROBLEM.budgets)
    assert scene.text(0, 0) == "no"  # 9 s with 3000 B are proven impossible
    assert scene.text(0, COLUMNS - 1) == "?"
    assert scene.text(ROWS - 1, 0) == "+33"  # 12 J / 9 J
    assert scene.words(0, 0)[1] == ("impossible: no schedule fits",)
    assert scene.words(ROWS - 1, 0)[0] == "2.93 KiB, no limit"


def test_that_the_level_is_the_share_of_the_highest_overhead() -> None:
    level = map_scene(KNOWN, PROBLEM.costed, PROBLEM.budgets).level
    assert level[ROWS - 1, 0] == 1.0
    # From 3500 B on 10 J: 1 J of 3 J overhead.
    assert abs(level[ROWS - 1, COLUMNS - 1] - 1 / 3) < 1e-6
    assert math.isnan(level[0, 0])


def test_that_the_present_budgets_have_a_cell() -> None:
    assert map_scene(KNOWN, PROBLEM.costed, Budgets(4004)).here == (ROWS - 1, COLUMNS - 1)
    assert map_scene(KNOWN, PROBLEM.costed, Budgets(2999, 1.0)).here == (0, 0)


def test_that_the_table_names_every_cell() -> None:
    scene = map_scene(KNOWN, PROBLEM.costed, PROBLEM.budgets)
    table = map_table(scene)
    assert table.rows == ROWS * COLUMNS
    last = [column.text(table.rows - 1) for column in table.columns]
    assert last == ["3.91 KiB", "no limit", "10.00 J", "9.000 J", "+11"]
