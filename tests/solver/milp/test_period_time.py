"""Claim: where transfers overlap, what is written before a moment takes its time before it."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from solver.device import IoMode
from solver.heuristic.plan import Plan
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.milp.period_columns import Moments
from solver.overlap import arranged
from solver.problem import Budgets, Problem, Switches
from solver.simulate import simulate
from solver.staged import StagedProblem, stage
from tests.helpers.builders import Line, device_of, graph_of, problem_of
from tests.helpers.period_bounds import bounds_j, every_moment
from tests.helpers.random_problems import problems
from tests.helpers.solving import run


def two_wait_for_a_wide_op(runtime_s: float) -> Problem:
    """Beside `wide` there is no room for `a`, which is made once, nor for `b`.

    Each op takes 2 ms (20 mJ) and each tensor of 100 B 4 ms to write (4 mJ) and 1 ms to read
    (1 mJ).
    """
    lines = [
        Line("a", "f", 100, 2000, recomputable=False),
        Line("b", "f", 100, 2000),
        Line("wide", "b", 10, 2000, workspace=390),
        Line("g", "b", 10, 2000, ("wide", "b")),
        Line("h", "b", 10, 2000, ("g", "a")),
    ]
    device = device_of(joule_per_byte_out=4e-5, joule_per_flop=1e-5)
    return problem_of(
        graph_of(lines), 400, runtime_s=runtime_s, device=device, io=IoMode.OVERLAPPED
    )


@pytest.mark.parametrize(
    ("runtime_s", "overhead_j"),
    [
        # Both are written, 8 ms, before the last three ops take 6 ms: 2 x 5 mJ.
        (0.014, 0.010),
        # No time for that, though transfers take 10 ms in all: `b` is made again, 20 mJ. Writing
        # `a` takes 4 ms, as do the ops before `wide`, and 4 x 2 ms follow.
        (0.013, 0.025),
        (0.012, 0.025),
        (0.0119, np.inf),
    ],
)
def test_that_what_is_written_before_a_moment_has_only_the_time_until_then(
    runtime_s: float, overhead_j: float
) -> None:
    problem = two_wait_for_a_wide_op(runtime_s)

    found = bounds_j(stage(problem), Moments(ops={2}), scale=1e4)

    assert found[-1] - problem.costed.baseline_energy_j == pytest.approx(overhead_j, abs=1e-7)


def test_that_blocking_transfers_have_no_lane_of_their_own() -> None:
    problem = two_wait_for_a_wide_op(0.020)  # 10 ms of ops and 10 ms of transfers
    blocking = replace(problem, switches=replace(problem.switches, io=IoMode.BLOCKING))

    found = bounds_j(stage(blocking), Moments(ops={2}), scale=1e4)

    assert found[-1] - problem.costed.baseline_energy_j == pytest.approx(0.010, abs=1e-7)


def written_across_a_moment(runtime_s: float) -> Problem:
    """`a` (500 B, 5 ms to write) and `b` (2 ms) must go before `wide`, and are made once.

    a 0-1, m 1-3, b 3-4.5, n until 7 ms; `a` is written from 1 to 6, across the begin of b, then b
    until 8; wide 8-10, b is read until 10.04, g until 11.04, meanwhile a (0.1 ms), h until 12.04.
    """
    lines = [
        Line("a", "f", 500, 1000, recomputable=False),
        Line("m", "f", 10, 2000),
        Line("b", "f", 200, 1500, ("m",), recomputable=False),
        Line("n", "f", 10, 2500),
        Line("wide", "b", 10, 2000, ("n",), workspace=980),
        Line("g", "b", 10, 1000, ("wide", "b")),
        Line("h", "b", 10, 1000, ("g", "a")),
    ]
    device = device_of(joule_per_byte_in=2e-7, joule_per_byte_out=1e-5)
    return problem_of(
        graph_of(lines), 1000, runtime_s=runtime_s, device=device, io=IoMode.OVERLAPPED
    )


def read_across_a_moment(runtime_s: float) -> Problem:
    """The same `a` and `b`, quickly written (0.1 and 0.04 ms) and slowly read (5 and 2 ms).

    wide 0.24-0.34, m until 4.34, k until 6.34 ms; b is read from 0.34 to 2.34, for k, `a` until
    7.34, across the begin of k; h until 7.44.
    """
    lines = [
        Line("a", "f", 500, 100, recomputable=False),
        Line("b", "f", 200, 100, recomputable=False),
        Line("wide", "f", 10, 100, workspace=990),
        Line("m", "b", 10, 4000, ("wide",)),
        Line("k", "b", 10, 2000, ("m", "b")),
        Line("h", "b", 10, 100, ("k", "a")),
    ]
    device = device_of(joule_per_byte_in=1e-5, joule_per_byte_out=2e-7)
    return problem_of(
        graph_of(lines), 1000, runtime_s=runtime_s, device=device, io=IoMode.OVERLAPPED
    )


@pytest.mark.parametrize(
    ("problem", "moments"),
    [
        (written_across_a_moment(0.01205), {2, 4}),
        (read_across_a_moment(0.00745), {2, 4}),
    ],
)
def test_that_a_transfer_may_go_on_at_a_moment(problem: Problem, moments: set[int]) -> None:
    found = bounds_j(stage(problem), Moments(ops=moments), scale=1e4)

    # 700 B at 10 and at 0.2 mJ a kilobyte: 7 + 0.14 mJ.
    expected_j = problem.costed.baseline_energy_j + 0.00714
    assert found[-1] == pytest.approx(expected_j, abs=1e-7)
    assert run(problem).energy_j == pytest.approx(expected_j)


def random_plan(staged: StagedProblem, rng: Random) -> Plan | None:
    """Tensors held across some of the borders until their last reader, some of them written."""
    held = [0] * (staged.stages + 1)
    for i in range(staged.tensors):
        born = staged.producer[i]
        kept = not staged.may_page[i] and not staged.may_rerun[born]
        for border in range(born + 1, max((born, *staged.readers[i])) + 1):
            held[border] |= (kept or rng.random() < 0.4) << i
    paged = sum(1 << i for i, may in enumerate(staged.may_page) if may and rng.random() < 0.6)
    try:
        return Plan(StagePlanner(staged, prices(staged)), held, paged & ~staged.stored)
    except ValueError:  # something is neither held nor written nor made again
        return None


def check_at_its_own_limits(problem: Problem, seed: int) -> None:
    """A schedule's peak and runtime as limits: no bound is above its energy."""
    rng = Random(seed)
    unlimited = replace(
        problem, budgets=Budgets(2**60, None), switches=Switches(io=IoMode.OVERLAPPED)
    )
    plan = random_plan(stage(unlimited), rng)
    assume(plan is not None and any(planned.paged_in for planned in plan.stages))
    assert plan is not None
    blocking = replace(unlimited, switches=Switches(io=IoMode.BLOCKING))
    peak = simulate(plan.schedule(), blocking).peak_bytes
    trace = arranged(plan.schedule(), replace(unlimited, budgets=Budgets(peak, None)))
    limited = replace(unlimited, budgets=Budgets(trace.peak_bytes, trace.runtime_s))
    staged = stage(limited)
    some = set(rng.sample(range(staged.stages), 2))
    for moments in (Moments(ops=some), every_moment(staged, share=rng.choice([1, 2]))):
        found = bounds_j(staged, moments)
        assert max(found) <= trace.total_energy_j * (1 + 1e-6)


@settings(max_examples=5, deadline=None, derandomize=True)
@given(problems(limited=False), st.integers(0, 1000))
def test_that_no_bound_is_above_a_schedule_at_its_own_limits(problem: Problem, seed: int) -> None:
    check_at_its_own_limits(problem, seed)


@pytest.mark.slow
@settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(problems(limited=False, most_forward=5, most_backward=4), st.integers(0, 1000))
def test_that_no_bound_is_above_many_schedules_at_their_own_limits(
    problem: Problem, seed: int
) -> None:
    check_at_its_own_limits(problem, seed)
