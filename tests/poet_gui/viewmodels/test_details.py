"""The facts of a tensor, and energies that add up to the headline."""

import pytest

from poet_gui.viewmodels.details import count_tensors, describe_tensor
from solver.simulate import Trace, simulate
from tests.helpers.schedules import random_legal_schedule
from tests.helpers.traces import empty_trace, many_outputs_trace, story


def facts(trace: Trace, tensor: int, action: int | None = None) -> dict[str, str]:
    shown = describe_tensor(trace, tensor, action)
    return {fact.label: fact.value for fact in shown.facts}


def test_that_the_facts_count_runs_transfers_and_spans() -> None:
    told = facts(story(), 0)
    assert told["producer"] == "f1"
    assert told["readers"] == "f2, b1"
    assert told["computes"] == "1"
    assert told["page-outs / ins"] == "1 / 1"
    assert told["in RAM, steps"] == "1–3, 7–10"
    # 1 J for the run and 20 mJ for two transfers, of 10.020001 J.
    assert told["energy"] == "1.020 J · 10.2 %"


def test_that_recomputes_are_told_with_their_price() -> None:
    assert facts(story(), 1)["computes"] == "2 (1 again at 1.000 J)"


def test_that_the_subtitle_has_shape_type_and_size_as_far_as_they_are_known() -> None:
    assert describe_tensor(story(), 0).subtitle == "1000 B"


def test_that_the_default_moment_is_the_peak() -> None:
    trace = story()
    assert describe_tensor(trace, 1).why == describe_tensor(trace, 1, 12).why


def test_that_an_op_of_two_outputs_shares_its_energy_equally() -> None:
    counts = count_tensors(many_outputs_trace())  # split 4 J, join 1 J, update 2 J
    assert counts.energy_j.tolist() == pytest.approx([2.0, 2.0, 1.0])
    assert counts.silent_j == pytest.approx(2.0)


def test_that_the_energies_of_all_tensors_add_up_to_the_schedule() -> None:
    for seed in range(25):
        trace = simulate(*random_legal_schedule(seed))
        counts = count_tensors(trace)
        total = counts.energy_j.sum() + counts.silent_j
        assert total == pytest.approx(trace.total_energy_j, rel=1e-12)


def test_that_a_tensor_that_does_not_exist_is_refused() -> None:
    with pytest.raises(IndexError):
        describe_tensor(story(), 99)
    with pytest.raises(IndexError):
        describe_tensor(empty_trace(), 0)
