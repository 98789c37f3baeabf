"""Claim: the calls of the pipeline give the problem that was asked for, or every reason why not."""

from dataclasses import replace
from pathlib import Path

import pytest

from solver import api, loading
from solver.api import GraphRequest
from solver.device import IoMode
from solver.errors import EngineError, ModelError, UsageError
from solver.events import Event, Finished
from solver.graph import Accounting, TrainingGraph, WeightGradients, Weights
from solver.loaders.options import LoadOptions
from solver.outcome import Failed, Feasible, Optimal, Outcome, SolverRecord, StopReason
from solver.problem import SolveOptions
from solver.schedule import Schedule
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, device_of
from tests.helpers.command import GRAPHS
from tests.helpers.results import RECORD, outcome_of_kind, small_problem

CHAIN_FILE = str(GRAPHS / "01_chain.json")


def test_that_the_default_budget_is_the_ram_of_the_device() -> None:
    problem = api.make_problem(chain(4), device_of())

    assert problem.budgets.ram_bytes == 10**12
    assert problem.budgets.runtime_s is None
    assert problem.switches.io is IoMode.BLOCKING


def test_that_a_budget_suggested_by_the_file_is_not_taken_in_silence() -> None:
    graph = api.load_training_graph(GraphRequest(str(GRAPHS / "08_infeasible.json"))).graph

    problem = api.make_problem(graph, device_of())

    assert graph.budget_bytes == 1048576
    assert problem.budgets.ram_bytes == 10**12


def test_that_ratios_are_of_the_plain_peak_and_the_baseline_runtime() -> None:
    # chain(4): plain peak 5004 B (loss, f1..f4, b4); baseline 4 x 1 + 1e-6 + 4 x 2 = 12.000001 s
    problem = api.make_problem(chain(4), device_of(), ram_ratio=0.7, runtime_ratio=1.5)

    assert problem.budgets.ram_bytes == 3502  # 3502.8 rounded down
    assert problem.budgets.runtime_s == pytest.approx(18.0000015)


def test_that_a_ratio_of_an_enormous_peak_is_exact_to_the_byte() -> None:
    # peak 5 x 10^17 + 4; in floating point 0.1 x that is off by several bytes
    problem = api.make_problem(chain(4, size=10**17), device_of(), ram_ratio=0.1)

    assert problem.budgets.ram_bytes == 5 * 10**16


@pytest.mark.parametrize("mode", list(IoMode))
def test_that_transfers_are_those_of_the_device_unless_asked_otherwise(mode: IoMode) -> None:
    own = api.make_problem(chain(4), replace(device_of(), io=mode))
    asked = api.make_problem(chain(4), device_of(), io=mode)

    assert own.switches.io is mode
    assert asked.switches.io is mode


def test_that_every_wrong_limit_is_named_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        api.make_problem(
            chain(4), device_of(), ram=1, ram_ratio=float("nan"), runtime_s=-1.0, runtime_ratio=2.0
        )

    words = str(caught.value)
    assert len(caught.value.issues) == 4
    assert "--ram and --ram-ratio" in words
    assert "--runtime and --runtime-ratio" in words
    assert "--ram-ratio: nan is not a limit" in words
    assert "--runtime: -1.0 is not a limit" in words


@pytest.mark.parametrize("ratio", [1e308, 1e14])
def test_that_a_ratio_beyond_what_may_be_typed_is_refused(ratio: float) -> None:
    with pytest.raises(UsageError) as caught:
        api.make_problem(chain(4), device_of(), ram_ratio=1e300, runtime_ratio=ratio)

    # the baseline of chain(4) takes 12 s: 1.2e309 s is more than a float holds, 1.2e15 s too long
    assert [issue.where for issue in caught.value.issues] == ["--ram-ratio", "--runtime-ratio"]


@pytest.mark.parametrize("path", ["x" * 300, "a\0b", "nowhere/x.onnx", "test_api.py/x"])
def test_that_no_path_is_too_strange_to_be_answered(path: str) -> None:
    with pytest.raises(UsageError, match="no file and no built-in network"):
        api.load_training_graph(GraphRequest(path))


def test_that_a_link_that_leads_nowhere_is_said_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nothing")

    with pytest.raises(ModelError, match="cannot be read"):
        api.load_training_graph(GraphRequest(str(tmp_path / "loop")))
    with pytest.raises(ModelError, match="does not exist"):
        api.load_training_graph(GraphRequest(str(tmp_path / "dangling")))


def test_that_a_file_removed_while_it_is_read_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.json"
    path.write_bytes((GRAPHS / "01_chain.json").read_bytes())

    def load_and_remove(path: Path, options: LoadOptions) -> TrainingGraph:
        path.unlink()
        return chain(4)

    monkeypatch.setattr(loading, "load_file", load_and_remove)
    with pytest.raises(ModelError, match="cannot be read any more"):
        api.load_training_graph(GraphRequest(str(path)))


def test_that_a_batch_whose_bytes_no_longer_add_up_exactly_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        api.load_training_graph(GraphRequest("resnet18_cifar", batch=10**15))

    assert caught.value.issues[0].where == "--batch"
    assert "at most 4.61 EB" in str(caught.value)


def test_that_an_unknown_model_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(UsageError, match="did you mean resnet18"):
        api.load_training_graph(GraphRequest("resnet81"))


def test_that_a_file_brings_its_digest(tmp_path: Path) -> None:
    model = api.load_training_graph(GraphRequest(CHAIN_FILE))

    assert model.source == CHAIN_FILE
    assert model.sha256 is not None
    assert len(model.sha256) == 64
    assert model.graph.settings.accounting is Accounting.GIVEN


def test_that_a_graph_file_takes_no_settings_of_a_graph() -> None:
    request = GraphRequest(
        CHAIN_FILE,
        Accounting.AUTODIFF,
        Weights.RESIDENT,
        WeightGradients.BUFFERED,
        batch=2,
        dims={"N": 1},
        loss="mse",
        output="y",
    )

    with pytest.raises(UsageError) as caught:
        api.load_training_graph(request)

    assert [issue.where for issue in caught.value.issues] == [
        "--accounting", "--weights", "--weight-gradients", "--batch", "--dim", "--loss", "--output",
    ]  # fmt: skip


def test_that_the_released_graphs_exist_at_batch_1_only() -> None:
    one = api.load_training_graph(GraphRequest("linear", Accounting.POET, batch=1))

    with pytest.raises(UsageError) as caught:
        api.load_training_graph(GraphRequest("linear", Accounting.POET, batch=2, loss="mse"))

    assert one.graph.settings.accounting is Accounting.POET
    assert [issue.where for issue in caught.value.issues] == ["--batch", "--loss"]


def test_that_resident_weights_are_fixed_bytes_under_the_released_rules_too() -> None:
    plain = api.load_training_graph(GraphRequest("linear", Accounting.POET)).graph
    resident = api.load_training_graph(
        GraphRequest("linear", Accounting.POET, Weights.RESIDENT)
    ).graph

    assert plain.fixed_bytes == 0
    assert resident.fixed_bytes == plain.weight_bytes > 0
    assert resident.settings.weights is Weights.RESIDENT


@pytest.mark.parametrize("accounting", [Accounting.POET, Accounting.AUTODIFF])
def test_that_accounting_with_a_graph_file_is_wrong_usage(accounting: Accounting) -> None:
    with pytest.raises(UsageError, match="--accounting"):
        api.load_training_graph(GraphRequest(CHAIN_FILE, accounting))


def test_that_a_builtin_has_no_open_dimension() -> None:
    with pytest.raises(EngineError, match="sequence"):
        api.load_training_graph(GraphRequest("resnet18_cifar", dims={"sequence": 3}))


class _Says:
    """A strategy that gives a prepared answer."""

    name, summary, paging, recompute = "says", "Gives a prepared answer.", None, None

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome

    def solve(self, *arguments: object) -> Outcome:
        return self.outcome


def _solved(monkeypatch: pytest.MonkeyPatch, answer: Outcome) -> tuple[Outcome, list[Event]]:
    monkeypatch.setattr(api, "get_strategy", lambda name: _Says(answer))
    events: list[Event] = []
    return api.solve(small_problem(), SolveOptions(), events.append), events


def test_that_finished_is_reported_last_and_holds_the_outcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = outcome_of_kind("feasible", small_problem())

    outcome, events = _solved(monkeypatch, answer)

    assert outcome is answer
    assert isinstance(events[-1], Finished)
    assert events[-1].outcome is answer


def test_that_an_illegal_schedule_is_a_failure_and_never_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = small_problem()
    actions = page_all(stage(problem)).actions
    trace = simulate(Schedule(actions[:-4]), problem)
    answer = Feasible(trace, 1.0, StopReason.GAP, "feasible", RECORD)

    outcome, _ = _solved(monkeypatch, answer)

    assert isinstance(outcome, Failed)
    assert "never run" in outcome.details


def test_that_a_bound_above_the_energy_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = small_problem()
    trace = simulate(page_all(stage(problem)), problem)
    answer = Optimal(trace, trace.total_energy_j * 1.001, "optimal", RECORD)

    outcome, _ = _solved(monkeypatch, answer)

    assert isinstance(outcome, Failed)
    assert "above the energy" in outcome.details


def test_that_optimal_without_a_meeting_bound_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = small_problem()
    trace = simulate(page_all(stage(problem)), problem)
    bound_j = trace.total_energy_j - 2e-4 * (trace.total_energy_j - 12.000001)

    outcome, _ = _solved(monkeypatch, Optimal(trace, bound_j, "optimal", RECORD))

    assert isinstance(outcome, Failed)
    assert "called optimal" in outcome.details


def test_that_every_wrong_option_is_named_at_once() -> None:
    options = SolveOptions(
        gap=-0.1, time_limit_s=float("inf"), work_limit=-1.0, threads=257, seed=2**31
    )

    with pytest.raises(UsageError) as caught:
        api.solve(small_problem(), options)

    assert [issue.where for issue in caught.value.issues] == [
        "--gap", "--time-limit", "--work-limit", "--threads", "--seed",
    ]  # fmt: skip


def test_that_a_failure_of_a_strategy_passes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = Failed("broke", SolverRecord("says", "none", "", 0.0))

    outcome, _ = _solved(monkeypatch, answer)

    assert outcome is answer
