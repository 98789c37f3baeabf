"""Claim: a minute of dragging ends with the one right answer, no memory lost and nothing left."""

import math
import time
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from poet_gui.widgets.budget_slider import STEPS
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.outcome import Feasible, Optimal
from solver.problem import SolveOptions
from tests.poet_gui.fixtures import MakeWindow

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
WAIT_MS = 120_000
DRAG_S, WARM_S, MOVE_MS = 60.0, 10.0, 16
GROWTH_BYTES = 150 * 2**20
"""Of the window, from the tenth second on: a schedule drawn leaves caches of Qt behind."""


def test_that_a_minute_of_dragging_ends_with_the_one_right_answer(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    del caplog  # a busy machine may let the solve process be replaced, which is logged
    window = make_window(None, store_folder=tmp_path)
    request = GraphRequest("resnet18_cifar", Accounting.POET)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.controller.open(request, request.model)
    core, slider = window.state.core, window.views.budgets.ram_slider
    core.set_options(SolveOptions(gap=0.01, time_limit_s=5.0))
    process, early, move = psutil.Process(), 0, 0
    began = time.monotonic()
    while (now_s := time.monotonic() - began) < DRAG_S:
        # Back and forth between 30 and 90 % of the groove, with a rest every five seconds or so.
        slider.setValue(round(STEPS * (0.6 + 0.3 * math.sin(move / 47))))
        qtbot.wait(400 if move % 300 == 299 else MOVE_MS)
        move += 1
        if now_s < WARM_S:
            early = process.memory_info().rss
    late = process.memory_info().rss
    print(f"{move} moves, {early / 2**20:.0f} MiB after 10 s, {late / 2**20:.0f} MiB after 60 s")  # noqa: T201
    rows = len(core.history)
    ends: list[object] = []
    window.controller.finished.connect(ends.append)
    slider.setValue(STEPS // 2)
    final = core.budgets.ram_bytes
    qtbot.waitUntil(lambda: len(core.history) > rows, timeout=WAIT_MS)

    assert late - early < GROWTH_BYTES
    assert len(ends) <= 1
    outcome = core.status.outcome
    assert isinstance(outcome, Optimal | Feasible)
    assert outcome.trace.problem.budgets.ram_bytes == final == core.budgets.ram_bytes
    assert core.history[-1].problem.budgets.ram_bytes == final
    bracket = core.bracket
    assert bracket is not None
    assert bracket.high_j is not None
    assert bracket.low_j <= bracket.high_j <= outcome.trace.total_energy_j
    assert core.brackets is not None
    assert core.brackets.refuted == []
    workers = [child.pid for child in process.children(recursive=True)]
    assert workers == [window.controller.worker_pid]
    window.close()
    assert not any(psutil.pid_exists(pid) for pid in workers)
