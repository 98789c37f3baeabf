"""Claim: the JSON Schemas on disk are those of the structs, and our documents obey them."""

import json
from importlib.resources import files

import pytest

from solver.codec import encode_json, graph_document
from solver.codec.schemas import DOCUMENTS, schema_text
from solver.schemas import schema_issues
from tests.helpers.results import KINDS, result_of_kind, small_problem


@pytest.mark.parametrize("name", DOCUMENTS)
def test_that_the_schema_on_disk_is_that_of_the_struct(name: str) -> None:
    on_disk = files("resources.schemas").joinpath(f"{name}.schema.json").read_text("utf-8")

    assert on_disk == schema_text(name), "run `python -m solver.codec.schemas`"


@pytest.mark.parametrize("kind", KINDS)
def test_that_a_result_of_every_status_obeys_its_schema(kind: str) -> None:
    document = json.loads(encode_json(result_of_kind(kind)))

    assert schema_issues(document, "poet.result") == ()


def test_that_a_graph_obeys_its_schema() -> None:
    document = json.loads(encode_json(graph_document(small_problem().costed)))

    assert schema_issues(document, "poet.graph") == ()


def test_that_a_wrong_result_does_not_obey() -> None:
    document = json.loads(encode_json(result_of_kind("feasible")))
    document["peak_bytes"] = 3.5
    del document["message"]

    assert len(schema_issues(document, "poet.result")) == 2
