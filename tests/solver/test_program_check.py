"""Claim: a program that does not belong to its graph is refused, with every mistake named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solver import api
from solver.codec import encode_json, graph_document
from solver.costs import price
from solver.errors import ModelError
from solver.loaders.options import LoadOptions
from solver.loaders.poet_graph import from_document, load
from solver.torch_program import Program

FILE = Path(__file__).parents[1] / "data" / "torch" / "small_net.json"
RELU = "first.2.relu"


def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def program() -> Program:
    found = load(FILE, LoadOptions()).program
    assert found is not None
    return found


def test_that_a_traced_graph_brings_its_program_and_is_written_with_it() -> None:
    graph = load(FILE, LoadOptions())
    written = json.loads(encode_json(graph_document(price(graph, api.load_device("nrf52840")))))
    assert graph.program is not None
    assert from_document(written, file="x", name=graph.name).program == graph.program


def test_that_a_graph_without_a_program_is_written_without_the_key() -> None:
    fields = document()
    del fields["program"]
    graph = from_document(fields, file="x", name="x")
    assert graph.program is None
    costed = price(graph, api.load_device("nrf52840"))
    assert "program" not in json.loads(encode_json(graph_document(costed)))


def test_that_every_call_that_makes_storage_is_one_op() -> None:
    graph = load(FILE, LoadOptions())
    inputs = {value.op for value in program().inputs}
    assert inputs == {"input", "labels"}
    assert {op.name for op in graph.ops} == set(program().by_name) | inputs


def test_that_gradients_and_statistics_are_all_there() -> None:
    names = {"first.0", "first.1", "second.1", "head"}
    expected = {f"{name}.{part}" for name in names for part in ("weight", "bias")}
    assert set(program().gradients) == expected
    statistics = {"running_mean", "running_var", "num_batches_tracked"}
    assert set(program().updates) == {f"first.1.{part}" for part in statistics}


def test_that_only_the_dropout_draws_random_numbers_and_never_runs_again() -> None:
    random = [call.name for call in program().calls if call.random]
    assert random == ["drop.dropout"]
    assert not load(FILE, LoadOptions()).ops[_place("drop.dropout")].recomputable


def _place(name: str) -> int:
    return load(FILE, LoadOptions()).op_index[name]


def test_that_views_own_nothing_and_are_made_for_their_reader() -> None:
    found = program()
    views = [call for call in found.calls if call.view]
    assert views
    for view in views:
        for value in view.outputs:
            assert value is None or found.storage[value] != value
    linear = found.by_name["head.addmm"]
    assert [view.target for view in found.views_for(linear)] == ["aten.t.default"]


def drop_call(fields: dict[str, Any]) -> None:
    fields["program"]["calls"] = [c for c in fields["program"]["calls"] if c["name"] != RELU]


def rename_output(fields: dict[str, Any]) -> None:
    relu = next(c for c in fields["program"]["calls"] if c["name"] == RELU)
    relu["outputs"] = ["another"]


def lose_storage(fields: dict[str, Any]) -> None:
    del fields["program"]["storage"][RELU]


def lose_gradient(fields: dict[str, Any]) -> None:
    fields["program"]["gradients"]["head.weight"] = "nowhere"


def run_anything(fields: dict[str, Any]) -> None:
    fields["program"]["calls"][0]["target"] = "os.system"


def enlarge_input(fields: dict[str, Any]) -> None:
    fields["program"]["inputs"][0]["shape"] = [10**9, 3, 8, 8]


def invent_type(fields: dict[str, Any]) -> None:
    fields["program"]["inputs"][0]["dtype"] = "save"


def write_another_argument(fields: dict[str, Any]) -> None:
    fields["program"]["calls"][0]["args"].append({"list": [{"path": "/tmp/x"}]})


def write_two_keys(fields: dict[str, Any]) -> None:
    fields["program"]["calls"][0]["args"].append({"value": "input", "float": "inf"})


def read_no_name(fields: dict[str, Any]) -> None:
    fields["program"]["calls"][0]["args"].append({"value": ["input"]})


def shorten_constant(fields: dict[str, Any]) -> None:
    constant = {"value": "c", "shape": [2], "dtype": "float32", "data": [1.0]}
    fields["program"]["constants"].append(constant)


def name_no_number(fields: dict[str, Any]) -> None:
    constant = {"value": "c", "shape": [1], "dtype": "float32", "data": ["one"]}
    fields["program"]["constants"].append(constant)


def forget_loss(fields: dict[str, Any]) -> None:
    del fields["program"]["loss"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (drop_call, "reads first.2.relu, which nothing before it makes"),
        (rename_output, "does not say whose storage another has"),
        (lose_storage, "does not say whose storage first.2.relu has"),
        (lose_gradient, "no call makes nowhere"),
        (run_anything, "target"),
        (forget_loss, "loss"),
        (enlarge_input, r"is \[1000000000, 3, 8, 8\] float32, in the graph \[\d+, 3, 8, 8\]"),
        (invent_type, "unknown type 'save'"),
        (write_another_argument, "is no argument"),
        (write_two_keys, "is no argument"),
        (read_no_name, "is no argument"),
        (shorten_constant, "has 1 numbers, its shape wants 2"),
        (name_no_number, "holds something that is no number"),
    ],
)
def test_that_a_program_that_does_not_fit_is_refused(
    change: Callable[[dict[str, Any]], None], told: str
) -> None:
    fields = document()
    change(fields)
    with pytest.raises(ModelError, match=told):
        from_document(fields, file="net.json", name="net")
