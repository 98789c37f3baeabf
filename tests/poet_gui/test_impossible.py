"""Impossible budgets in the window: what is to blame, what would work, and that it does.

Checks 8 to 11 of the first fifteen minutes, and the warning before the first solve.
"""

import math
from dataclasses import replace

import psutil
import pytest
from pytestqt.qtbot import QtBot

from poet_gui.main_window import MainWindow
from poet_gui.notices import Level
from poet_gui.solving.status import Phase
from solver.graph import WeightGradients
from solver.graph_request import GraphRequest
from solver.outcome import (
    Feasible,
    Infeasible,
    LeastBudget,
    Limit,
    NoAnswer,
    Optimal,
    StopReason,
)
from solver.problem import Budgets
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, open_model, solve

RESIDUAL = "tests/data/graphs/02_residual.json"
LEAST_WITHOUT_PAGING = 1048576
"""Bytes: tests/data/graphs/expected.json, from an exhaustive dynamic programme."""


def impossible(qtbot: QtBot, window: MainWindow, budgets: Budgets, *, paging: bool = True) -> None:
    """Choose budgets, solve, and wait until every search for what would work has ended."""
    core = window.state.core
    core.load(budgets, replace(core.switches, paging=paging))
    solve(qtbot, window)
    assert isinstance(core.status.outcome, Infeasible)
    wait_for_searches(qtbot, window)


def wait_for_searches(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: window.impossible_desk.finder.task is None, timeout=60_000)


def remedies(window: MainWindow) -> list[str]:
    buttons = window.views.impossible.buttons
    return [button.text() for button in buttons if button.isVisible()]


def press(qtbot: QtBot, window: MainWindow, text: str) -> Optimal | Feasible:
    """Press the button that begins so; a schedule that fits is found, or there at once."""
    (button,) = (b for b in window.views.impossible.buttons if b.text().startswith(text))
    core = window.state.core
    button.click()
    qtbot.waitUntil(lambda: core.status.phase is Phase.DONE, timeout=60_000)
    outcome, budgets = core.status.outcome, core.budgets
    assert isinstance(outcome, Optimal | Feasible)
    assert outcome.trace.peak_bytes <= budgets.ram_bytes
    assert budgets.allow_runtime(outcome.trace.runtime_s)
    assert window.views.impossible.isHidden()
    return outcome


def open_residual(qtbot: QtBot, make_window: MakeWindow) -> MainWindow:
    window = make_window(None)
    open_model(qtbot, window, RESIDUAL)
    return window


@pytest.mark.slow
def test_that_one_byte_below_the_floor_names_the_op_and_can_be_raised(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = open_residual(qtbot, make_window)
    banner, core = window.views.impossible, window.state.core
    assert core.model is not None
    floor = core.model.costed.floor_bytes
    core.set_ram(core.model.costed.plain_peak_bytes)
    assert banner.isHidden()

    core.set_ram(floor - 1)

    # Known at a glance: the banner stands before any solve.
    assert banner.title.text() == "Impossible: too little memory"
    assert banner.text.text() == (
        "add needs 786,432 B (768 KiB) at once: inputs conv2 256 KiB, stem 256 KiB; outputs add "
        "256 KiB. 1 B missing."
    )
    assert remedies(window) == ["Set memory to 786,432 B"]
    assert isinstance(press(qtbot, window, "Set memory"), Optimal)
    assert core.budgets.ram_bytes == floor


@pytest.mark.slow
def test_that_an_impossible_runtime_names_runtime_and_not_memory(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = open_residual(qtbot, make_window)
    core = window.state.core
    assert core.model is not None
    costed = core.model.costed

    impossible(qtbot, window, Budgets(costed.plain_peak_bytes, 0.5 * costed.baseline_runtime_s))

    words = window.views.impossible.words
    assert words is not None
    assert words.title == "Impossible: too little runtime"
    assert "memory" not in words.whole
    assert "RAM" not in "".join(remedies(window))
    press(qtbot, window, "Set runtime to ")
    assert core.budgets.runtime_s == pytest.approx(costed.baseline_runtime_s)


@pytest.mark.slow
def test_that_the_least_memory_without_paging_is_found_and_works(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = open_residual(qtbot, make_window)
    core = window.state.core

    impossible(qtbot, window, Budgets(800_000), paging=False)

    assert "The least RAM that works without paging is 1,048,576 B" in (
        window.views.impossible.text.text()
    )
    assert remedies(window) == ["Set memory to 1,048,576 B", "Allow paging"]
    press(qtbot, window, "Set memory")
    assert core.budgets == Budgets(LEAST_WITHOUT_PAGING)
    assert not core.switches.paging
    core.set_ram(LEAST_WITHOUT_PAGING - 1)
    bracket = core.bracket
    assert bracket is not None
    assert bracket.impossible  # proven by the search, before any solve


@pytest.mark.slow
def test_that_allowing_paging_is_offered_and_works(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = open_residual(qtbot, make_window)
    impossible(qtbot, window, Budgets(800_000), paging=False)

    press(qtbot, window, "Allow paging")

    assert window.state.core.switches.paging
    assert window.state.core.budgets == Budgets(800_000)


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["Set runtime", "Set memory"])
def test_that_under_a_runtime_limit_both_ways_out_are_offered_and_work(
    qtbot: QtBot, make_window: MakeWindow, choice: str
) -> None:
    window = open_residual(qtbot, make_window)
    core = window.state.core
    assert core.model is not None
    budgets = Budgets(900_000, 1.0001 * core.model.costed.baseline_runtime_s)

    impossible(qtbot, window, budgets)

    assert [text.rpartition(" to ")[0] for text in remedies(window)] == [
        "Set runtime",
        "Set memory",
    ]
    press(qtbot, window, choice)
    kept = (
        core.budgets.ram_bytes == budgets.ram_bytes
        if choice == "Set runtime"
        else core.budgets.runtime_s == budgets.runtime_s
    )
    assert kept


@pytest.mark.slow
def test_that_what_was_found_is_not_looked_for_again(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = open_residual(qtbot, make_window)
    core, desk = window.state.core, window.impossible_desk
    impossible(qtbot, window, Budgets(800_000), paging=False)
    problem = core.problem
    assert problem is not None
    found = desk.found(problem)[Limit.RAM]

    core.set_ram(900_000)
    solve(qtbot, window)

    assert desk.finder.task is None
    assert desk.finder.worker_pid is None
    assert core.problem is not None
    assert desk.found(core.problem)[Limit.RAM] is found
    assert remedies(window)[0] == "Set memory to 1,048,576 B"


def start_long_search(qtbot: QtBot, window: MainWindow) -> int:
    """Begin a search that takes its whole time; the id of its process."""
    open_model(qtbot, window, "resnet18_cifar")
    core = window.state.core
    assert core.model is not None
    core.load(
        Budgets(core.model.costed.plain_peak_bytes // 6), replace(core.switches, paging=False)
    )
    solve(qtbot, window)
    desk = window.impossible_desk
    qtbot.waitUntil(lambda: "between" in window.views.impossible.text.text(), timeout=WAIT_MS)
    pid = desk.finder.worker_pid
    assert pid is not None
    return pid


@pytest.mark.slow
def test_that_another_budget_ends_the_search_at_once(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(None)
    pid = start_long_search(qtbot, window)
    core = window.state.core

    assert core.model is not None
    window.wishes.set_ram(core.model.costed.plain_peak_bytes)

    # At once, whether the process has ended by now or not.
    assert window.impossible_desk.finder.task is None
    assert window.views.impossible.isHidden()
    qtbot.waitUntil(lambda: not psutil.pid_exists(pid), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: core.status.phase is Phase.DONE, timeout=WAIT_MS)
    assert isinstance(core.status.outcome, Optimal)


@pytest.mark.slow
def test_that_a_bracket_narrows_and_closing_leaves_no_process(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    brackets: list[tuple[float, float]] = []

    def hear(_: object, least: LeastBudget) -> None:
        if least.limit is Limit.RAM:
            brackets.append((least.lower, math.inf if least.upper is None else least.upper))

    # From before it begins: a window that is drawn late must not miss the last news of it.
    window.impossible_desk.finder.narrowed.connect(hear)
    pid = start_long_search(qtbot, window)
    qtbot.waitUntil(lambda: len(set(brackets)) > 1, timeout=WAIT_MS)

    lowers, uppers = zip(*brackets, strict=True)
    assert list(lowers) == sorted(lowers)
    assert list(uppers) == sorted(uppers, reverse=True)
    window.close()

    assert not psutil.pid_exists(pid)


def test_that_a_tensor_that_sets_the_floor_is_warned_of_before_the_first_solve(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    request = GraphRequest("resnet18_cifar", weight_gradients=WeightGradients.BUFFERED)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.controller.open(request, "resnet18_cifar")

    notices = window.views.notices.notices
    (warning,) = (notice for notice in notices if notice.level is Level.WARNING)
    assert warning.title == "layer4.1.conv2.weight_gradient (9.00 MiB) sets the floor"
    assert "“applied at once” (Model) lower the floor to 768 KiB" in warning.text
    assert window.state.core.status.phase is Phase.READY


@pytest.mark.slow
@pytest.mark.parametrize("when", ["build", "before the first schedule", "after it", "twice"])
def test_that_a_stop_gives_control_back_and_keeps_the_best(
    qtbot: QtBot, make_window: MakeWindow, when: str
) -> None:
    window = make_window(None, start=False)
    core, controller = window.state.core, window.controller
    with qtbot.waitSignal(controller.ready, timeout=WAIT_MS, check_params_cb=bool):
        controller.start()  # warm: importing the solver's libraries hears nobody
    open_model(qtbot, window, "resnet18_cifar")
    assert core.model is not None
    core.set_ram(int(0.35 * core.model.costed.plain_peak_bytes))
    with qtbot.waitSignal(controller.finished, timeout=WAIT_MS):
        controller.solve_now()
        if when == "before the first schedule":
            qtbot.waitUntil(lambda: core.status.phase is not Phase.BUILDING, timeout=WAIT_MS)
        elif when != "build":
            qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
        best = core.status.energy_j
        controller.stop()
        if when == "twice":
            controller.stop()
        assert core.status.phase is Phase.STOPPING  # control is back before the solve has ended
    outcome = core.status.outcome
    assert isinstance(outcome, Feasible | NoAnswer)
    assert outcome.stop_reason is StopReason.CANCELLED
    if best is not None:
        assert isinstance(outcome, Feasible)
        assert outcome.trace.total_energy_j <= best


@pytest.mark.slow
def test_that_a_second_on_a_big_model_gives_a_verified_schedule_or_says_there_is_none(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    open_model(qtbot, window, "resnet50")
    core = window.state.core
    assert core.model is not None
    window.wishes.set_options(replace(core.options, time_limit_s=1.0))
    core.set_ram(int(0.2 * core.model.costed.plain_peak_bytes))
    solve(qtbot, window)

    outcome, words = core.status.outcome, window.views.status.words.text()
    if isinstance(outcome, NoAnswer):
        assert words == "Time limit, no schedule found yet"
    else:
        assert isinstance(outcome, Feasible | Optimal)
        assert outcome.trace.total_energy_j >= core.model.costed.baseline_energy_j
        assert outcome.trace.peak_bytes <= core.budgets.ram_bytes
