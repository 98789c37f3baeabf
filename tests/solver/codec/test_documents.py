"""Claim: documents have exactly the fields of the contract, in its order, with its null rules."""

import json
import math
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from solver.codec import (
    Origin,
    decode_result,
    encode_json,
    graph_document,
    result_document,
)
from solver.codec.documents import GraphDocument
from solver.codec.numbers import finite, finite_list, finite_or_none
from solver.codec.outcome import options_of, outcome_of
from solver.errors import ModelError
from solver.outcome import Feasible, Optimal, overhead_gap, status_of
from tests.helpers.results import (
    KINDS,
    RECORD,
    outcome_of_kind,
    result_of_kind,
    small_problem,
)

GRAPH_FIELDS = [
    "format", "version", "ops", "tensors", "trainable", "loss_tensors", "baseline",
    "plain_peak_bytes", "floor_bytes", "floor_op", "fixed_bytes", "weight_bytes", "trainable_bytes",
    "forward_macs", "forward_bytes", "saved_extra_bytes", "settings", "device", "warnings",
]  # fmt: skip
RESULT_FIELDS = [
    "format", "version", "model", "device", "settings", "budget", "status", "stop_reason",
    "message", "reason", "baseline", "plain_peak_bytes", "floor_bytes", "energy_j", "bound_j",
    "gap", "runtime_s", "peak_bytes", "actions", "solver", "warnings", "problem",
]  # fmt: skip


def _json(kind: str, *, slim: bool = False) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(encode_json(result_of_kind(kind, slim=slim)))
    return document


def test_that_a_graph_has_the_fields_of_the_contract() -> None:
    document = json.loads(encode_json(graph_document(small_problem().costed)))

    assert list(document) == GRAPH_FIELDS
    assert list(document["ops"][0]) == [
        "name", "kind", "phase", "inputs", "outputs", "flop", "workspace_bytes", "recomputable",
        "duration_s", "energy_j", "trainable", "gradient_of",
    ]  # fmt: skip
    assert list(document["tensors"][0]) == [
        "name", "bytes", "shape", "dtype", "role", "producer", "pageable", "in_storage_at_start",
        "page_in_s", "page_in_j", "page_out_s", "page_out_j",
    ]  # fmt: skip
    assert list(document["device"]) == [
        "schema", "id", "name", "flop_per_s", "flop_per_j", "ram_bytes", "io", "element_bytes",
        "page_in", "page_out", "source",
    ]  # fmt: skip


def test_that_a_graph_states_its_figures() -> None:
    # chain(4): f1..f4 and b1..b4 of 1000 B, loss 4 B. b3 reads b4 and f3 and makes b3: 3000 B;
    # while it runs f1, f2 wait too, so the plain peak is at b4 (loss, f1..f4, b4): 5004 B.
    document = json.loads(encode_json(graph_document(small_problem().costed)))

    assert document["floor_bytes"] == 3000
    assert document["floor_op"] == "b3"
    assert document["plain_peak_bytes"] == 5004
    assert document["ops"][0]["duration_s"] == 1.0  # 1 MFLOP at 1 MFLOP/s
    assert document["tensors"][0]["page_in_j"] == pytest.approx(0.01)  # 1000 B at 1e-5 J/B


def test_that_a_result_has_the_fields_of_the_contract() -> None:
    document = _json("feasible")

    assert list(document) == RESULT_FIELDS
    assert list(document["settings"]) == [
        "accounting", "io", "weights", "weight_gradients", "paging", "recompute", "batch", "dims",
        "loss", "output", "strategy", "gap", "time_limit_s", "work_limit", "threads", "seed",
    ]  # fmt: skip
    assert list(document["actions"][0]) == [
        "kind", "op", "tensor", "start_s", "duration_s", "energy_j", "bytes", "resident_bytes",
    ]  # fmt: skip
    assert list(document["solver"]) == [
        "strategy", "name", "version", "wall_s", "first_answer_s", "incumbents",
    ]  # fmt: skip


def test_that_slim_leaves_out_the_graph_and_nothing_else() -> None:
    assert list(_json("feasible", slim=True)) == RESULT_FIELDS[:-1]


def test_that_an_action_names_its_op_or_its_tensor() -> None:
    actions = _json("feasible")["actions"]
    by_kind = {action["kind"]: action for action in actions}

    assert by_kind["compute"]["op"] is not None
    assert by_kind["compute"]["tensor"] is None
    assert by_kind["page_in"]["op"] is None
    assert by_kind["page_in"]["bytes"] == 1000
    assert by_kind["free"]["resident_bytes"] is None
    assert by_kind["free"]["duration_s"] == 0.0


@pytest.mark.parametrize("kind", ["infeasible", "no_answer", "failed"])
def test_that_nothing_is_claimed_without_a_schedule(kind: str) -> None:
    document = _json(kind)

    assert document["actions"] == []
    assert set(document["energy_j"].values()) == {None}
    assert document["gap"] == {"overhead": None, "total": None}
    assert document["peak_bytes"] is None
    assert document["runtime_s"] is None
    assert document["message"]


def test_that_a_reason_is_in_names_and_whole_bytes() -> None:
    reason = _json("infeasible")["reason"]

    assert reason == {
        "limit": "ram", "op": "b4", "tensors": ["f4", "loss"],
        "needed": 3004, "missing": 4, "exact": True,
    }  # fmt: skip
    assert isinstance(reason["needed"], int)
    assert _json("feasible")["reason"] is None


def test_that_stop_reasons_say_proof_only_for_a_proof() -> None:
    stops = {kind: _json(kind)["stop_reason"] for kind in KINDS}

    assert stops == {
        "optimal": "proof", "feasible": "gap", "infeasible": "proof", "no_answer": "time",
        "failed": None,
    }  # fmt: skip


def test_that_the_gap_is_of_the_overhead() -> None:
    document = _json("feasible")  # its bound is the baseline

    assert document["gap"]["overhead"] == pytest.approx(1.0)
    energy = document["energy_j"]["total"]
    left = energy - document["baseline"]["energy_j"]
    assert document["gap"]["total"] == pytest.approx(left / energy)
    assert _json("optimal")["gap"] == {"overhead": 0.0, "total": 0.0}


@pytest.mark.parametrize("kind", KINDS)
def test_that_a_result_read_back_gives_the_outcome(kind: str) -> None:
    problem = small_problem()
    expected = outcome_of_kind(kind, problem)

    document = decode_result(encode_json(result_of_kind(kind)))
    outcome = outcome_of(document, problem)

    assert document == result_of_kind(kind)
    assert status_of(outcome) == kind
    assert outcome.record == RECORD
    assert options_of(document).gap == 0.0
    if isinstance(expected, Optimal | Feasible):
        assert isinstance(outcome, Optimal | Feasible)
        assert outcome.trace.schedule == expected.trace.schedule
        assert overhead_gap(problem, outcome.trace.total_energy_j, outcome.bound_j) is not None


def test_that_every_unknown_name_of_a_result_is_reported() -> None:
    text = encode_json(result_of_kind("feasible")).decode()
    text = text.replace('"op":"f1"', '"op":"f9"').replace('"tensor":"b4"', '"tensor":"b9"')

    with pytest.raises(ModelError) as caught:
        outcome_of(decode_result(text.encode()), small_problem())

    words = " ".join(issue.message for issue in caught.value.issues)
    assert "no op 'f9'" in words
    assert "no tensor 'b9'" in words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "no poet.result document"),
        (b"[1, 2]", "no poet.result document"),
        (b'{"format": "poet.graph", "version": 1}', "is poet.graph version 1"),
        (b'{"format": "poet.result", "version": 2}', "is poet.result version 2"),
        (b'{"name": 3}', "is another kind of JSON"),
    ],
)
def test_that_another_document_is_told_apart(text: bytes, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        decode_result(text, "file.json")


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ('"actions": ' + "[" * 100_000, "nested too deeply"),
        ('"peak_bytes": ' + "9" * 5000, "peak_bytes: is no finite number"),
        ('"status": "optimal", "status": "failed"', "the key status stands twice"),
    ],
)
def test_that_json_that_breaks_parsers_is_refused_in_words(inside: str, words: str) -> None:
    text = '{"format": "poet.result", "version": 1, ' + inside + "}"

    with pytest.raises(ModelError, match=words):
        decode_result(text.encode(), "r.json")


def test_that_every_mistake_of_a_result_is_named() -> None:
    document = _json("feasible")
    document["peak_bytes"] = "many"
    document["budget"]["ram_bytes"] = -1

    with pytest.raises(ModelError) as caught:
        decode_result(json.dumps(document).encode(), "saved.json")

    places = [issue.where for issue in caught.value.issues]
    assert places == ["saved.json: budget.ram_bytes", "saved.json: peak_bytes"]


def test_that_a_graph_read_back_is_the_graph_written() -> None:
    document = graph_document(small_problem().costed)

    assert msgspec.json.decode(encode_json(document), type=GraphDocument) == document


def test_that_equal_results_give_equal_bytes() -> None:
    assert encode_json(result_of_kind("optimal")) == encode_json(result_of_kind("optimal"))


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_that_no_nan_and_no_infinity_gets_into_a_document(number: float) -> None:
    with pytest.raises(ValueError, match="document"):
        finite(number)
    with pytest.raises(ValueError, match="document"):
        finite_list(np.array([1.0, number]))
    assert finite_or_none(number) is None


def test_that_a_negative_zero_is_written_as_zero() -> None:
    assert math.copysign(1.0, finite(-0.0)) == 1.0
    assert [math.copysign(1.0, number) for number in finite_list(np.array([-0.0]))] == [1.0]


def test_that_a_bound_that_is_not_known_is_null() -> None:
    problem = small_problem()
    outcome = replace(outcome_of_kind("no_answer", problem), bound_j=-math.inf)  # type: ignore[arg-type] # Outcome is a union

    document = result_document(problem, outcome, options_of(result_of_kind("failed")), Origin("x"))

    assert document.bound_j is None
