"""Claim: on another device the schedule on screen stays, priced anew, until it is solved."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from poet_gui.explorer import Explorer, Origin, Topic
from poet_gui.solving.deliveries import OpenModel
from poet_gui.solving.prepare import carried, prepare, reprice
from poet_gui.solving.status import Phase, SolveStatus
from solver.device import Device, IoMode
from solver.device_files import load_device
from solver.explain import finished
from solver.graph_request import GraphRequest
from solver.outcome import SolverRecord, StopReason
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, device_of
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, open_model, solve

RECORD = SolverRecord("joint", "none", "", 0.0)
SMALL = replace(device_of(), ram_bytes=4000)  # chain(5) of 1000 B each: floor 3000 B


def told(topic: Topic) -> None:
    """Nobody listens."""


@pytest.fixture
def core() -> Explorer:
    """A chain solved by paging at 4000 B."""
    explorer = Explorer(SMALL, told)
    explorer.open_model(
        prepare(
            chain(5),
            SMALL,
            request=GraphRequest("chain"),
            source="test",
            sha256=None,
            graph_key="chain",
        )
    )
    problem = explorer.problem
    assert problem is not None
    trace = simulate(page_all(stage(problem)), problem)
    bound_j = problem.costed.baseline_energy_j
    explorer.finish(finished(trace, bound_j, StopReason.TIME, RECORD), SolveStatus())
    return explorer


def moved(core: Explorer, device: Device) -> tuple[OpenModel, Trace | None]:
    """The open model on another device, and what becomes of the schedule on screen."""
    assert core.model is not None
    assert core.shown is not None
    model = reprice(core.model, device)
    return model, carried(core.shown.trace, model.costed)


def test_that_the_schedule_stays_and_its_figures_are_those_of_the_new_device(
    core: Explorer,
) -> None:
    assert core.shown is not None
    before = core.shown.trace
    core.set_repriced(*moved(core, replace(SMALL, flop_per_s=2e6)))
    after = core.shown.trace
    assert core.shown.origin is Origin.NEAREST
    assert after.schedule is before.schedule
    # 5 ops of 1 MFLOP, 5 of 2, a loss of 1 FLOP: 15 s, half of that at twice the rate.
    assert before.runtime_s - after.runtime_s == pytest.approx(15 / 2)
    assert after.peak_bytes == before.peak_bytes
    assert core.status.phase is Phase.READY  # no answer yet


def test_that_a_device_of_the_same_ram_keeps_the_budget(core: Explorer) -> None:
    core.set_ram(3500)
    core.set_repriced(*moved(core, replace(SMALL, flop_per_s=2e6)))
    assert core.budgets.ram_bytes == 3500
    core.set_repriced(*moved(core, replace(SMALL, ram_bytes=3800)))
    assert core.budgets.ram_bytes == 3800  # another board: its RAM


def test_that_a_schedule_which_does_not_fit_the_new_board_is_not_shown(core: Explorer) -> None:
    assert core.shown is not None
    needed = core.shown.trace.peak_bytes
    core.set_repriced(*moved(core, replace(SMALL, ram_bytes=needed - 1)))
    assert core.shown.origin is Origin.PLAIN


def test_that_transfers_are_those_of_the_new_device(core: Explorer) -> None:
    _, trace = moved(core, replace(SMALL, io=IoMode.IGNORED))
    assert trace is not None
    assert trace.problem.switches.io is IoMode.IGNORED
    assert trace.runtime_s == pytest.approx(15.0)  # transfers take no time


def test_that_the_old_device_brings_its_answer_back_without_a_solve(core: Explorer) -> None:
    answer = core.status.outcome
    core.set_repriced(*moved(core, replace(SMALL, flop_per_s=2e6)))
    assert core.needs_solve
    core.set_repriced(*moved(core, SMALL))
    assert not core.needs_solve
    assert core.status.outcome == answer


@pytest.mark.slow
def test_that_what_was_solved_is_solved_for_the_new_device(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    solve(qtbot, window)
    faster = replace(load_device("nrf52840"), id="faster", flop_per_s=12e6)
    with qtbot.waitSignal(window.controller.finished, timeout=WAIT_MS):
        window.controller.choose_device(faster)
    problem = window.state.core.problem
    assert problem is not None
    assert problem.costed.device == faster
    assert window.state.core.status.outcome is not None


def test_that_nothing_is_solved_for_a_device_before_the_first_solve(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    faster = replace(load_device("nrf52840"), id="faster", flop_per_s=12e6)
    with qtbot.waitSignal(window.controller.opened, timeout=WAIT_MS):
        window.controller.choose_device(faster)
    assert window.state.core.status.phase is Phase.READY
