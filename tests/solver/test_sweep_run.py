"""Claim: a sweep in solve processes loses nothing when it is cancelled or a process is killed."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress

import psutil
import pytest

from solver.brackets import Known
from solver.events import Event, Incumbent, Started
from solver.outcome import (
    Failed,
    Feasible,
    Infeasible,
    NoAnswer,
    Optimal,
    SolverRecord,
    StopReason,
)
from solver.problem import Problem, SolveOptions
from solver.simulate import simulate
from solver.solve_pool import SolvePool, SolveTask
from solver.staged import stage
from solver.strategies.plain import page_all
from solver.sweep_run import MOST_FAULTS, StrategySweep, SweepRun, SweepSettings
from tests.helpers.builders import chain, problem_of

SLOW = """
import time
from solver import api, worker
from solver.events import Incumbent
from solver.outcome import Feasible, NoAnswer, SolverRecord, StopReason
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all

class Slow:
    name, summary, paging, recompute = "slow", "Finds a schedule and waits.", None, None

    def solve(self, problem, options, report, cancel, known):
        record = SolverRecord("slow", "none", "", 0.0)
        if options.seed == 1:
            raise RuntimeError("a fault of ours")
        trace = simulate(page_all(stage(problem)), problem)
        if options.seed != 2:
            report(Incumbent(0.0, "slow", trace, trace.total_energy_j, 1.0))
        while not cancel.requested or options.seed == 3:
            time.sleep(0.01)
        if options.seed == 2:
            return NoAnswer(StopReason.CANCELLED, "cancelled", record)
        return Feasible(trace, 1.0, StopReason.CANCELLED, "stopped", record)

api.get_strategy = lambda name: Slow()
worker.main()
"""
COMMAND = (sys.executable, "-c", SLOW)


@pytest.fixture
def problem() -> Problem:
    """chain(4): floor 3000 B, plain peak 5004 B; baseline 12.000001 J, paging all 12.060001 J."""
    return problem_of(chain(4), 3000)


@pytest.fixture
def slow() -> Iterator[SolvePool]:
    with SolvePool(2, command=COMMAND) as pool:
        yield pool


def task(problem: Problem, seed: int = 0) -> SolveTask:
    return SolveTask(problem, SolveOptions("slow", seed=seed))


def until_incumbent(pool: SolvePool, seen: list[Event]) -> None:
    while not any(isinstance(event, Incumbent) for event in seen):
        assert pool.wait(0.05) is None


@pytest.mark.slow
def test_that_two_tasks_are_solved_and_events_come_in_the_callers_thread(problem: Problem) -> None:
    seen: list[Event] = []
    with SolvePool(2, lambda _, event: seen.append(event)) as pool:
        pool.submit(SolveTask(problem, SolveOptions("page-all")))
        pool.submit(SolveTask(problem, SolveOptions("keep-all")))
        assert not pool.idle
        answers = [pool.wait(240.0), pool.wait(240.0)]
        assert pool.idle
        assert not pool.busy

    kinds = {type(answer[1]) for answer in answers if answer is not None}
    assert kinds == {Feasible, Infeasible}
    assert any(isinstance(event, Started) for event in seen)


def test_that_what_is_known_reaches_the_solve(problem: Problem) -> None:
    schedule = page_all(stage(problem))
    energy_j = 12.060001
    with SolvePool(1) as pool:
        pool.submit(SolveTask(problem, SolveOptions("joint"), Known((schedule,), energy_j)))
        answer = pool.wait(240.0)

    assert answer is not None
    assert isinstance(answer[1], Optimal)
    assert answer[1].record.incumbents[0].step == "stored"


def test_that_a_busy_pool_takes_no_more(slow: SolvePool, problem: Problem) -> None:
    slow.submit(task(problem))
    slow.submit(task(problem))

    with pytest.raises(RuntimeError, match="busy"):
        slow.submit(task(problem))


def test_that_cancel_brings_the_best_schedule_of_each(problem: Problem) -> None:
    seen: list[Event] = []
    with SolvePool(1, lambda _, event: seen.append(event), COMMAND) as pool:
        pool.submit(task(problem))
        until_incumbent(pool, seen)
        pool.cancel()
        answer = pool.wait(240.0)

    assert answer is not None
    assert isinstance(answer[1], Feasible)
    assert answer[1].stop_reason is StopReason.CANCELLED


@pytest.mark.slow
def test_that_a_killed_process_loses_no_schedule_that_it_reported(problem: Problem) -> None:
    seen: list[Event] = []
    with SolvePool(1, lambda _, event: seen.append(event), COMMAND) as pool:
        pool.submit(task(problem))
        until_incumbent(pool, seen)
        os.kill(pool.pids[0], signal.SIGKILL)
        answer = pool.wait(240.0)
        assert answer is not None
        pool.submit(task(problem, seed=1))  # a new process takes its place
        again = pool.wait(240.0)

    outcome = answer[1]
    assert isinstance(outcome, Feasible)
    assert outcome.trace.total_energy_j == pytest.approx(12.060001)
    assert "the solve process ended with -9" in outcome.message
    assert again is not None
    assert "a fault of ours" in again[1].details  # type: ignore[union-attr] # Failed, as scripted


def test_that_a_process_killed_before_any_schedule_is_a_failure(problem: Problem) -> None:
    with SolvePool(1, command=COMMAND) as pool:
        pool.submit(task(problem, seed=2))
        os.kill(pool.pids[0], signal.SIGKILL)
        answer = pool.wait(240.0)

    assert answer is not None
    assert isinstance(answer[1], Failed)


def test_that_a_solve_that_will_not_stop_is_dropped_with_its_best(problem: Problem) -> None:
    seen: list[Event] = []
    with SolvePool(1, lambda _, event: seen.append(event), COMMAND) as pool:
        pool.submit(task(problem, seed=3))
        until_incumbent(pool, seen)
        (answer,) = pool.drop()
        assert pool.pids == ()
        assert pool.idle

    assert isinstance(answer[1], Feasible)


def test_that_a_solve_dropped_before_any_schedule_is_no_failure(problem: Problem) -> None:
    with SolvePool(1, command=COMMAND) as pool:
        pool.submit(task(problem, seed=2))
        (answer,) = pool.drop()

    assert isinstance(answer[1], NoAnswer)
    assert answer[1].stop_reason is StopReason.CANCELLED


def test_that_closing_leaves_no_process(problem: Problem) -> None:
    with SolvePool(2, command=COMMAND) as pool:
        pool.submit(task(problem, seed=3))
        pool.submit(task(problem))
        pids = pool.pids

    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            assert psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def work_off(run: SweepRun, jobs: int = 1, command: tuple[str, ...] | None = None) -> None:
    pool = SolvePool(jobs) if command is None else SolvePool(jobs, command=command)
    with pool:
        while run.step(pool):
            pass


@pytest.mark.slow
def test_that_strategies_are_worked_off_and_each_answer_is_told(problem: Problem) -> None:
    told: list[str] = []
    settings = SweepSettings("ram", 6, 0.01, to_the_last=True)
    sweeps = [StrategySweep(name, problem, settings) for name in ("page-all", "keep-all")]
    run = SweepRun(sweeps, SolveOptions(), watcher=lambda sweep, _: told.append(sweep.strategy))

    work_off(run, jobs=2)

    assert run.finished
    assert set(told) == {"page-all", "keep-all"}
    assert len(told) == sum(len(sweep.points) for sweep in sweeps)
    rams = [point.budgets.ram_bytes for point in sweeps[0].points]
    assert rams == sorted(rams)


def test_that_a_strategy_that_proves_nothing_teaches_the_joint_solves_nothing(
    problem: Problem,
) -> None:
    sweep = StrategySweep("keep-all", problem, SweepSettings("ram", 3))
    work_off(SweepRun([sweep], SolveOptions()))

    # "Needs 5004 B" is true of keep-all only.
    assert sweep.known.bounds == ()
    assert sweep.known.schedules == ()


def test_that_no_solve_starts_from_a_bound_out_of_a_file(problem: Problem) -> None:
    sweep = StrategySweep("joint", problem, SweepSettings("ram", 3))
    trace = simulate(page_all(stage(problem)), problem)
    claimed = Feasible(trace, 12.05, StopReason.GAP, "within", SolverRecord("joint", "x", "", 0.0))

    sweep.take_saved(problem.budgets, claimed)

    known = sweep.task(problem.budgets, SolveOptions()).known
    assert known.schedules == (trace.schedule,)
    assert known.bound_j == problem.costed.baseline_energy_j
    assert sweep.known.bounds == ()  # what is stored for others
    assert sweep.planner.brackets.bound_j(problem.budgets) == 12.05


def test_that_failures_in_a_row_end_the_run(problem: Problem) -> None:
    sweep = StrategySweep("joint", problem, SweepSettings("ram", 20, 0.0, to_the_last=True))
    run = SweepRun([sweep], SolveOptions(seed=1))

    work_off(run, command=COMMAND)

    assert len(sweep.points) == MOST_FAULTS
    assert all(isinstance(point.outcome, Failed) for point in sweep.points)


def test_that_stopping_keeps_what_running_solves_had(problem: Problem) -> None:
    sweep = StrategySweep("joint", problem, SweepSettings("ram", 8))
    seen: list[Event] = []
    run = SweepRun([sweep], SolveOptions())
    with SolvePool(1, lambda _, event: seen.append(event), COMMAND) as pool:
        while not any(isinstance(event, Incumbent) for event in seen):
            assert run.step(pool)
        run.stop(pool)

    (point,) = sweep.points
    assert isinstance(point.outcome, Feasible)


def test_that_a_solve_that_was_stopped_with_nothing_is_no_point(problem: Problem) -> None:
    sweep = StrategySweep("joint", problem, SweepSettings("ram", 8))
    run = SweepRun([sweep], SolveOptions(seed=2))
    with SolvePool(1, command=COMMAND) as pool:
        assert run.step(pool)
        run.stop(pool)

    assert sweep.points == []
