"""Claim: a sweep asks where least is known, until all is certified or its points are used."""

import math
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solver import api
from solver.brackets import Brackets, StoredSchedule
from solver.outcome import (
    Feasible,
    Infeasible,
    Limit,
    NoAnswer,
    Optimal,
    Outcome,
    Reason,
    SolverRecord,
    StopReason,
)
from solver.problem import Budgets, Problem, SolveOptions
from solver.recording import learn
from solver.schedule import Schedule
from solver.sweep import Sweep
from tests.helpers.builders import chain, problem_of
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems

RECORD = SolverRecord("test", "none", "", 0.0)
FEW = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def answer(problem: Problem, budgets: Budgets, strategy: str = "joint") -> Outcome:
    options = SolveOptions(strategy, gap=0.0, time_limit_s=60.0)
    return api.solve(Problem(problem.costed, budgets, problem.switches), options)


def drive(sweep: Sweep, strategy: str = "joint") -> list[Budgets]:
    asked = []
    while (budgets := sweep.next_budgets()) is not None:
        asked.append(budgets)
        sweep.take(budgets, answer(sweep.problem, budgets, strategy))
    return asked


@pytest.fixture
def problem() -> Problem:
    """chain(4): floor 3000 B, plain peak 5004 B."""
    return problem_of(chain(4), 4000)


def test_that_both_ends_come_first_the_loose_one_before(problem: Problem) -> None:
    asked = drive(Sweep(problem, points=5, tolerance=0.0))

    assert asked[:2] == [Budgets(5004), Budgets(3000)]
    assert all(3000 <= each.ram_bytes <= 5004 for each in asked)
    assert len(set(asked)) == len(asked)


def test_that_it_stops_when_every_budget_is_certified(problem: Problem) -> None:
    sweep = Sweep(problem, points=50, tolerance=0.01)
    asked = drive(sweep)

    assert len(asked) < 20
    assert sweep.finished
    assert sweep.open_share == 0.0
    frontier = sweep.frontier()
    assert max(frontier.gap_j / frontier.best_j) <= 0.01  # not a number where nothing is known


def test_that_it_uses_no_more_points_than_allowed(problem: Problem) -> None:
    sweep = Sweep(problem, points=3, tolerance=0.0)

    assert len(drive(sweep)) == 3
    assert sweep.next_budgets() is None
    assert sweep.finished


def test_that_without_a_tolerance_it_goes_on_to_the_exact_staircase() -> None:
    problem = problem_of(chain(2), 3000)  # 5 tensors: the exact search is exponential
    sweep = Sweep(problem, points=100, tolerance=0.0)
    drive(sweep)

    frontier = sweep.frontier()
    low, high = int(frontier.position[0]), int(frontier.position[-1])
    assert low < high
    for ram in {low, *range(low, high, 97), high}:
        exact = least_energy(Problem(problem.costed, Budgets(ram), problem.switches))
        assert frontier.at(ram) == (pytest.approx(exact), pytest.approx(exact))


def test_that_the_next_point_divides_the_widest_part_of_the_bracket(problem: Problem) -> None:
    sweep = Sweep(problem, points=9, tolerance=0.0)
    for ram, peak, energy in ((5004, 5004, 12.0), (3000, 3000, 20.0), (4000, 3900, 13.0)):
        sweep.take_figures(Budgets(ram), StoredSchedule(peak, 12.0, energy, Schedule(())), energy)

    # From 3000 to 3899 B up to 7 J are open, from 4001 to 5003 B up to 1 J.
    assert sweep.next_budgets() == Budgets((3001 + 3900) // 2)


def test_that_budgets_that_are_out_divide_the_axis_too(problem: Problem) -> None:
    sweep = Sweep(problem, points=9, tolerance=0.0)
    asked = [sweep.next_budgets() for _ in range(5)]

    assert None not in asked
    assert len(set(asked)) == 5
    assert not sweep.finished


def test_that_budgets_given_back_are_asked_again(problem: Problem) -> None:
    sweep = Sweep(problem)
    first = sweep.next_budgets()
    assert first is not None
    sweep.give_back(first)

    assert sweep.next_budgets() == first


def test_that_a_level_side_is_met_from_below_and_not_twice_in_a_row(problem: Problem) -> None:
    def figures(sweep: Sweep, ram: int, peak: int, energy: float) -> None:
        sweep.take_figures(Budgets(ram), StoredSchedule(peak, 12.0, energy, Schedule(())), energy)

    sweep = Sweep(problem, points=9, tolerance=0.0)
    figures(sweep, 5004, 5004, 12.0)
    figures(sweep, 3000, 3000, 20.0)
    figures(sweep, 4000, 3000, 20.0)  # the energy at the floor again: it falls in one step above
    assert sweep.next_budgets() == Budgets(5003)

    figures(sweep, 5003, 4900, 12.0 + 1e-6)
    assert sweep.next_budgets() == Budgets((4001 + 4900) // 2)


def impossible(limit: Limit, needed: float, missing: float) -> Infeasible:
    return Infeasible(Reason(limit, None, (), needed, missing, exact=True), "no", RECORD)


def test_that_what_a_proof_says_is_needed_is_asked_next(problem: Problem) -> None:
    sweep = Sweep(problem, points=9, tolerance=0.0)
    sweep.take(Budgets(5004), answer(problem, Budgets(5004)))
    sweep.take(Budgets(3000), impossible(Limit.RAM, 3700, 700))

    assert sweep.next_budgets() == Budgets(3700)
    assert sweep.brackets.bound_j(Budgets(3699)) == math.inf


def test_that_a_proof_about_the_other_budget_names_no_point_of_this_axis() -> None:
    problem = problem_of(chain(4), 4000, runtime_s=12.5)
    sweep = Sweep(problem, points=9, tolerance=0.0)
    sweep.take(Budgets(5004, 12.5), answer(problem, Budgets(5004, 12.5)))
    sweep.take(Budgets(3000, 12.5), impossible(Limit.RUNTIME, 14.0, 1.5))

    following = sweep.next_budgets()

    assert following is not None
    assert following.runtime_s == 12.5


def test_that_no_answer_is_not_asked_again(problem: Problem) -> None:
    sweep = Sweep(problem, points=6, tolerance=0.0)
    asked = []
    while (budgets := sweep.next_budgets()) is not None:
        asked.append(budgets)
        sweep.take(budgets, NoAnswer(StopReason.TIME, "none", RECORD, 12.5))

    assert len(asked) == len(set(asked)) == 6
    assert sweep.brackets.bound_j(Budgets(5004)) == pytest.approx(12.5)


def test_that_brackets_that_are_handed_over_need_no_solve(problem: Problem) -> None:
    sweep = Sweep(problem, points=50, tolerance=0.01)
    drive(sweep)

    again = Sweep(problem, points=50, tolerance=0.01, brackets=sweep.brackets)

    assert again.next_budgets() is None
    assert again.finished


def test_that_a_strategy_that_proves_nothing_is_divided_by_its_answers(problem: Problem) -> None:
    # keep-all costs the baseline from the plain peak on and is nothing below.
    sweep = Sweep(problem, points=30, tolerance=0.01, by_answers=True)
    asked = drive(sweep, "keep-all")

    assert asked == [Budgets(5004), Budgets(3000)]


def test_that_the_runtime_axis_ends_where_more_time_saves_nothing() -> None:
    # chain(4) in 3000 B: f1, f2, f3 out and in, each way 0.01 s, so that 12.060001 s are needed
    problem = problem_of(chain(4), 3000, recompute=False)
    sweep = Sweep(problem, "runtime", points=40, tolerance=0.0)
    asked = drive(sweep)

    assert asked[:2] == [Budgets(3000), Budgets(3000, problem.costed.baseline_runtime_s)]
    frontier = sweep.frontier()
    longest = frontier.position[-1]
    assert longest == pytest.approx(12.060001)
    assert all(each.runtime_s is None or each.runtime_s < longest for each in asked[2:])
    assert frontier.at(12.059)[0] == math.inf
    assert frontier.at(longest)[1] == pytest.approx(12.060001)


def test_that_the_map_solves_only_nodes_that_are_open() -> None:
    problem = problem_of(chain(4), 4000)
    sweep = Sweep(problem, "map", points=25, tolerance=0.01)
    asked = drive(sweep)

    assert asked[0] == Budgets(3000)
    assert {each.ram_bytes for each in asked} <= {3000, 3501, 4002, 4503, 5004}
    assert len(asked) < 25
    assert sweep.open_share == 0.0
    with pytest.raises(ValueError, match="no single frontier"):
        sweep.frontier()


def test_that_points_that_are_left_fill_the_widest_stretches(problem: Problem) -> None:
    sweep = Sweep(problem, points=30, tolerance=0.01, fill=True)
    asked = drive(sweep, "page-all")  # every answer is the floor's own schedule or the same

    assert len(asked) == 30
    rams = sorted(each.ram_bytes for each in asked)
    assert max(b - a for a, b in pairwise(rams)) <= 2004 // 8


def test_that_what_has_no_schedule_is_not_filled(problem: Problem) -> None:
    sweep = Sweep(problem, points=30, tolerance=0.01, by_answers=True, fill=True)

    assert drive(sweep, "keep-all") == [Budgets(5004), Budgets(3000)]


@FEW
@given(problems(most_forward=3, most_backward=2, limited=False), st.integers(3, 7))
def test_that_curves_and_reuse_are_right_against_the_exact_oracle(
    problem: Problem, points: int
) -> None:
    sweep = Sweep(problem, points=points, tolerance=0.0)
    drive(sweep)
    frontier = sweep.frontier()
    best = [each for each in frontier.best_j.tolist() if not math.isinf(each)]

    assert best == sorted(best, reverse=True)
    assert (frontier.lower_j <= frontier.best_j).all()
    low, high = problem.costed.floor_bytes, problem.costed.plain_peak_bytes
    for ram in (low, (low + high) // 2, high):
        exact = least_energy(Problem(problem.costed, Budgets(ram), problem.switches))
        lower, upper = frontier.at(ram)
        found = math.inf if exact is None else exact
        assert lower <= found * (1 + 1e-9)
        assert found <= upper * (1 + 1e-9)


@FEW
@given(problems(most_forward=3, most_backward=2, limited=False))
def test_that_an_optimum_is_optimal_from_its_own_peak_on(problem: Problem) -> None:
    outcome = answer(problem, problem.budgets)
    if not isinstance(outcome, Optimal):
        return
    brackets = Brackets(problem)
    learn(brackets, problem.budgets, outcome)
    at_peak = Budgets(outcome.trace.peak_bytes)

    exact = least_energy(Problem(problem.costed, at_peak, problem.switches))

    bracket = brackets.bracket(at_peak)
    assert bracket.high_j == pytest.approx(exact)
    assert bracket.low_j == pytest.approx(exact)


def test_that_a_feasible_outcome_teaches_its_schedule_and_its_bound(problem: Problem) -> None:
    brackets = Brackets(problem)
    outcome = answer(problem, Budgets(4000))
    assert isinstance(outcome, Optimal)
    feasible = Feasible(outcome.trace, 12.01, StopReason.GAP, "within", RECORD)

    learn(brackets, Budgets(4000), feasible)

    assert brackets.bracket(Budgets(4000)).low_j == pytest.approx(12.01)
    assert brackets.best(Budgets(4000)) is not None
