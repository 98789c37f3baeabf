"""Claim: the quick yes never says yes to what the real validator refuses."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from solver.schema_shortcut import inlined, plainly_fits
from solver.schemas import schema_issues
from tests.helpers.mutations import damaged

GRAPH: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "graphs" / "05_multi_output.json").read_text()
)
ROOT = json.loads(files("resources.schemas").joinpath("schedule-graph.schema.json").read_text())
SCHEMA = inlined(ROOT, ROOT)


def test_that_references_are_replaced_by_what_they_name() -> None:
    assert "$ref" not in json.dumps(SCHEMA)
    assert SCHEMA["properties"]["nodes"]["items"]["properties"]["bytes"]["minimum"] == 0
    assert "$defs" not in SCHEMA


@pytest.mark.parametrize(
    ("value", "schema", "fits"),
    [
        (5, {"type": "integer", "minimum": 5, "maximum": 5}, True),
        (4, {"type": "integer", "minimum": 5}, False),
        (10**350, {"type": "integer", "maximum": 5}, False),
        (6, {"type": "integer", "maximum": 5}, False),
        (True, {"type": "integer"}, False),
        (1.5, {"type": "number"}, True),
        (float("nan"), {"type": "number"}, False),
        (float("inf"), {"type": "number"}, False),
        ("", {"type": "string", "minLength": 1}, False),
        ("a", {"enum": ["a", "b"]}, True),
        ("c", {"enum": ["a", "b"]}, False),
        (None, {"type": ["integer", "null"]}, True),
        ([1, "x"], {"type": "array", "items": {"type": "integer"}}, False),
        ([], {"type": "array", "minItems": 1}, False),
        ({"a": 1}, {"type": "object", "required": ["b"]}, False),
        ({"a": "x"}, {"type": "object", "properties": {"a": {"type": "integer"}}}, False),
        ({}, {"oneOf": []}, False),  # a word that it does not know
    ],
)
def test_that_only_plain_fits_are_taken(
    value: object, schema: dict[str, Any], fits: object
) -> None:
    assert plainly_fits(value, schema) is fits


def test_that_a_good_file_takes_the_short_way() -> None:
    assert all(
        plainly_fits(node, SCHEMA["properties"]["nodes"]["items"]) for node in GRAPH["nodes"]
    )


@settings(max_examples=60, deadline=None)
@given(damaged(GRAPH))
def test_that_a_quick_yes_is_a_yes_of_the_real_validator(document: dict[str, Any]) -> None:
    if plainly_fits(document, SCHEMA):
        assert schema_issues(document, "schedule-graph") == ()
        assert jsonschema.Draft202012Validator(ROOT).is_valid(document)
