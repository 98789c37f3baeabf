"""Claim: what was promised of the acceptance networks happened when PyTorch ran their schedules.

The replays were recorded by record.py where PyTorch is installed; here, without it, every recorded
schedule is verified again on the recorded graph, and what was measured is held against it.
"""

import hashlib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from solver.graph import TrainingGraph
from solver.saved import faults_of
from solver.schedule import ActionKind
from tests.solver.pytorch.recorded import (
    AMPLE,
    DEVICES,
    FOLDER,
    MODULE,
    NETWORKS,
    TIGHT,
    Run,
    budgets,
    recorded_graph,
    recorded_result,
    recorded_runs,
    recorded_trace,
    table,
)

README = Path(__file__).parents[3] / "README.md"


@cache
def graph_of(network: str) -> TrainingGraph:
    return recorded_graph(network)


def again(run: Run) -> list[str]:
    """Kinds of the ops that a run computes more than once."""
    graph = graph_of(run.network)
    return [
        graph.ops[action.target].kind
        for action in recorded_trace(run, graph).schedule.actions
        if action.kind is ActionKind.RECOMPUTE
    ]


@pytest.mark.parametrize("network", NETWORKS)
def test_that_every_recorded_schedule_is_legal_and_its_figures_hold(network: str) -> None:
    for run in recorded_runs(network):
        assert faults_of(recorded_result(run), graph_of(network)) == ()


@pytest.mark.parametrize("network", NETWORKS)
def test_that_both_budgets_of_both_devices_were_replayed(network: str) -> None:
    runs, graph = recorded_runs(network), graph_of(network)
    costed = recorded_trace(runs[0], graph).problem.costed
    wanted = budgets(costed)
    assert wanted[TIGHT] == -(-105 * costed.floor_bytes // 100)
    assert wanted.get(AMPLE, wanted[TIGHT]) >= wanted[TIGHT]
    found = [(run.device, run.budget, run.ram_bytes) for run in runs]
    assert found == [(device, *item) for device in DEVICES for item in wanted.items()]
    for run in runs:
        assert recorded_result(run).budget.ram_bytes == run.ram_bytes


@pytest.mark.parametrize("network", NETWORKS)
def test_that_gradients_were_bit_equal_and_the_peak_met_to_the_byte(network: str) -> None:
    graph = graph_of(network)
    assert graph.program is not None
    for run in recorded_runs(network):
        report, trace = run.report, recorded_trace(run, graph)
        assert report["fault"] == ""
        assert report["different"] == []
        assert report["gradients"] == len(graph.program.gradients) == len(graph.trainable)
        assert report["eager_error"] <= 1e-5
        assert report["peak_bytes"] == trace.peak_bytes - graph.fixed_bytes <= run.ram_bytes


@pytest.mark.parametrize("network", NETWORKS)
def test_that_what_was_executed_is_the_recorded_schedule(network: str) -> None:
    for run in recorded_runs(network):
        actions = recorded_trace(run, graph_of(network)).schedule.actions
        counted = Counter(action.kind.value for action in actions)
        assert run.counts == {kind.value: counted[kind.value] for kind in ActionKind}


def test_that_the_runs_recompute_and_page_batch_norm_included() -> None:
    runs = [run for network in NETWORKS for run in recorded_runs(network)]
    assert sum(run.counts["recompute"] > 0 for run in runs) >= 5
    assert sum(run.counts["page_in"] > 0 for run in runs) >= 5
    both = [run for run in runs if run.counts["recompute"] and run.counts["page_in"]]
    assert {run.network for run in both} >= {"encoder", "lstm"}
    kinds = {kind for run in runs for kind in again(run)}
    assert "_native_batch_norm_legit_functional" in kinds
    assert "native_layer_norm" in kinds


def test_that_dropout_stands_between_ops_that_run_again_and_draws_once() -> None:
    """Its mask is one of its outputs: what reads it is computed again, it is kept or paged."""
    graph = graph_of("encoder")
    dropouts = [op for op in graph.ops if op.kind == "native_dropout"]
    assert len(dropouts) == 8  # two blocks of four
    assert not any(op.recomputable for op in dropouts)
    dropped = {name for op in dropouts for name in op.outputs}
    found = [run for run in recorded_runs("encoder") if again(run)]
    assert found
    for run in found:
        trace = recorded_trace(run, graph)
        actions = trace.schedule.actions
        readers = {
            graph.ops[a.target].name
            for a in actions
            if a.kind is ActionKind.RECOMPUTE and dropped & set(graph.ops[a.target].inputs)
        }
        assert readers
        assert "native_dropout" not in again(run)


@pytest.mark.parametrize("network", NETWORKS)
def test_that_the_record_is_of_the_module_as_it_stands(network: str) -> None:
    program = graph_of(network).program
    assert program is not None
    assert program.source.file == MODULE.name
    assert program.source.sha256 == hashlib.sha256(MODULE.read_bytes()).hexdigest()


def test_that_the_record_is_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 4 * 2**20


def test_that_the_table_of_the_readme_is_what_was_recorded() -> None:
    text = README.read_text(encoding="utf-8")
    begin = "<!-- replays: begin (printed by `python -m tests.solver.pytorch.recorded`) -->\n"
    assert text.partition(begin)[2].partition("\n<!-- replays: end -->")[0] == table()
