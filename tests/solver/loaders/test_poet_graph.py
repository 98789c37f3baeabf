"""Claim: a poet.graph is read back as it was written, or every mistake of it is named."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solver.codec import encode_json, graph_document
from solver.costs import price
from solver.device_files import load_device
from solver.errors import ModelError
from solver.graph import Accounting, GraphSettings, Role, TrainingGraph
from solver.loaders.options import LoadOptions
from solver.loaders.poet_graph import from_document
from solver.loaders.registry import load_file
from solver.zoo.registry import build_poet_graph


def small(**changes: Any) -> dict[str, Any]:
    """Forward a -> loss, backward g; only what a training graph is made of."""
    return {
        "format": "poet.graph",
        "version": 1,
        "ops": [
            {"name": "A", "phase": "forward", "inputs": [], "outputs": ["a"], "flop": 5},
            {"name": "L", "phase": "forward", "inputs": ["a"], "outputs": ["loss"], "flop": 1},
            {"name": "G", "phase": "backward", "inputs": ["loss", "a"], "outputs": [], "flop": 2.5},
        ],
        "tensors": [{"name": "a", "bytes": 8}, {"name": "loss", "bytes": 4}],
        **changes,
    }


def read(document: object) -> TrainingGraph:
    return from_document(document, file="g.json", name="g")


def mistakes(document: object) -> list[str]:
    with pytest.raises(ModelError) as caught:
        read(document)
    return [str(issue) for issue in caught.value.issues]


@pytest.mark.parametrize("name", ["linear", "resnet18_cifar"])
def test_that_a_written_graph_reads_back_as_itself(tmp_path: Path, name: str) -> None:
    graph = build_poet_graph(name)
    path = tmp_path / f"{name}.txt"
    path.write_bytes(encode_json(graph_document(price(graph, load_device("m4")))))
    back = load_file(path, LoadOptions())
    assert isinstance(back, TrainingGraph)
    given = GraphSettings(Accounting.GIVEN, batch=1, loss="softmax-ce")
    assert back == replace(graph, settings=given)


def test_that_prices_and_totals_may_be_absent_and_are_worked_out() -> None:
    graph = read(small())
    assert [op.kind for op in graph.ops] == ["A", "L", "G"]
    assert [tensor.producer for tensor in graph.tensors] == ["A", "L"]
    assert graph.loss_tensors == ("loss",)
    assert graph.forward_bytes == 8
    assert graph.settings == GraphSettings(Accounting.GIVEN)
    assert graph.ops[2].flop == 2.5


def test_that_stated_fields_are_kept() -> None:
    document = small(
        fixed_bytes=3,
        weight_bytes=20,
        trainable=[{"name": "w", "bytes": 16}],
        trainable_bytes=16,
        forward_macs=7,
        forward_bytes=9,
        saved_extra_bytes=2,
        loss_tensors=["loss"],
        settings={"accounting": "autodiff", "weights": "resident", "dims": {"N": 2}, "batch": 4},
        warnings=["careful"],
    )
    document["ops"][0] |= {"kind": "Conv", "trainable": ["w"], "workspace_bytes": 6}
    document["ops"][2]["gradient_of"] = ["w"]
    document["tensors"][0] |= {
        "shape": [1, 2], "dtype": "float32", "role": "mask", "pageable": False,
        "in_storage_at_start": True,
    }  # fmt: skip
    graph = read(document)
    assert (graph.fixed_bytes, graph.weight_bytes, graph.trainable_bytes) == (3, 20, 16)
    assert (graph.forward_macs, graph.forward_bytes, graph.saved_extra_bytes) == (7, 9, 2)
    assert (graph.ops[0].kind, graph.ops[0].trainable) == ("Conv", ("w",))
    assert graph.ops[0].workspace_bytes == 6
    assert graph.ops[2].gradient_of == ("w",)
    tensor = graph.tensors[0]
    assert (tensor.shape, tensor.dtype, tensor.role) == ((1, 2), "float32", Role.MASK)
    assert (tensor.pageable, tensor.in_storage_at_start) == (False, True)
    assert graph.settings.accounting is Accounting.GIVEN
    assert graph.settings.weights == "resident"
    assert dict(graph.settings.dims) == {"N": 2}
    assert graph.settings.batch == 4
    assert graph.warnings == ("careful",)


def test_that_a_backward_op_is_never_recomputable() -> None:
    document = small()
    document["ops"][2]["recomputable"] = True
    assert [op.recomputable for op in read(document).ops] == [True, True, False]


def test_that_every_mistake_is_named_at_once() -> None:
    document = small(version=2)
    document["ops"][0]["flop"] = -1
    document["ops"][1]["inputs"] = ["b"]
    document["ops"][2]["outputs"] = ["g"]
    document["tensors"][1]["bytes"] = "4"
    document["tensors"].append({"name": "c", "bytes": 1})
    document["tensors"].append({"name": "a", "bytes": 1, "producer": "L"})
    found = mistakes(document)
    assert found == [
        "g.json: version: is 2, must be 1",
        "g.json: op A: flop: is -1, below 0",
        'g.json: tensor loss: bytes: is the text "4", must be a whole number',
        "g.json: tensor c: no op makes it",
        "g.json: tensor a: a is listed twice (names must be unique)",
        "g.json: tensor a: producer is L, but A makes it",
        "g.json: op G: its output g is not among the tensors",
        "g.json: op L: reads b, which no op makes",
    ]


def test_that_trainables_that_do_not_add_up_are_named() -> None:
    document = small(trainable=[{"name": "w", "bytes": 8}], trainable_bytes=9)
    assert mistakes(document) == ["g.json: trainable_bytes: is 9, but the trainables add up to 8"]


def test_that_a_tensor_made_twice_and_an_unknown_loss_are_named() -> None:
    document = small(loss_tensors=["los"])
    document["ops"][1]["outputs"] = ["loss", "a"]
    assert mistakes(document) == [
        "g.json: op L: a is made twice (names must be unique)",
        "g.json: loss_tensors: los is not among the tensors (did you mean loss?)",
    ]


@pytest.mark.parametrize("wrong", [[], None, "x", {"format": "poet.graph"}, small(ops=3)])
def test_that_a_wrong_document_is_refused_in_words(wrong: object) -> None:
    assert all(message.startswith("g.json") for message in mistakes(wrong))


def test_that_a_file_is_found_out_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "graph.onnx"
    path.write_text(json.dumps(small()))
    graph = load_file(path, LoadOptions())
    assert isinstance(graph, TrainingGraph)
    assert graph.name == "graph"
