"""Claim: local search ends at the optimum of small problems, the same way for the same seed."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.device import Transfer
from solver.heuristic.overlapped import at_energy_prices
from solver.heuristic.plan import Plan, keep_everything, page_everything
from solver.heuristic.price_search import energy_j, first_plan
from solver.heuristic.repair import Noise, repair
from solver.heuristic.search import LocalSearch
from solver.heuristic.stage_plan import StagePlanner, prices, seconds
from solver.problem import Problem
from solver.staged import stage
from tests.helpers.builders import chain, device_of, problem_of
from tests.helpers.oracle import least_energy
from tests.helpers.random_problems import problems


def searched(problem: Problem, *, seed: int = 0, asked: int = 600) -> list[Plan]:
    """The first plan and all better ones; `asked`: how often the search may ask about stopping."""
    staged = stage(problem)
    planner = StagePlanner(staged, prices(staged))
    plan = first_plan(planner, keep_everything, lambda: False)
    if plan is None and problem.switches.paging:
        plan = page_everything(planner)
    if plan is None or not plan.fits:
        return []
    return [plan, *LocalSearch(Random(seed)).improve(plan, asked_more_than(asked))]


def asked_more_than(times: int) -> Callable[[], bool]:
    left = iter(range(times))
    return lambda: next(left, None) is None


@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(problems(limited=False), st.integers(0, 3))
def test_that_no_plan_is_below_the_optimum_and_each_is_cheaper(problem: Problem, seed: int) -> None:
    plans = searched(problem, seed=seed, asked=400)
    assume(plans)

    optimum = least_energy(problem)

    assert optimum is not None
    overheads = [energy_j(plan) for plan in plans]
    assert overheads == sorted(overheads, reverse=True)
    assert all(plan.fits for plan in plans)
    baseline = problem.costed.baseline_energy_j
    assert baseline + overheads[-1] >= optimum * (1 - 1e-9)


def test_that_a_chain_ends_at_the_optimum() -> None:
    # At the floor. Paging a tensor out and in costs 0.02 J, making it again at least 1 J.
    problem = problem_of(chain(3), 3000)

    plans = searched(problem)

    optimum = least_energy(problem)
    assert optimum is not None
    found = problem.costed.baseline_energy_j + energy_j(plans[-1])
    assert found == pytest.approx(optimum, rel=1e-9)


def test_that_reruns_in_a_chain_end_at_the_optimum() -> None:
    problem = problem_of(chain(4), 4000, paging=False)

    plans = searched(problem)

    optimum = least_energy(problem)
    assert optimum is not None
    found = problem.costed.baseline_energy_j + energy_j(plans[-1])
    assert found == pytest.approx(optimum, rel=1e-9)


def test_that_a_seed_gives_one_search() -> None:
    staged = stage(problem_of(chain(30), 9000, paging=False))

    def found() -> list[list[int]]:
        plan = keep_everything(StagePlanner(staged, prices(staged)))
        assert repair(plan, noise=Noise(Random(1), 30.0))
        return [
            better.held for better in LocalSearch(Random(3)).improve(plan, asked_more_than(1500))
        ]

    first, again = found(), found()

    assert first
    assert first == again


def test_that_a_plan_that_costs_nothing_ends_the_search() -> None:
    assert len(searched(problem_of(chain(5), 10**6))) == 1


def test_that_a_search_for_time_ends_in_a_plan_that_keeps_the_limit() -> None:
    # A rerun takes 1 s and 1 J, paging a tensor out or in 0.01 s and 10 J. The least energy is that
    # of reruns; counted in seconds, paging wins.
    device = replace(device_of(), page_in=Transfer(0.0, 1e5, 1e3), page_out=Transfer(0.0, 1e5, 1e3))
    free = problem_of(chain(6), 4000, device=device)
    limit_s = free.costed.baseline_runtime_s + 0.2
    staged = stage(problem_of(chain(6), 4000, device=device, runtime_s=limit_s))
    plan = keep_everything(StagePlanner(staged, prices(staged)))
    assert repair(plan)
    assert not plan.fits_in_time

    timed = StagePlanner(staged, seconds(staged))
    late = at_energy_prices(plan, timed)
    found = list(LocalSearch(Random(0)).improve(late, asked_more_than(3000)))

    assert found[-1].fits
    assert found[-1].cost == pytest.approx(found[-1].seconds)
