"""How long executing a schedule on paper takes: every better schedule of a solve is simulated."""

import time
from dataclasses import replace

import pytest

from solver.device import IoMode
from solver.problem import Switches
from solver.simulate import simulate
from tests.helpers.traces import big_trace


@pytest.mark.benchmark
def test_that_overlapped_transfers_take_time_in_proportion_to_the_actions() -> None:
    per_action = {}
    for depth in (100, 1000):
        trace = big_trace(depth=depth)
        problem = replace(trace.problem, switches=Switches(io=IoMode.OVERLAPPED))
        began = time.process_time()
        overlapped = simulate(trace.schedule, problem)
        seconds, actions = time.process_time() - began, len(trace.schedule.actions)
        per_action[depth] = seconds / actions
        print(f"{actions} overlapped actions simulated in {seconds:.3f} s")  # noqa: T201
        assert overlapped.runtime_s <= trace.runtime_s
    # One that looks through all actions for each would take ten times as long for each.
    assert per_action[1000] < 3 * per_action[100]
