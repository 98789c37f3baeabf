"""Claim: whatever is wrong in a saved result is found, and a true result has no fault."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from solver.codec import Origin, decode_result, encode_json, result_document
from solver.errors import ModelError
from solver.problem import SolveOptions
from solver.saved import examine, faults_of, problem_of
from solver.strategies.base import Cancel
from solver.strategies.joint import JOINT
from tests.helpers.builders import chain
from tests.helpers.builders import problem_of as problem_of_chain
from tests.helpers.results import outcome_of_kind, result_of_kind

Document = dict[str, Any]
Change = Callable[[Document], None]


def _faults(kind: str, change: Change, *, slim: bool = False) -> tuple[str, ...]:
    document: Document = json.loads(encode_json(result_of_kind(kind, slim=slim)))
    change(document)
    graph = chain(4) if slim else None
    return faults_of(decode_result(json.dumps(document).encode()), graph)


def _first(document: Document, kind: str) -> int:
    return next(i for i, action in enumerate(document["actions"]) if action["kind"] == kind)


@pytest.mark.parametrize("kind", ["optimal", "feasible", "no_answer", "failed"])
@pytest.mark.parametrize("slim", [False, True], ids=["whole", "slim"])
def test_that_a_true_result_has_no_fault(kind: str, *, slim: bool) -> None:
    assert _faults(kind, lambda document: None, slim=slim) == ()


def _free_too_early(document: Document) -> None:
    # the last page-in is for the last op; its tensor is freed before the op reads it
    actions = document["actions"]
    last = max(i for i, action in enumerate(actions) if action["kind"] == "page_in")
    free = {**actions[_first(document, "free")], "tensor": actions[last]["tensor"]}
    actions.insert(last + 1, free)


def _unpaid_page_in(document: Document) -> None:
    del document["actions"][_first(document, "page_in")]


def _page_out_that_never_was(document: Document) -> None:
    del document["actions"][_first(document, "page_out")]


def _gradient_twice(document: Document) -> None:
    actions = document["actions"]
    at = next(i for i, action in enumerate(actions) if action["op"] == "b2")
    actions.insert(at + 1, {**actions[at], "kind": "recompute"})


def _op_left_out(document: Document) -> None:
    actions = document["actions"]
    del actions[next(i for i, action in enumerate(actions) if action["op"] == "b1")]


def _budget_one_byte_off(document: Document) -> None:
    document["budget"]["ram_bytes"] = document["peak_bytes"] - 1


def _runtime_over_the_limit(document: Document) -> None:
    document["budget"]["runtime_s"] = document["runtime_s"] * 0.999


def _paging_switched_off(document: Document) -> None:
    document["settings"]["paging"] = False


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_free_too_early, "is not in RAM"),
        (_unpaid_page_in, "is not in RAM"),
        (_page_out_that_never_was, "is not in storage"),
        (_gradient_twice, "may not run twice"),
        (_op_left_out, "never run"),
        (_budget_one_byte_off, "1 B over the RAM budget"),
        (_runtime_over_the_limit, "over the limit"),
        (_paging_switched_off, "paging is switched off"),
    ],
)
def test_that_an_illegal_schedule_is_found(change: Change, words: str) -> None:
    faults = _faults("feasible", change)

    assert any(words in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("peak_bytes",), 3003, "peak stated 3003 B"),
        (("energy_j", "total"), 1.0, "energy stated 1.0 J"),
        (("runtime_s",), 1.0, "runtime stated 1.0 s"),
        (("energy_j", "page_in"), 1.0, "energy_j.page_in: 1.0, counted"),
        (("baseline", "energy_j"), 1.0, "baseline.energy_j: 1.0, counted 12.000001"),
        (("floor_bytes",), 1, "floor_bytes: 1, counted 3000"),
        (("plain_peak_bytes",), 1, "plain_peak_bytes: 1, counted 5004"),
        (("gap", "overhead"), 0.5, "gap.overhead: 0.5, counted 1.0"),
        (("gap", "total"), 0.9, "gap.total: 0.9, counted"),
        (("model", "ops"), 8, "model.ops: 8, counted 9"),
        (("actions", 0, "bytes"), 1, "actions[0].bytes: 1, counted 1000"),
        (("actions", 1, "start_s"), 0.5, "actions[1].start_s: 0.5, counted 1.0"),
        (("actions", 1, "resident_bytes"), 7, "actions[1].resident_bytes: 7, counted 1000"),
        (("problem", "ops", 0, "energy_j"), 9.0, "problem.ops[0].energy_j: 9.0, counted 1.0"),
        (("bound_j",), 1e6, "lies above the energy"),
    ],
)
def test_that_a_false_figure_is_found(
    path: tuple[str | int, ...], value: float, words: str
) -> None:
    def change(document: Any) -> None:
        *parents, last = path
        for key in parents:
            document = document[key]
        assert document[last] != value
        document[last] = value

    faults = _faults("feasible", change)

    assert any(words in fault for fault in faults), faults


def test_that_optimal_without_a_bound_that_meets_it_is_found() -> None:
    # overhead 0.24 J or so: a bound lower by 0.1 % of it is ten times what the rule allows
    def change(document: Document) -> None:
        overhead = document["energy_j"]["total"] - document["baseline"]["energy_j"]
        document["bound_j"] -= 1e-3 * overhead

    assert any("called optimal" in fault for fault in _faults("optimal", change))


def test_that_a_proof_that_is_called_feasible_is_found() -> None:
    def change(document: Document) -> None:
        document["status"], document["stop_reason"] = "feasible", "proof"

    assert any("proves it optimal" in fault for fault in _faults("optimal", change))


def test_that_a_budget_called_impossible_although_paging_reaches_it_is_found() -> None:
    # small_problem has 3004 B, the floor of chain(4) is 3000 B
    faults = _faults("infeasible", lambda document: None)

    assert faults == ("called impossible at 3004 B, but paging everything fits: it needs 3000 B",)


@pytest.mark.parametrize(
    ("strategy", "paging", "words"),
    [
        ("keep-all", True, "reason: 3505 needed (ram), counted 5004 (ram)"),
        ("page-all", True, "called impossible, but page-all has a schedule that fits"),
        ("sqrt-n", False, "reason: 3505 needed (ram), counted 4000 (ram)"),
        ("blocks", True, "called impossible at 3504 B, but paging everything fits"),
    ],
)
def test_that_what_a_strategy_calls_impossible_is_asked_of_it_again(
    strategy: str, words: str, *, paging: bool
) -> None:
    # chain(4): keeping everything takes 5004 B, the best segments four tensors at a time, 4000 B
    def change(document: Document) -> None:
        document["settings"] |= {"strategy": strategy, "paging": paging}
        document["budget"]["ram_bytes"] = 3504
        document["reason"] |= {"op": None, "tensors": [], "needed": 3505, "missing": 1}

    faults = _faults("infeasible", change)

    assert any(words in fault for fault in faults), faults


def test_that_what_an_unknown_strategy_could_not_do_is_not_held_against_others() -> None:
    def change(document: Document) -> None:
        document["settings"]["strategy"] = "of another package"
        document["reason"] |= {"needed": 3005, "missing": 1}

    assert _faults("infeasible", change) == ()


@pytest.mark.parametrize("kind", ["feasible", "no_answer"])
def test_that_a_bound_above_the_plain_schedule_is_found(kind: str) -> None:
    # with 5004 B every op runs once for 12.000001 J, so no bound can be 12.1 J
    def change(document: Document) -> None:
        document["budget"]["ram_bytes"] = 5004
        document["bound_j"] = 12.1

    words = "the bound of 12.1 J lies above the 12.000001 J of keeping everything"
    assert words in _faults(kind, change)


def test_that_what_only_a_search_proves_is_named_as_not_checked() -> None:
    def unchecked(kind: str, change: Change) -> tuple[str, ...]:
        document: Document = json.loads(encode_json(result_of_kind(kind)))
        change(document)
        return examine(decode_result(json.dumps(document).encode())).unchecked

    (bound,) = unchecked("optimal", lambda document: None)
    assert bound.startswith("the bound of ")
    assert unchecked("feasible", lambda document: None) == ()  # the baseline is a bound
    (nothing_fits,) = unchecked("infeasible", _reason_of("ram", needed=4004, missing=504))
    assert nothing_fits.startswith("that no schedule fits into 3,500 B")
    too_slow = _reason_of("runtime", within_s=11.5, needed=12.000001, missing=0.500001)
    assert unchecked("infeasible", too_slow) == ()
    slower = _reason_of("runtime", within_s=11.5, needed=13.0, missing=1.5)
    (searched,) = unchecked("infeasible", slower)
    assert searched.startswith("that 13.0 s are needed: the runtime was searched for")


@pytest.mark.parametrize("figure", ["needed", "missing"])
def test_that_a_need_beyond_every_memory_is_refused(figure: str) -> None:
    document: Document = json.loads(encode_json(result_of_kind("infeasible")))
    document["reason"][figure] = 10**400
    with pytest.raises(ModelError, match=rf"reason\.{figure}"):
        decode_result(json.dumps(document).encode())


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (None, None, None),
        ("needed", 3001, "3001 needed, 1 missing, but the limit is 2999"),
        ("missing", 2, "3000 needed, 2 missing, but the limit is 2999"),
        ("op", None, "reason.op: None, counted"),
        ("tensors", [], "reason.tensors are not"),
        ("tensors", ["b4", "f3", "b3", "b3"], "reason.tensors are not"),
        ("exact", False, "reason.exact: False, counted True"),
    ],
)
def test_that_a_reason_that_does_not_add_up_is_found(
    field: str | None, value: object, words: str | None
) -> None:
    # one byte below the floor of chain(4), which is 3000 B
    problem = problem_of_chain(chain(4), 2999)
    outcome = JOINT.solve(problem, SolveOptions(), lambda event: None, Cancel())
    result = result_document(problem, outcome, SolveOptions(), Origin("built-in"))
    document: Document = json.loads(encode_json(result))
    if field is not None:
        document["reason"][field] = value

    faults = faults_of(decode_result(json.dumps(document).encode()))

    assert bool(faults) == bool(words)
    assert words is None or any(words in fault for fault in faults), faults


def _reason_of(limit: str, *, within_s: float = 12.5, **figures: object) -> Change:
    """An impossible result at 3500 B without paging; every op once takes 12.000001 s."""

    def change(document: Document) -> None:
        document["settings"]["paging"] = False
        document["budget"] = {"ram_bytes": 3500, "runtime_s": within_s}
        document["reason"] |= {"limit": limit, "op": None, "tensors": [], **figures}

    return change


def _of_page_all(**figures: object) -> Change:
    """Too slow at 3500 B whatever is done, and said to need that long."""

    def change(document: Document) -> None:
        _reason_of("runtime", within_s=11.5, **figures)(document)
        document["settings"]["paging"] = True

    return change


def _blaming(op: str | None, tensors: list[str]) -> Change:
    """Impossible at 3500 B without paging, where every op alone fits."""

    def change(document: Document) -> None:
        _reason_of("ram", needed=4004, missing=504)(document)
        document["reason"] |= {"op": op, "tensors": tensors}

    return change


def _bound_of(bound_j: float) -> Change:
    """Every op once takes too long, which nobody searches for."""

    def change(document: Document) -> None:
        _reason_of("runtime", within_s=11.5, needed=12.000001, missing=0.500001)(document)
        document["bound_j"] = bound_j

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_reason_of("ram", needed=4004, missing=504), ""),
        (_reason_of("ram", needed=5004, missing=1504), ""),
        (_reason_of("ram", needed=5005, missing=1505), "the least, but keeping everything needs"),
        (
            _reason_of("ram", needed=5005, missing=1505, exact=False),
            "keeping everything needs less",
        ),
        (_reason_of("runtime", needed=13.5, missing=1.0), ""),
        (_reason_of("ram", needed=3500, missing=0), "reason.missing: 0 is no lack"),
        (_reason_of("runtime", needed=13.5, missing=1.1), "1.1 missing, but the limit is 12.5"),
        (_reason_of("runtime", within_s=1e-12, needed=13.1, missing=13.1 - 1e-12), ""),
        (
            _reason_of("runtime", within_s=11.5, needed=12.0, missing=0.5),
            "every op once takes longer",
        ),
        (_of_page_all(needed=40.0, missing=28.5), "as the least, but paging everything takes"),
        (_blaming("b2", []), "blame one op, but every op alone fits"),
        (_blaming(None, ["f2"]), "blame one op, but every op alone fits"),
        (_bound_of(0.5), "bound_j: 0.5 J, but nothing was searched"),
    ],
)
def test_that_what_can_be_known_of_a_need_is_checked(change: Change, words: str) -> None:
    # the plain peak of chain(4) is 5004 B
    faults = _faults("infeasible", change)

    assert any(words in fault for fault in faults) if words else faults == ()


def test_that_calling_the_plain_schedule_impossible_is_found() -> None:
    def change(document: Document) -> None:
        document["settings"]["paging"] = False
        document["budget"]["ram_bytes"] = 5004

    assert _faults("infeasible", change) == (
        "called impossible at 5004 B, but keeping everything fits: it needs 5004 B",
    )


def test_that_a_graph_that_makes_two_gradients_of_one_tensor_is_true() -> None:
    # the halves of a residual block end in one gradient op that is named for both
    graph = chain(4)
    last = replace(graph.ops[-1], gradient_of=("x", "x"), trainable=("w", "w"))
    problem = problem_of_chain(replace(graph, ops=(*graph.ops[:-1], last)), 3004)
    outcome = outcome_of_kind("feasible", problem)
    result = result_document(problem, outcome, SolveOptions(), Origin("built-in"))

    assert faults_of(decode_result(encode_json(result))) == ()


@pytest.mark.parametrize("kind", ["optimal", "feasible", "infeasible", "no_answer", "failed"])
def test_that_a_message_that_nobody_could_show_is_found(kind: str) -> None:
    faults = _faults(kind, lambda document: document.update(message="x" * 10_001))

    assert "message: 10,001 characters, and at most 10,000 can be shown" in faults


def test_that_actions_without_a_schedule_are_found() -> None:
    def change(document: Document) -> None:
        document["status"], document["stop_reason"] = "no_answer", "time"

    assert _faults("feasible", change) == ("the status is no_answer, yet there are actions",)


def test_that_a_slim_result_alone_cannot_be_checked() -> None:
    with pytest.raises(ModelError, match="--slim"):
        problem_of(result_of_kind("feasible", slim=True))


def test_that_a_graph_that_does_not_hold_together_is_refused() -> None:
    def change(document: Document) -> None:
        document["problem"]["ops"][3]["inputs"] = ["nothing"]

    with pytest.raises(ModelError, match="nothing"):
        _faults("feasible", change)


@pytest.mark.parametrize(
    ("field", "value"), [("flop_per_s", 0), ("flop_per_j", 1e-300), ("ram_bytes", 10**25)]
)
def test_that_a_device_on_which_prices_are_not_finite_is_refused(field: str, value: float) -> None:
    def change(document: Document) -> None:
        document["device"][field] = document["problem"]["device"][field] = value

    with pytest.raises(ModelError, match=f"device: {field}"):
        _faults("feasible", change)


def test_that_a_status_without_its_fields_is_refused() -> None:
    def change(document: Document) -> None:
        document["bound_j"] = None

    with pytest.raises(ModelError, match="bound_j or stop_reason is null"):
        _faults("feasible", change)
