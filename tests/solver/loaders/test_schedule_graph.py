"""Claim: a schedule-graph becomes exactly the graph it states, or every mistake of it is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from solver.costs import price
from solver.device_files import read_device_file
from solver.errors import ModelError
from solver.graph import Accounting, Phase, Role, TrainingGraph
from solver.loaders.options import LoadOptions
from solver.loaders.registry import load_file
from solver.loaders.schedule_graph import from_document

DATA = Path(__file__).parents[2] / "data"


def node(name: str, kind: str = "forward", **fields: Any) -> dict[str, Any]:
    base: dict[str, Any] = {"name": name, "kind": kind, "flops": 10, "inputs": []}
    if "view_of" not in fields and "outputs" not in fields:
        base["bytes"] = 100
    return {key: value for key, value in {**base, **fields}.items() if value is not ...}


def document(*nodes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"format": "schedule-graph", "version": 1, "nodes": list(nodes), **fields}


def graph(*nodes: dict[str, Any], **fields: Any) -> TrainingGraph:
    return from_document(document(*nodes, **fields), file="g.json", name="g")


def mistakes(*nodes: Any, **fields: Any) -> list[str]:
    with pytest.raises(ModelError) as caught:
        graph(*nodes, **fields)
    return [str(issue) for issue in caught.value.issues]


def test_that_nodes_become_ops_and_tensors_in_file_order() -> None:
    made = graph(
        node("a", bytes=7, flops=3),
        node("loss", inputs=["a", "a"], workspace_bytes=5),
        node("g", "backward", inputs=["loss", "a"]),
        name="net",
        fixed_bytes=11,
        budget_bytes=1000,
    )
    assert (made.name, made.fixed_bytes, made.budget_bytes) == ("net", 11, 1000)
    assert [op.name for op in made.ops] == ["a", "loss", "g"]
    assert [op.kind for op in made.ops] == ["a", "loss", "g"]
    assert [op.phase for op in made.ops] == [Phase.FORWARD, Phase.FORWARD, Phase.BACKWARD]
    assert made.ops[0].flop == 3.0
    assert made.ops[1].inputs == ("a",)
    assert made.ops[1].workspace_bytes == 5
    assert [(tensor.name, tensor.bytes) for tensor in made.tensors] == [
        ("a", 7), ("loss", 100), ("g", 100),
    ]  # fmt: skip
    assert made.loss_tensors == ("loss",)
    assert made.settings.accounting is Accounting.GIVEN


def test_that_a_backward_or_random_op_never_runs_twice() -> None:
    made = graph(
        node("plain"),
        node("drop", random=True, recomputable=True),
        node("fixed", recomputable=False),
        node("g", "backward", inputs=["plain"], recomputable=True),
    )
    assert [op.recomputable for op in made.ops] == [True, False, False, False]


def test_that_flags_of_a_node_belong_to_its_tensors() -> None:
    made = graph(
        node("x", in_storage_at_start=True, pageable=False),
        node(
            "drop", outputs=[{"name": "y", "bytes": 8}, {"name": "m", "bytes": 2, "role": "mask"}]
        ),
    )
    x, y, mask = made.tensors
    assert (x.in_storage_at_start, x.pageable) == (True, False)
    assert (y.in_storage_at_start, y.pageable) == (False, True)
    assert (mask.role, mask.producer) == (Role.MASK, "drop")
    assert made.ops[1].outputs == ("y", "m")


def test_that_forward_bytes_leave_inputs_masks_and_the_loss_out() -> None:
    made = graph(
        node("x", bytes=1, in_storage_at_start=True),
        node("t", outputs=[{"name": "t", "bytes": 2, "role": "label"}]),
        node(
            "drop", outputs=[{"name": "y", "bytes": 4}, {"name": "m", "bytes": 8, "role": "mask"}]
        ),
        node("loss", bytes=16, inputs=["y", "t"]),
        node("g", "backward", bytes=32, inputs=["loss", "m"]),
    )
    assert made.forward_bytes == 4
    assert made.saved_extra_bytes == 8


def test_that_a_chain_of_views_ends_at_the_tensor_that_owns_the_bytes() -> None:
    made = graph(
        node("conv"),
        node("flat", view_of="conv", inputs=["conv"], flops=0),
        node("squeezed", view_of="flat", inputs=..., flops=...),
        node("loss", inputs=["squeezed", "conv", "flat"]),
    )
    assert [op.name for op in made.ops] == ["conv", "loss"]
    assert [tensor.name for tensor in made.tensors] == ["conv", "loss"]
    assert made.ops[1].inputs == ("conv",)
    assert made.warnings == ()


def test_that_an_op_may_have_no_output_and_a_tensor_no_bytes() -> None:
    made = graph(node("a", bytes=0), node("apply", outputs=[], inputs=["a"]))
    assert made.tensors[0].shape == (0,)
    assert made.ops[1].outputs == ()


def test_that_whole_numbers_may_be_written_with_an_exponent() -> None:
    assert graph(node("a", bytes=1e6)).tensors[0].bytes == 1_000_000
    assert isinstance(graph(node("a", bytes=1e6)).tensors[0].bytes, int)


def test_that_keys_that_are_not_read_are_told() -> None:
    made = graph(node("a", workspace_byte=4, notes="x"), author="me")
    assert made.warnings == (
        "the key author is not read",
        "node a: the key workspace_byte is not read (did you mean workspace_bytes?)",
    )


def test_that_every_wrong_number_is_named_with_node_and_field() -> None:
    found = mistakes(
        node("a", bytes="100"),
        node("b", bytes=100.5),
        node("c", bytes=True),
        node("d", bytes=None),
        node("e", bytes=-2048),
        node("f", flops=-1),
        node("g", flops=[1]),
        node("h", bytes=2**62 + 1),
        node("i", workspace_bytes="4", inputs="a"),
    )
    assert found == [
        'g.json: node a: bytes: is the text "100", must be a whole number',
        "g.json: node b: bytes: is 100.5, must be a whole number",
        "g.json: node c: bytes: is true, must be a whole number",
        "g.json: node d: bytes: is null, must be a whole number",
        "g.json: node e: bytes: is -2048, below 0",
        "g.json: node f: flops: is -1, below 0",
        "g.json: node g: flops: is a list, must be a number",
        "g.json: node h: bytes: is 4611686018427387905, above 4611686018427387904",
        'g.json: node i: inputs: is the text "a", must be a list',
        'g.json: node i: workspace_bytes: is the text "4", must be a whole number',
    ]


def test_that_nodes_without_name_kind_or_size_are_named() -> None:
    found = mistakes(
        node("", bytes=4),
        {"name": "b", "kind": "forwards"},
        node("c", bytes=...),
        node("d", outputs=[{"name": "x"}], bytes=4),
        7,
    )
    assert "g.json: nodes[0]: name: is empty" in found
    assert (
        'g.json: node b: kind: is the text "forwards", must be one of: forward, backward '
        "(did you mean forward?)" in found
    )
    assert "g.json: node b: flops is missing" in found
    assert "g.json: node b: inputs is missing" in found
    assert (
        "g.json: node c: states neither bytes nor outputs (an op without a tensor has outputs [])"
        in found
    )
    assert "g.json: node d: states both bytes and outputs (keep one of them)" in found
    assert "g.json: node d: output x: bytes is missing" in found
    assert "g.json: nodes[4]: is 7, must be an object with keys" in found


def test_that_names_defined_twice_are_named_without_a_false_cycle() -> None:
    assert mistakes(node("conv"), node("conv", inputs=["conv"])) == [
        "g.json: node conv: conv is defined twice (names must be unique)"
    ]
    assert mistakes(node("a", outputs=[{"name": "x", "bytes": 1}, {"name": "x", "bytes": 2}])) == [
        "g.json: node a: x is made twice (names must be unique)"
    ]
    assert mistakes(node("x"), node("a", outputs=[{"name": "x", "bytes": 1}])) == [
        "g.json: node a: x is made twice (names must be unique)"
    ]


def test_that_an_unknown_input_suggests_the_nearest_name() -> None:
    assert mistakes(node("conv1"), node("b", inputs=["conv2"])) == [
        "g.json: node b: reads conv2, which no op makes (did you mean conv1?)"
    ]


def test_that_reading_before_making_is_named() -> None:
    assert mistakes(node("a", inputs=["b"]), node("b"), node("c", inputs=["c"])) == [
        "g.json: node a: reads b before b makes it (list the ops in the order in which they run)",
        "g.json: node c: reads c, which it makes itself",
    ]


def test_that_a_cycle_is_named_as_one() -> None:
    found = mistakes(node("a", inputs=["c"]), node("b", inputs=["a"]), node("c", inputs=["b"]))
    assert found[-1] == "g.json: node a: the ops depend on each other in a circle: a -> b -> c -> a"


def test_that_a_forward_op_behind_a_backward_op_is_refused() -> None:
    (found,) = mistakes(node("a"), node("g", "backward", inputs=["a"]), node("late", inputs=["a"]))
    assert found.startswith("g.json: node late: a forward op stands behind the backward op g")


def test_that_a_view_that_states_bytes_or_reads_nothing_known_is_refused() -> None:
    assert mistakes(node("a"), node("v", view_of="a", bytes=4)) == [
        "g.json: node v: a view owns no bytes, but states some (leave bytes out)"
    ]
    assert mistakes(node("abc"), node("v", view_of="abd")) == [
        "g.json: node v: reads abd, which no op makes (did you mean abc?)"
    ]
    with pytest.raises(ModelError, match="reads v, which it makes itself"):
        graph(node("v", view_of="v"))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"version": 2}, "version: is 2, must be 1"),
        ({"version": True}, "version: is true, must be 1"),
        ({"format": "schedule"}, "must be schedule-graph"),
        ({"nodes": []}, "nodes: is empty"),
        ({"nodes": {}}, "nodes: is an object, must be a list"),
        ({"fixed_bytes": -1}, "fixed_bytes: is -1, below 0"),
        ({"budget_bytes": "1 MiB"}, "must be a whole number or null"),
    ],
)
def test_that_wrong_heads_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError) as caught:
        from_document({**document(node("a")), **wrong}, file="g.json", name="g")
    assert words in str(caught.value)


@pytest.mark.parametrize("wrong", [[], 7, None, "text"])
def test_that_a_document_that_is_no_object_is_refused(wrong: object) -> None:
    with pytest.raises(ModelError, match="must be an object with keys"):
        from_document(wrong, file="g.json", name="g")


def test_that_sizes_that_cannot_be_added_up_are_refused() -> None:
    found = mistakes(node("a", bytes=2**61), node("b", bytes=2**61), fixed_bytes=1)
    assert found == ["g.json: all tensors together hold 4.61 EB (at most 4.61 EB can be scheduled)"]


def test_that_a_document_has_every_mistake_named_in_one_go() -> None:
    found = mistakes(node("a", bytes="1"), node("a"), node("b", inputs=["c"]), version=3)
    assert len(found) == 4


def test_that_a_petabyte_is_legal_and_exact() -> None:
    made = load_file(DATA / "malformed" / "07_petabyte_tensor.json", LoadOptions())
    assert isinstance(made, TrainingGraph)
    assert made.tensors[1].bytes == 10**15
    assert made.budget_bytes == 2 * 10**15


def test_that_utf16_is_read_as_the_same_graph() -> None:
    other = load_file(DATA / "malformed" / "15_bom_utf16.json", LoadOptions())
    same = load_file(DATA / "graphs" / "01_chain.json", LoadOptions())
    assert isinstance(other, TrainingGraph)
    assert isinstance(same, TrainingGraph)
    assert (other.ops, other.tensors) == (same.ops, same.tensors)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("03_negative_bytes", ["node b: bytes: is -2048"]),
        ("05_duplicate_names", ["conv is defined twice"]),
        (
            "13_string_number",
            ["node a: bytes", "node b: bytes", "node loss: bytes", "node g: bytes"],
        ),
    ],
)
def test_that_shipped_bad_files_are_refused_with_their_places(file: str, words: list[str]) -> None:
    with pytest.raises(ModelError) as caught:
        load_file(DATA / "malformed" / f"{file}.json", LoadOptions())
    assert len(caught.value.issues) == len(words)
    for issue, word in zip(caught.value.issues, words, strict=True):
        assert word in str(issue)


@pytest.mark.parametrize("path", sorted((DATA / "graphs").rglob("*_*.json")), ids=lambda p: p.stem)
def test_that_every_shipped_graph_costs_what_its_file_states(path: Path) -> None:
    device = read_device_file(DATA / "graphs" / "devices" / "dear.toml")
    made = load_file(path, LoadOptions())
    assert isinstance(made, TrainingGraph)
    stated = json.loads(path.read_text())["nodes"]
    costed = price(made, device)
    assert len(made.ops) == len(stated)
    assert costed.baseline_energy_j * 1e6 == pytest.approx(sum(n["flops"] for n in stated))
