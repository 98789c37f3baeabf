"""Claim: the table of a sweep tells budgets apart, and says of each all that is proven."""

import pytest

from solver.codec.documents import BudgetObject
from solver.commands.sweep_table import is_ruled_out, limit_words


def test_that_limits_which_round_alike_get_the_digits_that_tell_them_apart() -> None:
    assert limit_words([525.077, None, 525.284, 526.0]) == {
        None: "-",
        525.077: "525.1 s",
        525.284: "525.3 s",
        526.0: "526 s",
    }


def test_that_three_digits_are_enough_where_they_differ() -> None:
    assert limit_words([0.25, 62.61, 62.61]) == {None: "-", 0.25: "250 ms", 62.61: "62.6 s"}


@pytest.mark.parametrize(
    ("ram_bytes", "runtime_s", "ruled_out"),
    [(100, 2.0, True), (100, 1.0, True), (99, 2.0, True), (101, 2.0, False), (100, None, False)],
)
def test_that_no_budget_tighter_than_an_impossible_one_is_left_open(
    ram_bytes: int, runtime_s: float | None, *, ruled_out: bool
) -> None:
    refused = [BudgetObject(ram_bytes=100, runtime_s=2.0)]
    assert (
        is_ruled_out(BudgetObject(ram_bytes=ram_bytes, runtime_s=runtime_s), refused) is ruled_out
    )
