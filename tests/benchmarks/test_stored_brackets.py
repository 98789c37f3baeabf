"""Figures of the bracket under the slider: what a move costs with a thousand stored schedules."""

import time

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from poet_gui.main_window import MainWindow
from solver.brackets import Brackets, StoredBound, StoredSchedule
from solver.problem import Budgets, Problem
from solver.schedule import Schedule
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, make_window

pytestmark = pytest.mark.benchmark
__all__ = ["make_window"]

COUNT = 1000
GOAL_MS = 16.0
FACTOR = 3.0


def staircase(problem: Problem) -> list[StoredSchedule | StoredBound]:
    """As many steps between floor and plain peak, each cheaper and larger than the one before.

    Only the figures differ from step to step; two real schedules take turns to be drawn.
    """
    costed = problem.costed
    staged = stage(problem)
    drawn: list[Schedule] = [page_all(staged), keep_all(staged)]
    low, high = costed.floor_bytes, costed.plain_peak_bytes
    runtime_s, energy_j = 3 * costed.baseline_runtime_s, costed.baseline_energy_j
    entries: list[StoredSchedule | StoredBound] = []
    for k in range(COUNT):
        ram = low + (high - low) * k // COUNT
        above_j = energy_j * (1 + 0.5 * (COUNT - k) / COUNT)
        # A schedule object of its own: nothing that is kept from one to the next helps.
        actions = drawn[k % 2].actions
        entries.append(StoredSchedule(ram, runtime_s, above_j, Schedule(tuple(actions))))
        entries.append(StoredBound(Budgets(ram), energy_j * (1 + 0.45 * (COUNT - k) / COUNT)))
    return entries


def crowded(qtbot: QtBot, make: MakeWindow) -> MainWindow:
    window = make(None, start=False)
    window.controller.start()
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.opener.open_builtin("resnet18_cifar")
    problem = window.state.core.problem
    assert problem is not None
    window.state.core.learn_stored(problem, staircase(problem))
    return window


def places(problem: Problem, count: int) -> list[int]:
    costed = problem.costed
    low, high = costed.floor_bytes, costed.plain_peak_bytes
    return [low + (high - low) * (37 * move % count) // count for move in range(count)]


def report(what: str, seconds: list[float]) -> float:
    ordered = sorted(1000 * s for s in seconds)
    worst = ordered[int(0.99 * len(ordered))]
    middle = ordered[len(ordered) // 2]
    print(f"{what}: median {middle:.1f} ms, p99 {worst:.1f} ms (goal {GOAL_MS:.0f} ms)")  # noqa: T201
    return middle


def test_that_a_bracket_from_a_thousand_schedules_is_there_at_once(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = crowded(qtbot, make_window)
    core = window.state.core
    assert core.problem is not None
    assert core.brackets is not None
    assert len(core.brackets.schedules) == len(core.brackets.bounds) == COUNT
    taken, moved = [], []
    for ram in places(core.problem, 101):
        began = time.process_time()
        bracket = core.brackets.bracket(Budgets(ram))
        taken.append(time.process_time() - began)
        assert bracket.high_j is not None
        began = time.process_time()
        window.wishes.set_ram(ram)  # number, line, bracket in words, the best stored schedule
        moved.append(time.process_time() - began)
        window.controller.drop()  # the machine may be slow: the move would count as a rest
        QCoreApplication.processEvents()
    assert report("bracket of a budget", taken) < GOAL_MS
    assert report("a move of the slider", moved) < FACTOR * GOAL_MS


def test_that_a_thousand_schedules_are_taken_in_soon() -> None:
    from tests.helpers.builders import chain, problem_of  # noqa: PLC0415

    problem = problem_of(chain(40), 10**6)
    brackets = Brackets(problem)
    began = time.process_time()
    for entry in staircase(problem):
        if isinstance(entry, StoredSchedule):
            brackets.add_stored(entry)
        else:
            brackets.add_bound(entry.budgets, entry.bound_j)
    seconds = time.process_time() - began
    print(f"{2 * COUNT} entries taken in: {seconds:.2f} s")  # noqa: T201
    assert len(brackets.schedules) == COUNT
    assert seconds < FACTOR
