"""The controller: latest wins, stale answers are dropped, a bad solve process is replaced."""

import os
import signal

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.explorer import Origin
from poet_gui.solving.status import Phase
from solver.graph_request import GraphRequest
from solver.outcome import Failed, Feasible, NoAnswer, StopReason
from tests.poet_gui.fixtures import (
    WAIT_MS,
    MakeWindow,
    is_running,
    notice_saying,
    open_model,
    solve,
)

# The scripted model is a chain of 6 forward ops, a loss and 6 backward ops of 1000 B each: its
# floor is 3000 B (a gradient op reads two tensors and makes one), so 4000 B leaves page-all room.
TIGHT, ROOMY = 4000, 100_000


def test_that_a_solved_schedule_is_shown_with_its_outcome(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    window.state.core.set_ram(TIGHT)
    solve(qtbot, window)
    core = window.state.core
    assert isinstance(core.status.outcome, Feasible)
    assert core.shown is not None
    assert core.shown.origin is Origin.RESULT
    assert core.shown.trace.peak_bytes <= TIGHT


@pytest.mark.slow
def test_that_moving_a_budget_solves_once_it_rests(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    ends: list[object] = []
    window.controller.finished.connect(ends.append)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        for ram in range(9000, TIGHT - 1, -100):
            window.wishes.set_ram(ram)
        assert window.state.core.status.phase is Phase.QUEUED
    outcome = window.state.core.status.outcome
    assert isinstance(outcome, Feasible)
    assert outcome.trace.problem.budgets.ram_bytes == TIGHT
    qtbot.wait(400)  # longer than the debounce: nothing else may follow
    assert len(ends) == 1


@pytest.mark.slow
def test_that_an_answer_to_an_older_question_is_dropped(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    # The script answers the second solve with the answer to the first (keep-all, which needs more
    # RAM than the second budget and claims to be optimal) before its own.
    window = make_window("late")
    open_model(qtbot, window)
    core = window.state.core
    ends: list[object] = []
    window.controller.finished.connect(ends.append)
    core.set_ram(ROOMY)
    window.controller.solve_now()
    core.set_ram(TIGHT)
    solve(qtbot, window)
    assert len(ends) == 1
    assert isinstance(ends[0], Feasible)
    assert ends[0].trace.problem.budgets.ram_bytes == TIGHT
    assert core.shown is not None
    assert core.shown.trace.peak_bytes <= TIGHT
    assert [row.problem.budgets.ram_bytes for row in core.history] == [TIGHT]


def test_that_stop_keeps_the_best_schedule(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("obedient")
    open_model(qtbot, window)
    window.state.core.set_ram(TIGHT)
    window.controller.solve_now()
    qtbot.waitUntil(lambda: window.state.core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        window.controller.stop()
        assert window.state.core.status.phase is Phase.STOPPING
    outcome = window.state.core.status.outcome
    assert isinstance(outcome, Feasible)
    assert outcome.stop_reason is StopReason.CANCELLED


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.slow
def test_that_a_solve_process_that_does_not_stop_is_replaced(
    qtbot: QtBot, make_window: MakeWindow, caplog: pytest.LogCaptureFixture, times: int
) -> None:
    window = make_window("deaf")
    open_model(qtbot, window)
    window.state.core.set_ram(TIGHT)
    before = window.controller.worker_pid
    window.controller.solve_now()
    qtbot.waitUntil(lambda: window.state.core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        for _ in range(times):
            window.controller.stop()
    outcome = window.state.core.status.outcome
    assert isinstance(outcome, Feasible)  # the incumbent was kept
    assert outcome.stop_reason is StopReason.CANCELLED
    assert window.controller.worker_pid != before
    assert before is not None
    qtbot.waitUntil(lambda: not is_running(before), timeout=WAIT_MS)
    assert "did not stop" in caplog.text


@pytest.mark.slow
def test_that_stopping_before_the_first_schedule_says_that_there_is_none(
    qtbot: QtBot, make_window: MakeWindow, caplog: pytest.LogCaptureFixture
) -> None:
    window = make_window("mute")
    open_model(qtbot, window)
    window.controller.solve_now()
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        window.controller.stop()
    assert isinstance(window.state.core.status.outcome, NoAnswer)
    assert window.views.status.words.text() == "Stopped, no schedule found yet"
    assert "did not stop" in caplog.text


@pytest.mark.slow
def test_that_a_solve_waiting_behind_a_deaf_one_is_sent_again(
    qtbot: QtBot, make_window: MakeWindow, caplog: pytest.LogCaptureFixture
) -> None:
    window = make_window("deaf")
    open_model(qtbot, window)
    core = window.state.core
    core.set_ram(ROOMY)
    window.controller.solve_now()
    core.set_ram(TIGHT)
    window.controller.solve_now()
    before = window.controller.worker_pid
    qtbot.waitUntil(lambda: window.controller.worker_pid not in {before, None}, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    assert core.shown is not None
    assert core.shown.trace.problem.budgets.ram_bytes == TIGHT
    assert "did not stop" in caplog.text


@pytest.mark.slow
def test_that_a_model_opened_behind_a_stuck_solve_is_opened_by_the_next_process(
    qtbot: QtBot, make_window: MakeWindow, caplog: pytest.LogCaptureFixture
) -> None:
    window = make_window("stuck")
    open_model(qtbot, window)
    core = window.state.core
    core.set_ram(TIGHT)
    window.controller.solve_now()
    qtbot.waitUntil(lambda: core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    before = core.model

    open_model(qtbot, window)

    assert core.model is not before
    assert core.opening is None
    assert "did not stop" in caplog.text


@pytest.mark.slow
def test_that_a_killed_solve_process_is_reported_and_replaced(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("obedient")
    open_model(qtbot, window)
    window.state.core.set_ram(TIGHT)
    window.controller.solve_now()
    qtbot.waitUntil(lambda: window.state.core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    pid = window.controller.worker_pid
    assert pid is not None
    with qtbot.waitSignal(window.controller.process_ended, timeout=WAIT_MS) as ended:
        os.kill(pid, signal.SIGKILL)
    assert ended.args is not None
    sentence, details = ended.args
    assert sentence == (
        "The solve process ended unexpectedly and was restarted; your schedule is kept."
    )
    assert "signal 9" in details
    assert notice_saying(qtbot, window, sentence).title == sentence
    assert isinstance(window.state.core.status.outcome, Feasible)  # the schedule is kept
    assert window.controller.worker_pid not in {pid, None}
    # The new process works: it ends the next solve when asked to.
    window.controller.solve_now()
    qtbot.waitUntil(lambda: window.state.core.status.phase is Phase.IMPROVING, timeout=WAIT_MS)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        window.controller.stop()


@pytest.mark.slow
def test_that_a_solve_process_that_keeps_dying_is_not_started_for_ever(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("dying")
    open_model(qtbot, window)
    with qtbot.waitSignal(window.controller.process_ended, timeout=WAIT_MS):
        window.controller.solve_now()
    assert isinstance(window.state.core.status.outcome, NoAnswer | Failed)
    assert window.state.core.shown is not None  # the plain schedule stays


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["liar", "boaster"])
def test_that_an_answer_that_fails_the_check_is_never_shown(
    qtbot: QtBot, make_window: MakeWindow, scenario: str
) -> None:
    window = make_window(scenario)
    open_model(qtbot, window)
    window.state.core.set_ram(TIGHT)
    with qtbot.waitSignal(window.controller.answer_rejected, timeout=WAIT_MS):
        window.controller.solve_now()
    core = window.state.core
    assert isinstance(core.status.outcome, Failed)
    assert core.shown is not None
    assert core.shown.origin is Origin.PLAIN
    notice_saying(qtbot, window, "did not pass the check")


@pytest.mark.slow
def test_that_a_refused_file_leaves_the_work_as_it_was(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    window.state.core.set_ram(TIGHT)
    solve(qtbot, window)
    before = window.state.core.shown
    with qtbot.waitSignal(window.controller.open_failed, timeout=WAIT_MS):
        window.opener.open_path("/nowhere/bad.onnx")
    assert window.state.core.shown is before
    notice = notice_saying(qtbot, window, "bad.onnx was not opened; what was open stays")
    assert "is no model" in notice.text
    assert "choose another" in notice.text


@pytest.mark.slow
def test_that_opening_can_be_given_up(
    qtbot: QtBot, make_window: MakeWindow, caplog: pytest.LogCaptureFixture
) -> None:
    window = make_window("slow_load")
    window.controller.open(GraphRequest("endless.onnx"), "endless.onnx")
    header = window.views.header
    qtbot.waitUntil(header.cancel_open.isVisible, timeout=WAIT_MS)
    assert "endless.onnx" in header.busy.text()
    header.cancel_open.click()
    assert window.state.core.opening is None
    assert not header.cancel_open.isVisible()
    pid = window.controller.worker_pid
    qtbot.waitUntil(lambda: window.controller.worker_pid != pid, timeout=WAIT_MS)
    assert "did not stop" in caplog.text
