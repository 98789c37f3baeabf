"""The sweep beside the interactive solve: progress, cancel, resume, faults, and the end."""

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.main_window import MainWindow
from poet_gui.solving.sweep_status import SweepPhase, SweepPlan
from solver.frontier import along_ram
from tests.helpers.frontiers import stored
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, is_running, open_model

PLAN = SweepPlan("ram", 3)


def sweep(qtbot: QtBot, window: MainWindow, plan: SweepPlan = PLAN) -> None:
    """Sweep and wait for the end."""
    with qtbot.waitSignal(window.sweeper.ended, timeout=WAIT_MS):
        window.sweeper.start(plan)


def known(window: MainWindow, strategy: str = "joint") -> int:
    """How many schedules are known of a strategy."""
    state = window.state.core.frontier
    problem = state.problem_of(strategy)
    assert problem is not None
    return len(state.brackets_of(strategy, problem).schedules)


@pytest.mark.slow
def test_that_a_sweep_tightens_what_the_sliders_promise(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    core = window.state.core
    bracket = core.bracket
    assert bracket is not None
    assert bracket.high_j is None
    sweep(qtbot, window)
    assert core.frontier.sweep.phase is SweepPhase.DONE
    assert core.frontier.sweep.done == 3
    bracket = core.bracket
    assert bracket is not None
    assert bracket.high_j is not None
    assert "Expected" in window.views.budgets.expected.text.text()


@pytest.mark.slow
def test_that_a_sweep_makes_no_rows_of_the_history(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    sweep(qtbot, window)
    assert window.state.core.history == ()


@pytest.mark.slow
def test_that_the_interactive_solve_goes_on_beside_a_sweep(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("obedient")  # a solve that ends only when it is told to
    open_model(qtbot, window)
    window.sweeper.start(PLAN)
    qtbot.waitUntil(lambda: known(window) > 0, timeout=WAIT_MS)
    assert window.sweeper.worker_pid != window.controller.worker_pid
    window.controller.solve_now()
    qtbot.waitUntil(lambda: window.state.core.status.energy_j is not None, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        window.controller.stop()
    assert window.state.core.frontier.sweep.is_running
    assert window.state.core.history[-1].outcome.message == "scripted"


@pytest.mark.slow
def test_that_cancelling_returns_at_once_ends_the_process_and_keeps_what_was_found(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("deaf")  # a solve that never ends, whatever it is told
    open_model(qtbot, window)
    window.sweeper.start(PLAN)
    qtbot.waitUntil(lambda: known(window) > 0, timeout=WAIT_MS)
    pid = window.sweeper.worker_pid
    assert pid is not None
    window.sweeper.cancel()  # the process never ends by itself: waiting for it would take for ever
    assert window.state.core.frontier.sweep.phase is SweepPhase.CANCELLED
    qtbot.waitUntil(lambda: not is_running(pid), timeout=WAIT_MS)
    assert known(window) > 0
    assert window.sweeper.worker_pid is None


@pytest.mark.slow
def test_that_a_sweep_goes_on_where_it_was_cancelled(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    state = window.state.core.frontier
    problem = state.problem_of("joint")
    assert problem is not None
    # A schedule of the baseline's energy at the floor certifies the whole axis.
    costed = problem.costed
    state.brackets_of("joint", problem).add_stored(
        stored(costed.floor_bytes, costed.baseline_runtime_s, costed.baseline_energy_j)
    )
    sweep(qtbot, window)
    assert state.sweep.phase is SweepPhase.DONE
    assert state.sweep.done == 0
    assert window.sweeper.worker_pid is None


@pytest.mark.slow
def test_that_strategies_are_swept_one_after_the_other(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    sweep(qtbot, window, SweepPlan("ram", 2, ("joint", "paging-only")))
    assert window.state.core.frontier.sweep.done == 4
    assert known(window, "paging-only") > 0


@pytest.mark.slow
def test_that_nothing_unverified_is_taken(
    qtbot: QtBot, make_window: MakeWindow, caplog: pytest.LogCaptureFixture
) -> None:
    window = make_window("liar")
    open_model(qtbot, window)
    sweep(qtbot, window)
    status = window.state.core.frontier.sweep
    assert status.phase is SweepPhase.FAILED
    assert status.why == "an answer did not pass the check"
    assert known(window) == 0
    assert "did not pass the check" in caplog.text
    caplog.clear()


@pytest.mark.slow
def test_that_a_process_that_keeps_dying_ends_the_sweep(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("dying")
    open_model(qtbot, window)
    sweep(qtbot, window)
    assert window.state.core.frontier.sweep.phase is SweepPhase.FAILED


@pytest.mark.slow
def test_that_another_model_ends_the_sweep(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("obedient")
    open_model(qtbot, window)
    window.sweeper.start(PLAN)
    qtbot.waitUntil(lambda: known(window) > 0, timeout=WAIT_MS)
    open_model(qtbot, window, "another")
    status = window.state.core.frontier.sweep
    assert status.phase is SweepPhase.CANCELLED
    assert status.why == "another model was opened"


@pytest.mark.slow
def test_that_closing_the_window_leaves_no_process(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("deaf")
    open_model(qtbot, window)
    window.sweeper.start(PLAN)
    qtbot.waitUntil(lambda: known(window) > 0, timeout=WAIT_MS)
    pid = window.sweeper.worker_pid
    assert pid is not None
    window.close()
    assert not is_running(pid)


def test_that_a_sweep_without_a_model_does_not_start(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest", start=False)
    window.sweeper.start(PLAN)
    assert window.state.core.frontier.sweep.phase is SweepPhase.IDLE
    assert not window.views.frontier.sweep.go.isEnabled()


@pytest.mark.slow
def test_that_a_sweep_of_eight_is_monotone_and_its_points_load_without_a_solve(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(None)
    with qtbot.waitSignal(window.controller.opened, timeout=60_000):
        window.opener.open_builtin("linear")
    core = window.state.core
    with qtbot.waitSignal(window.sweeper.ended, timeout=240_000):
        window.sweeper.start(SweepPlan("ram", 8, limit_s=5.0))
    assert core.frontier.sweep.phase is SweepPhase.DONE
    problem = core.frontier.problem_of("joint")
    assert problem is not None
    frontier = along_ram(core.frontier.brackets_of("joint", problem), problem.costed, None)
    best, lower = frontier.best_j.tolist(), frontier.lower_j.tolist()
    assert best == sorted(best, reverse=True)
    assert lower == sorted(lower, reverse=True)
    assert all(low <= high for low, high in zip(lower, best, strict=True))
    window.frontier_desk.show_frontier()
    qtbot.waitUntil(lambda: window.views.frontier.plot.scene is not None, timeout=WAIT_MS)
    scene = window.views.frontier.plot.scene
    assert scene is not None
    for point in range(len(scene.points)):
        window.frontier_desk.load(point)
        assert core.shown is not None
        assert core.shown.trace.peak_bytes <= core.budgets.ram_bytes
        assert core.shown.trace.total_energy_j == pytest.approx(scene.points.energy_j[point])
