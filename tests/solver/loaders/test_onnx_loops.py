"""Loop: written out round by round where its length is known, else asked for or told."""

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from solver.errors import ModelError, UsageError
from solver.loaders import onnx_inferred
from solver.loaders.onnx_effort import StepCount
from solver.loaders.onnx_read import read_model
from solver.loaders.onnx_reader import NodeReader
from solver.loaders.onnx_rules.base import Fact, int64_array
from tests.helpers.onnx_control import body_of, kinds_of, loop, read_by
from tests.helpers.onnx_models import (
    floats,
    integers,
    load,
    model_of,
    node,
    shapes_of,
    weight,
)


def _scaled() -> onnx.GraphProto:
    """h = relu(h w); also gives h of every round."""
    nodes = [
        node("MatMul", "h w", "p", name="step"),
        node("Relu", "p", "next"),
        node("Identity", "go", "goes_on"),
        node("Identity", "next", "seen"),
    ]
    return body_of(nodes, "i go h", "goes_on next seen", [weight("w", 16, 16)])


def test_that_a_loop_of_known_length_is_written_out_with_one_weight(tmp_path: Path) -> None:
    model = model_of([loop(_scaled(), "n - x")], [floats("x", 4, 16)], [integers("n", 3)])
    network = load(model, tmp_path)
    assert kinds_of(network) == ["MatMul", "Relu"] * 3
    assert len(network.constants) == 1
    assert len(set(read_by(network, "MatMul"))) == 1
    assert {layer.name for layer in network.layers} >= {
        "loop[1]/step", "loop[2]/step", "loop[3]/step",
    }  # fmt: skip


def test_that_what_a_loop_gives_each_round_is_stacked(tmp_path: Path) -> None:
    model = model_of([loop(_scaled(), "n - x", "last y")], [floats("x", 4, 16)], [integers("n", 3)])
    network = load(model, tmp_path)
    assert network.values["y"].shape == (3, 4, 16)
    assert kinds_of(network)[-1] == "Concat"


def test_that_a_loop_of_unknown_length_is_asked_for_by_name(tmp_path: Path) -> None:
    count = helper.make_tensor_value_info("n", TensorProto.INT64, [])
    model = model_of([loop(_scaled(), "n - x")], [floats("x", 4, 16), count])
    with pytest.raises(UsageError, match=r"--dim loop\.trips=VALUE") as caught:
        load(model, tmp_path)
    assert [ask.name for ask in caught.value.issues[0].asks] == ["loop.trips"]
    network = load(model, tmp_path, dims={"loop.trips": 2})
    assert kinds_of(network) == ["MatMul", "Relu"] * 2


@pytest.mark.parametrize("typed", ["loop", "trips", "loop.trip", "lop.trips"])
def test_that_a_name_near_a_question_is_answered_with_it_first(typed: str, tmp_path: Path) -> None:
    count = helper.make_tensor_value_info("n", TensorProto.INT64, [])
    model = model_of([loop(_scaled(), "n - x")], [floats("x", "rows", 16), count])
    with pytest.raises(UsageError) as caught:
        load(model, tmp_path, dims={typed: 5})
    (issue,) = caught.value.issues
    assert issue.message == f"test.onnx leaves no size called {typed!r} open"
    assert issue.suggestion == "what it leaves open: loop.trips, rows"


def test_that_an_answer_that_nothing_asks_for_is_refused(tmp_path: Path) -> None:
    model = model_of([loop(_scaled(), "n - x")], [floats("x", 4, 16)], [integers("n", 3)])
    with pytest.raises(UsageError, match=r"loop\.trips is settled by the file"):
        load(model, tmp_path, dims={"loop.trips": 2})


def test_that_a_condition_that_can_be_computed_ends_a_loop(tmp_path: Path) -> None:
    # i < 4 after rounds 0, 1, 2, 3, 4: true, true, true, true, false.
    nodes = [
        node("Relu", "h", "next"),
        node("Less", "i four", "goes_on"),
    ]
    body = body_of(nodes, "i go h", "goes_on next")
    stored = [helper.make_tensor("four", TensorProto.INT64, [], [4])]
    network = load(model_of([loop(body, "- - x")], [floats("x", 2)], stored), tmp_path)
    assert kinds_of(network) == ["Relu"] * 5


def test_that_a_loop_that_stops_by_the_data_is_asked_for(tmp_path: Path) -> None:
    nodes = [
        node("Relu", "h", "next"),
        node("ReduceMax", "next", "top", keepdims=0),
        node("Less", "top one", "goes_on"),
    ]
    body = body_of(nodes, "i go h", "goes_on next")
    stored = [integers("n", 100), helper.make_tensor("one", TensorProto.FLOAT, [], [1.0])]
    model = model_of([loop(body, "n - x")], [floats("x", 2)], stored)
    with pytest.raises(UsageError, match="how often its body runs"):
        load(model, tmp_path)
    assert kinds_of(load(model, tmp_path, dims={"loop.trips": 2})).count("Relu") == 2


def test_that_a_loop_that_never_runs_hands_on_its_input(tmp_path: Path) -> None:
    nodes = [loop(_scaled(), "n - x", "h"), node("Tanh", "h")]
    network = load(model_of(nodes, [floats("x", 4, 16)], [integers("n", 0)]), tmp_path)
    assert kinds_of(network) == ["Tanh"]


def test_that_a_loop_without_measure_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_inferred, "MOST_STEPS", 1000)  # walking over more takes seconds
    stored = [integers("n", 2**62)]
    empty = body_of([], "i go h", "go h")
    with pytest.raises(ModelError, match="its loops and lists take more than 1,000 steps"):
        load(model_of([loop(empty, "n - x")], [floats("x", 2)], stored), tmp_path)


def _inner(count: str) -> onnx.NodeProto:
    return node("Loop", f"{count} - h", "next", name="inner", body=_scaled())


def _nested(outer: int, inner: int) -> onnx.ModelProto:
    body = body_of([_inner("m"), node("Identity", "go", "on")], "i go h", "on next")
    stored = [integers("n", outer), integers("m", inner)]
    return model_of([loop(body, "n - x")], [floats("x", 4, 16)], stored)


def _chained(loops: int, rounds: int) -> onnx.ModelProto:
    names = ["x", *(f"h{k}" for k in range(1, loops)), "y"]
    nodes = [
        node("Loop", f"n - {names[k]}", names[k + 1], name=f"loop{k}", body=_scaled())
        for k in range(loops)
    ]
    return model_of(nodes, [floats("x", 4, 16)], [integers("n", rounds)])


def _counting(last: int) -> onnx.ModelProto:
    """while i < last: h = relu(h)."""
    body = body_of([node("Relu", "h", "next"), node("Less", "i n", "on")], "i go h", "on next")
    return model_of([loop(body, "- - x")], [floats("x", 2)], [integers("n", last)])


@pytest.mark.parametrize(
    ("model", "place", "steps"),
    [
        # A round of _scaled: itself and its 4 nodes. The loop is a step, too.
        (model_of([loop(_scaled(), "n - x")], [floats("x", 4, 16)], [integers("n", 10**9)]),
         "node loop (Loop)", 5 * 10**9 + 1),
        # A round: itself, Identity, and an inner loop of 1 + 5 x 400 steps.
        (_nested(400, 400), "node loop (Loop)", 1 + 400 * (1 + 1 + 1 + 5 * 400)),
        (_chained(300, 100), "node loop0 (Loop)", 300 * (1 + 5 * 100)),
        # It stops after the round in which 10^9 < 10^9 is false; a round is itself and two nodes.
        (_counting(10**9), "node loop (Loop)", 1 + (10**9 + 1) * 3),
    ],
    ids=["one", "nested", "chained", "counting"],
)  # fmt: skip
def test_that_loops_are_refused_before_a_round_of_them_is_written_out(
    model: onnx.ModelProto,
    place: str,
    steps: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(onnx_inferred.Effort, "spend", pytest.fail)
    with pytest.raises(ModelError) as caught:
        load(model, tmp_path)
    assert caught.value.issues[0].where == f"test.onnx: {place}"
    assert caught.value.issues[0].message == (
        f"written out, its loops and lists take more than 50,000 steps, {steps:,} at least"
    )


def test_that_an_answer_without_measure_is_refused_as_the_file_would_be(tmp_path: Path) -> None:
    count = helper.make_tensor_value_info("n", TensorProto.INT64, [])
    model = model_of([loop(_scaled(), "n - x")], [floats("x", 4, 16), count])
    with pytest.raises(ModelError, match="more than 50,000 steps, 5,000,000,001 at least"):
        load(model, tmp_path, dims={"loop.trips": 10**9})


def test_that_a_long_loop_that_a_constant_ends_early_is_written_out(tmp_path: Path) -> None:
    # i < 2 ends it after three rounds, whatever the count of 10^9 allows.
    body = body_of([node("Relu", "h", "next"), node("Less", "i two", "on")], "i go h", "on next")
    stored = [integers("n", 10**9), helper.make_tensor("two", TensorProto.INT64, [], [2])]
    network = load(model_of([loop(body, "n - x")], [floats("x", 2)], stored), tmp_path)
    assert kinds_of(network) == ["Relu"] * 3


def test_that_what_is_the_same_in_every_round_counts_once(tmp_path: Path) -> None:
    # 30,000 rounds of themselves, Relu and Identity are 90,001 steps; with Neg they were 120,001.
    nodes = [node("Neg", "w", "u"), node("Identity", "go", "on"), node("Relu", "h", "next")]
    body = body_of(nodes, "i go h", "on next", [weight("w", 4)])
    found = StepCount({"n": Fact((), "int64", int64_array([30_000]), True)}.get, {})
    path = tmp_path / "test.onnx"
    path.write_bytes(model_of([loop(body, "n - x")], [floats("x", 2)]).SerializeToString())
    (read,) = NodeReader(tmp_path, "test.onnx", {}).graph(read_model(path).graph.node)
    assert found.of_node(read) == 90_001


def test_that_branches_inside_a_loop_are_settled_round_by_round(tmp_path: Path) -> None:
    # Round 0 takes Relu, rounds 1 and 2 take Tanh.
    pick = node(
        "If",
        "first",
        "next",
        then_branch=body_of([node("Relu", "h", "a")], outputs="a"),
        else_branch=body_of([node("Tanh", "h", "a")], outputs="a"),
    )
    body = body_of([node("Equal", "i zero", "first"), pick], "i go h", "go next")
    stored = [integers("n", 3), helper.make_tensor("zero", TensorProto.INT64, [], [0])]
    network = load(model_of([loop(body, "n - x")], [floats("x", 2)], stored), tmp_path)
    assert kinds_of(network) == ["Relu", "Tanh", "Tanh"]


def test_that_a_weight_in_a_constant_node_of_a_loop_is_one_weight(tmp_path: Path) -> None:
    # The transposed weight is the same in every round too.
    inner = [
        node("Constant", "", "w", value=weight("", 8, 8)),
        node("Transpose", "w", "t"),
        node("MatMul", "h t", "next"),
    ]
    body = body_of(inner, "i go h", "go next")
    model = model_of([loop(body, "n - x")], [floats("x", 2, 8)], [integers("n", 4)])
    network = load(model, tmp_path)
    assert len(set(read_by(network, "MatMul"))) == 1
    assert kinds_of(network) == ["MatMul"] * 4


def test_that_a_body_that_does_not_fit_its_loop_is_refused_by_name(tmp_path: Path) -> None:
    body = body_of([node("Relu", "h", "next")], "i go h", "go")
    model = model_of([loop(body, "n - x")], [floats("x", 2)], [integers("n", 1)])
    with pytest.raises(ModelError, match=r"node loop \(Loop\): its body does not fit"):
        load(model, tmp_path)


def test_that_a_body_out_of_order_is_sorted_and_a_cycle_in_it_is_named(tmp_path: Path) -> None:
    nodes = [node("Relu", "p", "next"), node("MatMul", "h w", "p", name="product")]
    body = body_of([node("Identity", "go", "on"), *nodes], "i go h", "on next", [weight("w", 8, 8)])
    model = model_of([loop(body, "n - x")], [floats("x", 2, 8)], [integers("n", 2)])
    assert kinds_of(load(model, tmp_path)) == ["MatMul", "Relu"] * 2
    around = [node("Relu", "p", "next", name="a"), node("Add", "next h", "p", name="b")]
    body = body_of([node("Identity", "go", "on"), *around], "i go h", "on next")
    model = model_of([loop(body, "n - x")], [floats("x", 2, 8)], [integers("n", 2)])
    with pytest.raises(ModelError, match=r"node loop: the nodes loop/a -> loop/b -> loop/a form a"):
        load(model, tmp_path)


def test_that_shapes_inside_and_outside_of_a_body_are_those_of_its_rounds(tmp_path: Path) -> None:
    # Each round doubles the rows: 1, 2, 4, 8.
    body = body_of([node("Concat", "h h", "next", axis=0)], "i go h", "go next")
    model = model_of([loop(body, "n - x")], [floats("x", 1, 3)], [integers("n", 3)])
    shapes = shapes_of(load(model, tmp_path))
    assert [shapes[f"loop[{k}]/next"] for k in (1, 2, 3)] == [(2, 3), (4, 3), (8, 3)]
