"""Claim: a name that nothing could show is refused where its file is read."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from solver.errors import ModelError
from solver.graph_request import GraphRequest
from solver.loading import load_training_graph
from solver.names import endless_names
from tests.helpers.builders import chain
from tests.helpers.command import GRAPHS

LONG = "n" * 10_001


def test_that_names_as_long_as_can_be_shown_are_fine() -> None:
    assert not list(endless_names(replace(chain(2), name="n" * 10_000)))


def test_that_every_endless_name_is_told_by_its_place() -> None:
    graph = chain(2)
    ops = (replace(graph.ops[0], kind=LONG), *graph.ops[1:])
    tensors = (replace(graph.tensors[0], dtype=LONG), *graph.tensors[1:])
    told = list(endless_names(replace(graph, name=LONG, ops=ops, tensors=tensors)))

    assert [words.partition(" has ")[0] for words in told] == [
        "the model's name",
        "the kind of op 0",
        "the dtype of tensor 0",
    ]
    assert told[0].endswith("10,001 characters, and at most 10,000 can be shown")


def test_that_a_file_with_such_a_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    document = json.loads((GRAPHS / "01_chain.json").read_text())
    path.write_text(json.dumps(document | {"name": LONG}))

    with pytest.raises(ModelError, match="the model's name has 10,001 characters"):
        load_training_graph(GraphRequest(str(path)))
