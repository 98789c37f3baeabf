"""The search field's language, and the order of its hits."""

import pytest

from poet_gui.viewmodels.search import Hit, Query, QueryError, find, parse_query
from poet_gui.viewmodels.trace_index import Kind
from tests.helpers.traces import many_outputs_trace, story


def hits(text: str) -> list[Hit]:
    return list(find(story(), parse_query(text)))


def test_that_words_kinds_and_sizes_are_told_apart() -> None:
    assert parse_query("Conv3 kind:page-in size>64k") == Query(
        ("conv3",), (Kind.PAGE_IN,), ((">", 65536),)
    )


@pytest.mark.parametrize(
    ("text", "limit"), [("size>=1.5MiB", 1572864), ("size>=2m", 2097152), ("size>=1000", 1000)]
)
def test_that_sizes_take_any_unit_and_a_short_one(text: str, limit: int) -> None:
    assert parse_query(text).sizes == ((">=", limit),)


@pytest.mark.parametrize("text", ["kind:sleep", "size>many", "size>", "kind:"])
def test_that_a_query_that_means_nothing_says_what_would(text: str) -> None:
    if text == "size>":
        assert parse_query(text) == Query(("size>",))  # still being typed
        return
    with pytest.raises(QueryError, match=r"compute, recompute|size>64k"):
        parse_query(text)


def test_that_a_word_finds_tensors_at_the_action_that_first_makes_them() -> None:
    assert hits("F2") == [Hit(1, 1)]
    assert hits("f") == [Hit(0, 0), Hit(1, 1), Hit(2, 4)]


def test_that_a_kind_finds_every_action_of_it_in_order() -> None:
    assert hits("kind:recompute") == [Hit(1, 11)]
    assert hits("kind:page-out kind:page_in") == [Hit(0, 2), Hit(0, 10)]


def test_that_all_conditions_hold_together() -> None:
    assert hits("kind:compute size<10") == [Hit(3, 6)]  # the loss, 4 B
    assert hits("b size>=1000") == [Hit(4, 7), Hit(5, 12), Hit(6, 15)]
    assert hits("b3 size<10") == []


def test_that_an_op_without_output_is_found_by_its_name_and_kind() -> None:
    found = find(many_outputs_trace(), parse_query("update kind:compute"))
    assert found == (Hit(None, 4),)


def test_that_nothing_is_found_for_nothing() -> None:
    assert hits("   ") == []
