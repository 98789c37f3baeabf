"""Claim: given costs take the place of FLOP over rate, are told, and travel with every document."""

from dataclasses import replace
from io import BytesIO

import msgspec
import pytest

from solver import api
from solver.codec import Origin, decode_result, encode_json, graph_document, result_document
from solver.codec.graph import device_object
from solver.cost_table import CostRow, CostTable
from solver.costs import CostedGraph, price
from solver.device import IoMode
from solver.device_files import device_from_document
from solver.errors import DeviceError
from solver.graph import TrainingGraph
from solver.least_search import priced_in_seconds
from solver.loaders.poet_graph import from_document
from solver.messages import Solve, encode, request_reader
from solver.outcome import Optimal
from solver.problem import Budgets, Problem, SolveOptions, fingerprint
from solver.saved import faults_of
from tests.helpers.builders import Line, chain, device_of, graph_of

BOTH = CostTable("mine.csv", (CostRow(3.0, 0.5, op="f1"), CostRow(2.0, None, kind="test")))
GRAPH = graph_of([Line("f1", "f", 8, 1e6), Line("f2", "f", 8, 4e6, ("f1",))])


def priced(graph: TrainingGraph, table: CostTable) -> CostedGraph:
    return price(graph, replace(device_of(), profile=table))


def test_that_an_op_has_its_own_row_then_that_of_its_kind_then_its_flop() -> None:
    costed = priced(GRAPH, BOTH)
    assert costed.op_duration_s.tolist() == [3.0, 2.0]
    assert costed.op_energy_j.tolist() == [0.5, 4.0]  # 4e6 FLOP at 1e-6 J


def test_that_a_row_of_an_op_without_a_number_leaves_it_to_the_kind() -> None:
    rows = (CostRow(None, 0.5, op="f1"), CostRow(2.0, 7.0, kind="test"))
    costed = priced(GRAPH, CostTable("t", rows))
    assert costed.op_duration_s.tolist() == [2.0, 2.0]
    assert costed.op_energy_j.tolist() == [0.5, 7.0]


def test_that_an_op_measured_at_nothing_costs_nothing() -> None:
    costed = priced(GRAPH, CostTable("t", (CostRow(0.0, 0.0, op="f2"),)))
    assert costed.op_duration_s.tolist() == [1.0, 0.0]
    assert costed.baseline_energy_j == 1.0


def test_that_a_mixture_is_told_with_its_parts_and_strange_ops() -> None:
    table = CostTable("mine.csv", (CostRow(3.0, None, op="f1"), CostRow(1.0, 1.0, op="f22")))
    first, second = priced(GRAPH, table).told
    assert first == (
        "priced by the cost table mine.csv: the seconds of 1 and the joules of 0 of 2 ops; "
        "the others follow from FLOP"
    )
    assert second.endswith("f22 (did you mean f2?) is no op of this graph")


def test_that_a_whole_table_is_told_without_a_mixture() -> None:
    told = priced(GRAPH, CostTable("t", (CostRow(1.0, 1.0, kind="test"),))).told
    assert told == ("priced by the cost table t: the seconds of 2 and the joules of 2 of 2 ops",)
    assert price(GRAPH, device_of()).told == ()


def test_that_the_table_is_part_of_what_a_stored_schedule_is_for() -> None:
    limits = Budgets(1000)
    plain = Problem(price(GRAPH, device_of()), limits)
    assert fingerprint(plain) != fingerprint(Problem(priced(GRAPH, BOTH), limits))


def test_that_the_search_for_the_least_runtime_counts_the_seconds_of_the_table() -> None:
    problem = Problem(priced(GRAPH, BOTH), Budgets(1000))
    seconds = priced_in_seconds(problem, 1000, IoMode.BLOCKING).costed
    assert seconds.op_duration_s.tolist() == [3.0, 2.0]
    assert seconds.op_energy_j.tolist() == [3.0, 2.0]


def test_that_a_device_keeps_its_table_in_documents_and_messages() -> None:
    device = replace(device_of(), profile=BOTH)
    assert device_from_document(msgspec.to_builtins(device_object(device))) == device
    assert "profile" not in msgspec.to_builtins(device_object(device_of()))
    message = encode(Solve(1, "key", device, Budgets(1)))
    sent = request_reader(BytesIO(message)).read()
    assert isinstance(sent, Solve)
    assert sent.device == device


def test_that_a_saved_result_is_checked_with_its_own_costs() -> None:
    device = replace(device_of(), profile=CostTable("t", (CostRow(0.25, 9.0, op="f2"),)))
    problem = api.make_problem(chain(3), device, ram=5000)
    outcome = api.solve(problem, SolveOptions("keep-all"))
    assert isinstance(outcome, Optimal)
    document = result_document(problem, outcome, SolveOptions("keep-all"), Origin("x", None))
    data = encode_json(document)
    assert faults_of(decode_result(data, "r.json")) == ()
    changed = data.replace(b'"joules":9.0', b'"joules":8.0')
    assert changed != data
    assert faults_of(decode_result(changed, "r.json"))


def test_that_a_graph_read_again_says_nothing_of_how_it_was_priced() -> None:
    document = msgspec.to_builtins(graph_document(priced(GRAPH, BOTH)))
    assert document["warnings"]
    assert document["device"]["profile"]["name"] == "mine.csv"
    again = from_document(document, file="g.json", name="g")
    assert again.warnings == ()
    assert price(again, device_of()).op_duration_s.tolist() == [1.0, 4.0]


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([{"op": "a", "seconds": -1.0}], "below 0"),
        ([{"op": "a"}], "neither seconds nor joules"),
        ([{"op": "a", "seconds": 1}, {"op": "a", "seconds": 2}], "stands twice"),
        ([{"op": "a", "second": 1}], "second is not a known key"),
    ],
)
def test_that_the_table_of_a_device_is_checked(costs: list[object], words: str) -> None:
    document = msgspec.to_builtins(device_object(device_of()))
    document["profile"] = {"name": "t", "costs": costs}
    with pytest.raises(DeviceError, match=words):
        device_from_document(document)
