"""Claim: what is known of a least budget is said as surely as it is known, never more."""

import pytest

from solver.explain import proven_impossible, too_little_ram
from solver.least_words import least_text, least_words, with_least
from solver.outcome import LeastBudget, Limit
from tests.helpers.builders import chain, problem_of
from tests.helpers.results import RECORD

WITHOUT = problem_of(chain(4), 3000, paging=False)


@pytest.mark.parametrize(
    ("least", "words"),
    [
        (
            LeastBudget(Limit.RAM, 3004, 3004, exact=True),
            "the least RAM that works without paging is 3,004 B (2.93 KiB)",
        ),
        (
            LeastBudget(Limit.RAM, 3001, 3508),
            (
                "the least RAM known to work without paging is 3,508 B (3.43 KiB); "
                "less than 3,001 B (2.93 KiB) is proven not to"
            ),
        ),
        (
            LeastBudget(Limit.RAM, 3001),
            "a RAM of less than 3,001 B (2.93 KiB) is proven not to work without paging",
        ),
        (
            LeastBudget(Limit.RUNTIME, 12.0, hopeless=True),
            "no runtime is enough without paging within 3,000 B (2.93 KiB)",
        ),
        (
            LeastBudget(Limit.RUNTIME, 12.3456789, 12.3456789, exact=True),
            "the least runtime that works without paging within 3,000 B (2.93 KiB) is 12.346 s",
        ),
    ],
)
def test_that_a_least_budget_says_how_sure_it_is(least: LeastBudget, words: str) -> None:
    assert least_words(WITHOUT, least) == words


def test_that_seconds_are_rounded_to_the_safe_side() -> None:
    assert least_text(Limit.RUNTIME, 12.34561, up=True) == "12.346 s"
    assert least_text(Limit.RUNTIME, 12.34569, up=False) == "12.345 s"
    assert least_text(Limit.RUNTIME, 1234567.0, up=True) == "1234600 s"
    assert least_text(Limit.RUNTIME, 0.0012, up=True) == "0.0012 s"


def test_that_the_least_of_the_limit_to_blame_fills_the_reason() -> None:
    limited = problem_of(chain(4), 3000, runtime_s=12.1, paging=False)
    outcome = proven_impossible(limited, RECORD, None)
    ram, runtime = LeastBudget(Limit.RAM, 3100, 3504), LeastBudget(Limit.RUNTIME, 13.0, 13.0, True)

    told = with_least(outcome, limited, [ram, runtime])

    reason = told.reason
    assert (reason.needed, reason.missing, reason.exact) == (3504, 504, False)
    assert told.message.startswith(outcome.message)
    assert "known to work without paging within 12.1 s is 3,504 B" in told.message
    assert told.message.endswith("is 13 s")


def test_that_below_the_floor_the_floor_stays_what_is_needed() -> None:
    below = problem_of(chain(4), 2999, paging=False)
    outcome = too_little_ram(below, RECORD)
    assert outcome is not None

    told = with_least(outcome, below, [LeastBudget(Limit.RAM, 3504, 3504, exact=True)])

    assert (told.reason.needed, told.reason.missing, told.reason.exact) == (3000, 1, False)
    assert told.message.endswith("the least RAM that works without paging is 3,504 B (3.42 KiB)")


def test_that_a_floor_that_works_is_exact() -> None:
    below = problem_of(chain(4), 2999, paging=False)
    outcome = too_little_ram(below, RECORD)
    assert outcome is not None

    told = with_least(outcome, below, [LeastBudget(Limit.RAM, 3000, 3000, exact=True)])

    assert told.reason.exact


def test_that_what_is_hopeless_changes_no_figure() -> None:
    limited = problem_of(chain(4), 2999, runtime_s=1.0)
    outcome = too_little_ram(limited, RECORD)
    assert outcome is not None

    told = with_least(outcome, limited, [LeastBudget(Limit.RAM, 3000, hopeless=True)])

    assert told.reason == outcome.reason
    assert told.message.endswith("no RAM is enough within 1 s")
