"""Questions about sizes that a file leaves open: what they begin with, what counts as answered."""

import pytest

from poet_gui.viewmodels.size_questions import (
    UNANSWERED,
    Question,
    Sizes,
    answers,
    questions,
    sizes_in_use,
)
from solver.import_report import OpenSize

BATCH = OpenSize("N", ("x (N, 3, rows)",), is_batch=True)
ROWS = OpenSize("rows", ("x (N, 3, rows)", "z (rows)"))


def test_that_a_batch_begins_at_one_and_other_sizes_are_left_to_the_user() -> None:
    assert questions((BATCH, ROWS), Sizes(), {}) == (
        Question("N", "batch (N)", "x (N, 3, rows)", 1, is_batch=True),
        Question("rows", "rows", "x (N, 3, rows), z (rows)", UNANSWERED, is_batch=False),
    )


@pytest.mark.parametrize(
    ("in_use", "of_this_file", "by_name", "start"),
    [
        (None, {}, {"rows": 64}, 64),
        (None, {"rows": 32}, {"rows": 64}, 32),
        (8, {"rows": 32}, {}, 8),
        (None, {"rows": 0}, {"rows": 64}, 0),
    ],
)
def test_that_a_size_begins_with_the_nearest_earlier_choice(
    in_use: int | None, of_this_file: dict[str, int], by_name: dict[str, int], start: int
) -> None:
    asked = OpenSize("rows", (), in_use)
    (question,) = questions((asked,), Sizes(dims=of_this_file), by_name)
    assert question.start == start


def test_that_nothing_is_answered_while_a_size_is_missing() -> None:
    asked = questions((BATCH, ROWS), Sizes(), {})
    assert answers(asked, [1, UNANSWERED]) is None
    assert answers(asked, [4, 7]) == Sizes(4, {"rows": 7})


def test_that_a_size_may_be_nothing_but_a_batch_may_not() -> None:
    asked = questions((BATCH, ROWS), Sizes(), {})
    assert answers(asked, [1, 0]) == Sizes(1, {"rows": 0})
    assert answers(asked, [0, 1]) is None


def test_that_the_sizes_in_use_are_those_a_model_was_opened_with() -> None:
    opened = (OpenSize("N", (), 4, is_batch=True), OpenSize("rows", (), 7))
    assert sizes_in_use(opened) == Sizes(4, {"rows": 7})
    assert sizes_in_use(()) == Sizes()
