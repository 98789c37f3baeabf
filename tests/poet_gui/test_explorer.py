"""The explorer's state: one place that changes, and only what changed is told."""

import math
from dataclasses import replace

import pytest

from poet_gui import knowledge
from poet_gui.explorer import Explorer, Origin, Topic
from poet_gui.solving.deliveries import OpenedResult, OpenModel
from poet_gui.solving.prepare import prepare
from poet_gui.solving.status import Phase, SolveStatus
from poet_gui.viewmodels.frontier_sources import sources_of
from poet_gui.viewmodels.headline import expected
from solver.brackets import StoredBound
from solver.device import IoMode
from solver.explain import finished
from solver.graph_request import GraphRequest
from solver.outcome import Feasible, NoAnswer, Optimal, Outcome, SolverRecord, StopReason
from solver.problem import Problem, SolveOptions, Switches
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, device_of

RECORD = SolverRecord("joint", "none", "", 0.0)
# chain(5) with tensors of 1000 B: a gradient op reads two and makes one, the floor is 3000 B.
FLOOR = 3000


@pytest.fixture
def told() -> list[Topic]:
    return []


@pytest.fixture
def core(told: list[Topic]) -> Explorer:
    explorer = Explorer(device_of(), told.append)
    explorer.open_model(_model())
    told.clear()
    return explorer


def test_that_a_model_opens_with_its_plain_schedule(core: Explorer) -> None:
    assert core.model is not None
    assert core.model.costed.floor_bytes == FLOOR
    assert core.shown is not None
    assert core.shown.origin is Origin.PLAIN
    assert core.shown.trace.peak_bytes == core.model.costed.plain_peak_bytes
    assert core.status.phase is Phase.READY


def test_that_the_options_of_a_result_end_with_it(core: Explorer) -> None:
    model, problem = core.model, core.problem
    assert model is not None
    assert problem is not None
    core.set_options(SolveOptions(gap=0.03))
    outcome = finished(simulate(page_all(stage(problem)), problem), 0.0, StopReason.WORK, RECORD)
    stored = OpenedResult(problem, SolveOptions(strategy="page-all", gap=0.2), outcome)
    core.open_model(model, stored)
    assert (core.options.strategy, core.options.gap) == ("page-all", 0.2)
    core.open_model(_model())
    assert (core.options.strategy, core.options.gap) == ("joint", 0.03)


def test_that_a_device_with_more_than_enough_starts_at_the_plain_peak(core: Explorer) -> None:
    assert core.model is not None
    assert core.budgets.ram_bytes == core.model.costed.plain_peak_bytes


def test_that_a_schedule_is_first_seen_at_its_peak_with_a_tensor_selected(core: Explorer) -> None:
    assert core.shown is not None
    assert core.shown.trace.resident_bytes[core.looking.playhead] == core.shown.trace.peak_bytes
    assert core.looking.tensor is not None
    _solve_by_paging(core, 4000)
    assert core.shown.trace.resident_bytes[core.looking.playhead] == core.shown.trace.peak_bytes


def test_that_a_later_schedule_leaves_the_place_that_the_user_chose(
    core: Explorer, told: list[Topic]
) -> None:
    core.looking.set_tensor(3)
    core.looking.set_playhead(2)
    _solve_by_paging(core, 4000)
    assert (core.looking.tensor, core.looking.playhead) == (3, 2)
    core.open_model(_model())
    assert core.looking.playhead != 2  # another model is looked at anew


def test_that_setting_the_same_value_tells_nobody(core: Explorer, told: list[Topic]) -> None:
    core.set_ram(core.budgets.ram_bytes)
    core.set_runtime(None)
    core.set_switches(core.switches)
    core.looking.set_axis("step")
    core.looking.set_tensor(core.looking.tensor)
    core.looking.set_playhead(core.looking.playhead)
    assert told == []


def test_that_a_new_budget_is_told_once(core: Explorer, told: list[Topic]) -> None:
    core.set_ram(5000)
    assert told == [Topic.PROBLEM, Topic.SOLVE]


def test_that_a_finished_solve_is_shown_and_becomes_history(core: Explorer) -> None:
    outcome = _solve_by_paging(core, 4000)
    assert core.shown is not None
    assert core.shown.origin is Origin.RESULT
    assert core.status.outcome is outcome
    assert [row.outcome for row in core.history] == [outcome]


def test_that_a_looser_budget_shows_the_stored_schedule_at_once(core: Explorer) -> None:
    _solve_by_paging(core, 4000)
    core.set_ram(4500)
    assert core.shown is not None
    assert core.shown.origin is Origin.NEAREST
    assert core.shown.trace.peak_bytes <= 4500
    assert core.needs_solve


def test_that_a_tighter_budget_goes_back_to_the_plain_schedule(core: Explorer) -> None:
    outcome = _solve_by_paging(core, 4000)
    assert isinstance(outcome, Feasible)
    core.set_ram(outcome.trace.peak_bytes - 1)
    assert core.shown is not None
    assert core.shown.origin is Origin.PLAIN


def test_that_going_back_to_a_solved_budget_needs_no_solve(core: Explorer) -> None:
    outcome = _solve_by_paging(core, 4000)
    core.set_ram(4500)
    core.set_ram(4000)
    assert not core.needs_solve
    assert core.status.outcome is outcome


def test_that_an_optimum_serves_every_budget_down_to_its_peak(core: Explorer) -> None:
    # The plain schedule is optimal without a limit: it costs the baseline, and nothing costs less.
    assert core.model is not None
    peak = core.model.costed.plain_peak_bytes
    core.set_ram(2 * peak)
    assert core.problem is not None
    trace = replace(core.model.plain, problem=core.problem)
    baseline_j = core.model.costed.baseline_energy_j
    core.finish(finished(trace, baseline_j, StopReason.PROOF, RECORD), SolveStatus())
    core.set_ram(peak)
    assert isinstance(core.status.outcome, Optimal)
    assert core.status.outcome.trace.problem.budgets.ram_bytes == peak
    core.set_ram(peak - 1)
    assert core.status.outcome is None


def test_that_other_switches_share_no_schedules(core: Explorer) -> None:
    _solve_by_paging(core, 4000)
    core.set_switches(Switches(paging=False))
    assert core.shown is not None
    assert core.shown.origin is Origin.PLAIN
    assert core.solved == ()


def test_that_a_budget_below_the_floor_is_known_to_be_impossible(core: Explorer) -> None:
    core.set_ram(FLOOR - 1)
    assert _impossible(core)
    core.set_ram(FLOOR)
    assert not _impossible(core)


def test_that_a_runtime_below_the_baseline_is_known_to_be_impossible(core: Explorer) -> None:
    assert core.model is not None
    baseline_s = core.model.costed.baseline_runtime_s
    core.set_runtime(0.99 * baseline_s)
    assert _impossible(core)
    core.set_runtime(baseline_s)
    assert not _impossible(core)


def test_that_an_impossible_budget_says_which_budget_the_proof_is_of(core: Explorer) -> None:
    core.set_ram(FLOOR + 100)
    assert core.problem is not None
    core.learn_stored(core.problem, [StoredBound(core.budgets, math.inf)])
    assert expected(core).detail == "proven by a solve of these budgets"
    core.set_ram(FLOOR + 50)
    assert expected(core).detail == "proven by a solve at a looser budget"


def test_that_a_solve_that_waits_goes_on_waiting_while_the_slider_moves(
    core: Explorer, told: list[Topic]
) -> None:
    core.set_ram(5000)
    core.set_status(SolveStatus(Phase.QUEUED))
    told.clear()
    core.set_ram(5001)
    assert core.status.phase is Phase.QUEUED
    assert told == [Topic.PROBLEM, Topic.SOLVE]


def test_that_a_row_of_the_history_comes_back_without_a_solve(core: Explorer) -> None:
    first = _solve_by_paging(core, 4000)
    _solve_by_paging(core, 5000)
    core.restore(core.history[0])
    assert core.budgets.ram_bytes == 4000
    assert core.status.outcome is first
    assert not core.needs_solve


def test_that_a_worse_answer_does_not_replace_a_better_stored_one(core: Explorer) -> None:
    tight = _solve_by_paging(core, 4000)
    assert isinstance(tight, Feasible)
    core.set_ram(4500)
    assert core.problem is not None
    # The next solve gives up without a schedule: the stored one still fits and is the answer.
    core.finish(NoAnswer(StopReason.TIME, "none found", RECORD), SolveStatus())
    assert isinstance(core.status.outcome, Feasible)
    assert core.status.outcome.trace.total_energy_j == tight.trace.total_energy_j
    assert core.status.outcome.trace.problem.budgets.ram_bytes == 4500


@pytest.mark.parametrize("io", list(IoMode))
def test_that_transfers_are_those_of_the_device_until_chosen_otherwise(io: IoMode) -> None:
    core = Explorer(device_of(), list[Topic]().append)
    core.open_model(_model(io))
    assert core.switches.io is io
    assert core.problem is not None
    assert core.problem.switches.io is io


def test_that_the_playhead_stays_inside_the_schedule(core: Explorer) -> None:
    core.looking.set_playhead(10**6)
    assert core.shown is not None
    assert core.looking.playhead == len(core.shown.trace.schedule.actions) - 1
    core.looking.set_playhead(-5)
    assert core.looking.playhead == 0


def test_that_the_switches_asked_for_first_are_named_beforehand(
    core: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fingerprint walks over the whole graph: in the window's thread it would be felt."""
    model = _model()
    monkeypatch.setattr(knowledge, "fingerprint", pytest.fail)
    core.open_model(model)
    assert core.knowledge.fingerprint(Problem(model.costed, core.budgets, core.switches))
    assert len(sources_of(core)) == 4


def _model(io: IoMode = IoMode.BLOCKING) -> OpenModel:
    return prepare(
        chain(5),
        replace(device_of(), io=io),
        request=GraphRequest("chain"),
        source="test",
        sha256=None,
        graph_key="chain",
    )


def _solve_by_paging(core: Explorer, ram_bytes: int) -> Outcome:
    """Finish a solve of that budget with page-all and only the baseline as a bound."""
    core.set_ram(ram_bytes)
    problem = core.problem
    assert problem is not None
    trace = simulate(page_all(stage(problem)), problem)
    bound_j = problem.costed.baseline_energy_j
    outcome = finished(trace, bound_j, StopReason.TIME, RECORD)
    core.finish(outcome, SolveStatus())
    return outcome


def _impossible(core: Explorer) -> bool:
    bracket = core.bracket
    assert bracket is not None
    return bracket.impossible
