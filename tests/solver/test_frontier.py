"""Claim: between solved budgets the least energy lies between two staircases that never rise."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.brackets import Brackets, StoredSchedule
from solver.costs import CostedGraph
from solver.frontier import Frontier, along_ram, along_runtime, knees
from solver.problem import Budgets, Problem
from solver.schedule import Schedule
from tests.helpers.builders import chain, problem_of


@pytest.fixture
def problem() -> Problem:
    """chain(4): floor 3000 B, plain peak 5004 B, baseline 12.000001 J and 12.000001 s."""
    return problem_of(chain(4), 3004)


@pytest.fixture
def costed(problem: Problem) -> CostedGraph:
    return problem.costed


def stored(peak_bytes: int, energy_j: float, runtime_s: float = 13.0) -> StoredSchedule:
    return StoredSchedule(peak_bytes, runtime_s, energy_j, Schedule(()))


def test_that_nothing_known_leaves_everything_open(problem: Problem, costed: CostedGraph) -> None:
    frontier = along_ram(Brackets(problem), costed, None)

    assert frontier.position.tolist() == [3000, 5004]
    assert frontier.best_j.tolist() == [math.inf, math.inf]
    assert frontier.lower_j == pytest.approx([12.000001, 12.000001])
    assert math.inf in frontier.gap_j
    assert frontier.corners == ()
    assert knees(frontier) == ()


def test_that_a_schedule_serves_from_its_peak_on_and_a_proof_up_to_its_budget(
    problem: Problem, costed: CostedGraph
) -> None:
    brackets = Brackets(problem)
    brackets.add_stored(stored(4000, 14.0))
    brackets.add_stored(stored(3200, 15.0))
    brackets.add_bound(Budgets(4500), 13.5)

    frontier = along_ram(brackets, costed, None)

    # The proof for 4500 B holds up to 4500 B and no longer at 4501 B.
    assert frontier.position.tolist() == [3000, 3200, 4000, 4501, 5004]
    assert frontier.best_j.tolist() == [math.inf, 15, 14, 14, 14]
    assert frontier.lower_j == pytest.approx([13.5, 13.5, 13.5, 12.000001, 12.000001])
    assert frontier.at(3999) == (13.5, 15.0)
    assert frontier.at(4500) == (13.5, 14.0)
    assert frontier.solved.tolist() == [4500]
    assert frontier.corner.tolist() == [3200, 4000]
    assert frontier.gap_j == pytest.approx([math.inf, 1.5, 0.5, 1.999999, 1.999999])


def test_that_a_runtime_limit_leaves_out_slower_schedules_and_proofs_for_less_time(
    problem: Problem, costed: CostedGraph
) -> None:
    brackets = Brackets(problem)
    brackets.add_stored(stored(3200, 13.0, runtime_s=20.0))
    brackets.add_stored(stored(4000, 14.0, runtime_s=13.0))
    brackets.add_bound(Budgets(4000, 13.0), 13.9)
    brackets.add_bound(Budgets(4000), 12.5)

    # Within 15 s: the slower schedule does not count, the proof for 13 s says nothing.
    within = along_ram(brackets, costed, 15.0)

    assert within.corner.tolist() == [4000]
    assert within.at(3500) == (12.5, math.inf)


def test_that_impossible_is_infinite_and_not_a_gap(problem: Problem, costed: CostedGraph) -> None:
    brackets = Brackets(problem)
    brackets.add_bound(Budgets(3499), math.inf)
    brackets.add_stored(stored(3500, 12.000001))

    frontier = along_ram(brackets, costed, None)

    assert frontier.at(3499) == (math.inf, math.inf)
    assert max(frontier.gap_j) == pytest.approx(0.0)


def test_that_a_limit_below_the_baseline_makes_all_of_it_impossible(
    problem: Problem, costed: CostedGraph
) -> None:
    frontier = along_ram(Brackets(problem), costed, 11.0)

    assert np.isinf(frontier.lower_j[:-1]).all()
    assert frontier.at(5004) == (math.inf, math.inf)


def test_that_the_runtime_axis_reaches_to_the_slowest_known(
    problem: Problem, costed: CostedGraph
) -> None:
    brackets = Brackets(problem)
    brackets.add_stored(stored(3000, 12.5, runtime_s=20.0))
    brackets.add_stored(stored(3500, 14.0, runtime_s=15.0))
    brackets.add_bound(Budgets(3500, 15.0), 13.0)

    frontier = along_runtime(brackets, costed, 3500)

    assert frontier.position[0] == pytest.approx(12.000001)
    assert frontier.position[-1] == 20.0
    assert frontier.at(14.0) == (13.0, math.inf)
    assert frontier.at(15.0) == (13.0, 14.0)
    # A moment later the proof no longer holds.
    assert frontier.at(15.000001) == (pytest.approx(12.000001), 14.0)
    assert along_runtime(brackets, costed, 3400).corner.tolist() == [20.0]


def test_that_the_arrays_cannot_be_changed(problem: Problem, costed: CostedGraph) -> None:
    frontier = along_ram(Brackets(problem), costed, None)

    with pytest.raises(ValueError, match="read-only"):
        frontier.best_j[0] = 1.0


AMOUNTS = st.integers(0, 20)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS), max_size=8),
    st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, st.booleans()), max_size=8),
    st.one_of(st.none(), AMOUNTS),
    AMOUNTS,
)
@pytest.mark.slow
def test_that_the_curves_are_what_the_brackets_say_everywhere_and_never_rise(
    schedules: list[tuple[int, int, int]],
    bounds: list[tuple[int, int, int, bool]],
    limit: int | None,
    ram: int,
) -> None:
    problem = problem_of(chain(4), 3004)
    brackets = Brackets(problem)
    for peak, runtime, energy in schedules:
        brackets.add_stored(stored(3000 + 100 * peak, 13.0 + energy, 12.1 + runtime))
    for size, runtime, energy, limited in bounds:
        budgets = Budgets(3000 + 100 * size, 12.1 + runtime if limited else None)
        brackets.add_bound(budgets, math.inf if energy == 20 else 13.0 + energy)
    runtime_s = None if limit is None else 12.1 + limit

    for frontier, make in (
        (along_ram(brackets, problem.costed, runtime_s), lambda x: Budgets(int(x), runtime_s)),
        (
            along_runtime(brackets, problem.costed, 3000 + 100 * ram),
            lambda x: Budgets(3000 + 100 * ram, x),
        ),
    ):
        assert (frontier.lower_j <= frontier.best_j).all()
        for curve in (frontier.lower_j, frontier.best_j):
            assert (np.diff(curve[np.isfinite(curve)]) <= 0).all()
            assert (np.diff(np.isinf(curve).astype(int)) <= 0).all()
        ends = frontier.position[-1]
        for place in [*frontier.position.tolist(), *(frontier.position[:-1] + 1).tolist()]:
            if place <= ends:
                bracket = brackets.bracket(make(place))
                lower, best = frontier.at(place)
                assert lower == pytest.approx(bracket.low_j)
                assert best == (math.inf if bracket.high_j is None else bracket.high_j)


def curve(problem: Problem, points: list[tuple[int, float]]) -> Frontier:
    brackets = Brackets(problem)
    for peak, energy in points:
        brackets.add_stored(stored(peak, energy))
    return along_ram(brackets, problem.costed, None)


def test_that_the_knee_is_where_the_energy_stops_falling_steeply(problem: Problem) -> None:
    # From 3000 B to 3400 B it falls by 8 of 10 J, after that by 2 J over 1600 B. Scaled, the corner
    # at 3400 B is x = 0.2, y = 0.2: 0.6 below the chord, the others are 0.45 and 0.3.
    frontier = curve(
        problem, [(3000, 23.0), (3200, 18.5), (3400, 15.0), (4200, 14.0), (5000, 13.0)]
    )

    found = knees(frontier)

    assert [knee.position for knee in found] == [3400]
    assert found[0].energy_j == 15.0
    assert found[0].distance == pytest.approx(0.6)
    assert found[0].schedule.peak_bytes == 3400


def test_that_two_cliffs_have_two_knees_and_most_limits_them(problem: Problem) -> None:
    # Falls from 3000 to 3100 B, scaled 0.4 below the chord, and to 4600 B, 0.19 below; in between
    # it comes up to the chord, and the mean spacing that counts as a fall is 1/6.
    frontier = curve(
        problem,
        [(3000, 33.0), (3100, 24.0), (3500, 23.8), (4000, 23.6), (4500, 23.4), (4600, 13.2),
         (5000, 13.0)],
    )  # fmt: skip

    assert [knee.position for knee in knees(frontier)] == [3100, 4600]
    assert [knee.position for knee in knees(frontier, most=1)] == [3100]


def test_that_a_straight_line_and_two_points_have_no_knee(problem: Problem) -> None:
    line = [(3000 + 400 * k, 18.0 - k) for k in range(6)]

    assert knees(curve(problem, line)) == ()
    assert knees(curve(problem, line[:2])) == ()
