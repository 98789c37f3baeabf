"""Claim: places and values of a document are said in words, numbers are taken strictly."""

import pytest

from solver.schemas import describe, place, schema_issues

DOCUMENT = {"nodes": [{"name": "conv"}, {"outputs": [{"name": "conv:0"}]}], "page_in": {"x": 1}}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ([], "f.json"),
        (["version"], "f.json: version"),
        (["nodes", 0, "bytes"], "f.json: node conv: bytes"),
        (["nodes", 1, "bytes"], "f.json: nodes[1]: bytes"),
        (["nodes", 1, "outputs", 0, "bytes"], "f.json: nodes[1]: output conv:0: bytes"),
        (["page_in", "x"], "f.json: page_in.x"),
    ],
)
def test_that_a_place_is_said_with_the_names_of_the_document(
    path: list[str | int], words: str
) -> None:
    assert place(DOCUMENT, path, file="f.json") == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "null"), (True, "true"), (1.5, "1.5"), ("a", 'the text "a"'), ({}, "an object"),
     ([], "a list"), ("x" * 99, 'the text "' + "x" * 40 + '…"')],
)  # fmt: skip
def test_that_a_value_is_said_as_its_author_wrote_it(value: object, words: str) -> None:
    assert describe(value) == words


@pytest.mark.parametrize("wrong", [True, float("nan"), float("inf"), 1.5, 2.0**60, "1", None])
def test_that_only_exact_whole_numbers_are_whole(wrong: object) -> None:
    graph = {"format": "schedule-graph", "version": 1, "nodes": [{}], "fixed_bytes": wrong}
    places = [issue.where for issue in schema_issues(graph, "schedule-graph")]
    assert "fixed_bytes" in places


def test_that_a_whole_number_with_an_exponent_is_whole() -> None:
    graph = {"format": "schedule-graph", "version": 1, "nodes": [], "fixed_bytes": 1e6}
    assert [issue.where for issue in schema_issues(graph, "schedule-graph")] == ["nodes"]


def test_that_a_choice_of_forms_complains_about_the_form_that_was_meant() -> None:
    document = {"op": None, "tensors": [], "limit": "ram"}
    result = {"format": "poet.result", "version": 1, "reason": {**document, "needed": "much"}}
    found = [
        issue for issue in schema_issues(result, "poet.result") if issue.where == "reason.needed"
    ]
    assert [issue.message for issue in found] == ['is the text "much", must be a whole number']


@pytest.mark.parametrize("wrong", [10**350, -(10**350), 2**5000])
def test_that_a_number_beyond_every_float_is_a_mistake_like_any_other(wrong: int) -> None:
    graph = {"format": "schedule-graph", "version": 1, "nodes": [{"flops": wrong}]}
    found = [str(issue) for issue in schema_issues(graph, "schedule-graph")]
    assert any("flops: is a number of more than 30 digits" in text for text in found), found


def test_that_mistakes_without_measure_are_counted_and_not_all_named() -> None:
    document = {"format": "poet.graph", "version": 1, "ops": [], "tensors": ["x"] * 100_000}
    issues = schema_issues(document, "poet.graph.input", file="f.json")
    assert len(issues) == 1001
    assert str(issues[-1]) == "f.json: more than 999 mistakes; the others are not named"
