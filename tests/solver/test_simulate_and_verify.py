"""Claim: simulator and verifier, which share no code, agree on every legal schedule."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.device import IoMode
from solver.problem import Problem
from solver.schedule import ActionKind, Schedule
from solver.simulate import simulate
from solver.verify import verify, verify_figures
from tests.helpers.schedules import random_legal_schedule

seeds = st.integers(min_value=0, max_value=2**32 - 1)


@settings(max_examples=150, deadline=None)
@given(seeds)
def test_that_both_count_the_same(seed: int) -> None:
    schedule, problem = random_legal_schedule(seed)
    trace, report = simulate(schedule, problem), verify(schedule, problem)
    assert report.faults == ()
    assert report.peak_bytes == trace.peak_bytes
    assert report.energy_j == pytest.approx(trace.total_energy_j, rel=1e-12)
    assert report.runtime_s == pytest.approx(trace.runtime_s, rel=1e-12)
    assert trace.peak_bytes >= problem.costed.floor_bytes
    assert trace.total_energy_j >= problem.costed.baseline_energy_j * (1 - 1e-12)


@settings(max_examples=100, deadline=None)
@given(seeds)
def test_that_a_budget_of_the_peak_is_enough_and_one_byte_less_is_not(seed: int) -> None:
    schedule, problem = random_legal_schedule(seed)
    trace = simulate(schedule, problem)
    report = verify_figures(
        schedule,
        problem,
        peak_bytes=trace.peak_bytes,
        energy_j=trace.total_energy_j,
        runtime_s=trace.runtime_s,
    )
    assert report.ok
    tight = replace(problem, budgets=replace(problem.budgets, ram_bytes=trace.peak_bytes))
    short = replace(problem, budgets=replace(problem.budgets, ram_bytes=trace.peak_bytes - 1))
    assert verify(schedule, tight).ok
    assert len(verify(schedule, short).faults) == 1


@settings(max_examples=100, deadline=None)
@given(seeds, st.data())
def test_that_leaving_out_a_run_that_is_needed_is_seen(seed: int, data: st.DataObject) -> None:
    schedule, problem = random_legal_schedule(seed)
    runs = [k for k, action in enumerate(schedule.actions) if action.kind is ActionKind.COMPUTE]
    left_out = data.draw(st.sampled_from(runs))
    actions = schedule.actions[:left_out] + schedule.actions[left_out + 1 :]
    assert not verify(Schedule(actions), problem).ok


def blocking_and_overlapped(seed: int) -> tuple[Schedule, Problem, Problem]:
    """A random schedule, and its problem in both modes at the RAM that blocking needs."""
    schedule, problem = random_legal_schedule(seed, io=IoMode.BLOCKING)
    budgets = replace(problem.budgets, ram_bytes=simulate(schedule, problem).peak_bytes)
    blocking = replace(problem, budgets=budgets)
    switches = replace(problem.switches, io=IoMode.OVERLAPPED)
    return schedule, blocking, replace(blocking, switches=switches)


@settings(max_examples=150, deadline=None)
@given(seeds)
def test_that_a_schedule_legal_under_blocking_is_legal_and_no_slower_overlapped(seed: int) -> None:
    schedule, blocking, overlapped = blocking_and_overlapped(seed)
    report, trace = verify(schedule, overlapped), simulate(schedule, overlapped)
    before = simulate(schedule, blocking)
    assert report.faults == ()
    assert trace.runtime_s <= before.runtime_s * (1 + 1e-12)
    assert trace.total_energy_j == before.total_energy_j
    assert (trace.start_s <= before.start_s * (1 + 1e-12)).all()


@settings(max_examples=150, deadline=None)
@given(seeds)
@pytest.mark.slow
def test_that_both_count_the_same_of_overlapped_transfers(seed: int) -> None:
    schedule, _, overlapped = blocking_and_overlapped(seed)
    report, trace = verify(schedule, overlapped), simulate(schedule, overlapped)
    assert report.peak_bytes == trace.peak_bytes
    assert report.energy_j == pytest.approx(trace.total_energy_j, rel=1e-12)
    assert report.runtime_s == pytest.approx(trace.runtime_s, rel=1e-12)
    assert (trace.start_s[1:] >= trace.start_s[:-1]).all()


@settings(max_examples=100, deadline=None)
@given(seeds, st.integers(0, 5000))
def test_that_more_ram_never_makes_an_overlapped_schedule_slower(seed: int, more: int) -> None:
    schedule, _, overlapped = blocking_and_overlapped(seed)
    ram_bytes = overlapped.budgets.ram_bytes + more
    roomier = replace(overlapped, budgets=replace(overlapped.budgets, ram_bytes=ram_bytes))
    tight, wide = simulate(schedule, overlapped), simulate(schedule, roomier)
    assert wide.runtime_s <= tight.runtime_s * (1 + 1e-12)
    assert wide.peak_bytes <= ram_bytes
