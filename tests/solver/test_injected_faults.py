"""Claim: a fault put into the engine is found: each test here goes through an oracle that sees it.

Every fault is first shown to be absent: the same check passes on the engine as it is.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest

from solver import api
from solver.device import IoMode
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.heuristic import plan as plan_module
from solver.heuristic.plan import keep_everything
from solver.heuristic.repair import repair
from solver.heuristic.stage_plan import StagePlanner, prices
from solver.lowering import Run, lower
from solver.milp import extract
from solver.milp.extract import read_plan, write_start
from solver.milp.stage_model import StageModel
from solver.outcome import Failed, Feasible, Optimal, Outcome
from solver.problem import Problem, SolveOptions
from solver.schedule import Action, ActionKind, Schedule
from solver.staged import StagedProblem, stage
from solver.strategies import joint_proof, joint_solve, progress
from tests.helpers.builders import chain, device_of, problem_of
from tests.helpers.command import REFERENCE
from tests.helpers.oracle import least_energy

Fault = Callable[[pytest.MonkeyPatch], None]

OPTIMA: Final[list[dict[str, Any]]] = json.loads((REFERENCE / "optima.json").read_text())


def solve(
    problem: Problem, *, work_limit: float | None = None, time_limit_s: float = 600.0
) -> Outcome:
    options = SolveOptions(gap=0.0, time_limit_s=time_limit_s, work_limit=work_limit)
    return api.solve(problem, options)


# -- illegal actions -------------------------------------------------------------------------------


def patched_lowering(change: Callable[[list[Action], StagedProblem], list[Action]]) -> Fault:
    """A fault that changes the actions that a plan is lowered to."""

    def broken(staged: StagedProblem, runs: list[Run], paged: int) -> Schedule:
        return Schedule(tuple(change(list(lower(staged, runs, paged).actions), staged)))

    return lambda patch: patch.setattr(plan_module, "lower", broken)


def freed_too_early(actions: list[Action], staged: StagedProblem) -> list[Action]:
    """The first free moves above the run before it, the last that reads its tensor."""
    at = next(k for k, action in enumerate(actions) if action.kind is ActionKind.FREE)
    run = max(k for k, action in enumerate(actions[:at]) if action.kind.runs_op)
    actions.insert(run, actions.pop(at))
    return actions


def unpaid_page_in(actions: list[Action], staged: StagedProblem) -> list[Action]:
    return [action for action in actions if action.kind is not ActionKind.PAGE_IN]


def never_written(actions: list[Action], staged: StagedProblem) -> list[Action]:
    return [action for action in actions if action.kind is not ActionKind.PAGE_OUT]


def recomputed_backward(actions: list[Action], staged: StagedProblem) -> list[Action]:
    """The first gradient runs a second time at once, while all that it reads is there."""
    at = next(k for k, action in enumerate(actions) if action.target == staged.first_backward)
    again = Action(ActionKind.RECOMPUTE, staged.first_backward)
    return [*actions[: at + 1], again, *actions[at + 1 :]]


def one_byte_too_many(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        joint_solve, "stage", lambda problem: replace(stage(problem), room=stage(problem).room + 1)
    )


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (patched_lowering(freed_too_early), "is not in RAM"),
        (patched_lowering(unpaid_page_in), "its input f1 is not in RAM"),
        (patched_lowering(never_written), "is not in storage"),
        (patched_lowering(recomputed_backward), "may not run twice"),
    ],
    ids=["freed-too-early", "unpaid-page-in", "never-written", "recomputed-backward"],
)
def test_that_an_illegal_action_is_found_before_it_is_shown(
    fault: Fault, found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = problem_of(chain(4), 3004)
    assert isinstance(solve(problem), Optimal)

    fault(monkeypatch)

    with pytest.raises(AssertionError, match=found):
        solve(problem)


def test_that_a_budget_off_by_one_byte_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # 5003 B are one too few for keeping all of chain(4)
    problem = problem_of(chain(4), 5003)
    assert isinstance(solve(problem), Optimal)

    one_byte_too_many(monkeypatch)

    with pytest.raises(AssertionError, match="1 B over the RAM budget"):
        solve(problem)


# -- page-ins that cost nothing --------------------------------------------------------------------


def test_that_a_page_in_that_nobody_pays_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # The simulator's sum is checked against the verifier's.
    problem = problem_of(chain(4), 3004)
    assert isinstance(solve(problem), Optimal)
    simulate = progress.simulate

    def unpaid(schedule: Schedule, of: Problem) -> Any:
        trace = simulate(schedule, of)
        kinds = np.array([action.kind is ActionKind.PAGE_IN for action in schedule.actions])
        return replace(trace, energy_j=np.where(kinds, 0.0, trace.energy_j))

    monkeypatch.setattr(progress, "simulate", unpaid)

    with pytest.raises(AssertionError, match="energy stated"):
        solve(problem)


@pytest.mark.slow
def test_that_a_search_that_prices_page_ins_at_nothing_misses_the_optimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The same fault in the prices of search and models alike: legal schedules, wrong choices.
    problem = expensive_paging()
    optimum = least_energy(problem)
    outcome = solve(problem)
    assert isinstance(outcome, Optimal)
    assert outcome.trace.total_energy_j == pytest.approx(optimum)

    def unpaid(of: Problem) -> StagedProblem:
        staged = stage(of)
        nothing = (0.0,) * staged.tensors
        return replace(staged, in_j=nothing, out_j=nothing)

    monkeypatch.setattr(joint_solve, "stage", unpaid)

    # Its model and its schedules never agree; whenever it is stopped, that is no optimum.
    outcome = solve(problem, time_limit_s=2.0)

    assert not (
        isinstance(outcome, Optimal) and outcome.trace.total_energy_j == pytest.approx(optimum)
    )


def expensive_paging() -> Problem:
    """chain(3) at 3004 B where a page-in costs 5 J and a rerun 1 J."""
    device = device_of(joule_per_byte_in=5e-3)
    return problem_of(chain(3), 3004, device=device)


# -- bounds ----------------------------------------------------------------------------------------


def test_that_a_bound_too_high_by_a_thousandth_of_the_overhead_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = problem_of(chain(4), 3004)
    honest = solve(problem)
    assert isinstance(honest, Optimal)
    overhead = honest.trace.total_energy_j - problem.costed.baseline_energy_j
    prove = progress.SolveProgress.prove

    def boastful(self: progress.SolveProgress, bound_j: float) -> None:
        prove(self, bound_j + 1e-3 * overhead)

    monkeypatch.setattr(progress.SolveProgress, "prove", boastful)

    with pytest.raises(AssertionError, match="above a schedule"):
        solve(problem)


def test_that_the_last_check_finds_a_bound_that_nobody_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = problem_of(chain(4), 3004)
    honest = solve(problem)
    assert isinstance(honest, Optimal)
    overhead = honest.trace.total_energy_j - problem.costed.baseline_energy_j

    finished = joint_solve.finished

    def boastful(trace: Any, bound_j: float, stop: Any, record: Any, **more: Any) -> Outcome:
        return finished(trace, bound_j + 1e-3 * overhead, stop, record, **more)

    monkeypatch.setattr(joint_solve, "finished", boastful)

    outcome = solve(problem)

    assert isinstance(outcome, Failed)
    assert "lies above the energy" in outcome.details


# -- reading solutions -----------------------------------------------------------------------------


def test_that_truncating_instead_of_rounding_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers return 0.9999999: truncated, a supply is missing and the plan is another."""
    staged = stage(problem_of(chain(3), 3004, paging=False))
    plan = keep_everything(StagePlanner(staged, prices(staged)))
    assert repair(plan)
    model = StageModel(staged, begin=0, detailed=frozenset(), scale=1.0)
    nearly = write_start(model, plan) * (1 - 1e-7)

    def fits_and_costs_the_same() -> bool:
        back = read_plan(model, nearly, plan.planner)
        return back is not None and back.fits and back.cost == pytest.approx(plan.cost)

    assert fits_and_costs_the_same()

    monkeypatch.setattr(extract, "_HALF", 1 - 1e-9)  # x > 1 - 1e-9: what int(x) would do

    assert not fits_and_costs_the_same()


# -- without its MILP ------------------------------------------------------------------------------


def reference_problem(row: dict[str, Any]) -> Problem:
    request = GraphRequest(row["network"], Accounting.POET)
    graph = api.load_training_graph(request).graph
    return api.make_problem(
        graph,
        api.load_device(row["device"]),
        ram=row["ram_bytes"],
        runtime_ratio=row["runtime_ratio"],
        io=IoMode.IGNORED,
    )


def no_proof(patch: pytest.MonkeyPatch) -> None:
    """The MILP switched off: no bound beyond the baseline, no plan from a model."""
    for step in ("glance", "gap_model", "advance"):
        patch.setattr(joint_proof.Proof, step, lambda *_: None)


@pytest.mark.slow
def test_that_without_its_milp_reference_rows_are_not_proven(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = next(row for row in OPTIMA if row["network"] == "linear" and row["overhead_j"])
    problem = reference_problem(row)
    assert isinstance(solve(problem), Optimal)

    no_proof(monkeypatch)

    assert isinstance(solve(problem, work_limit=0.5), Feasible)


def test_that_without_its_milp_impossible_problems_stay_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = problem_of(chain(4), 3000, paging=False, recompute=False)
    assert solve(problem).message.startswith("impossible without paging")

    no_proof(monkeypatch)

    assert "is open" in solve(problem, work_limit=0.5).message
