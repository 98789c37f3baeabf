"""Claim: an outcome's sentence says what was proven, what is to blame and what would work."""

import pytest

from solver.explain import (
    exact_bytes,
    finished,
    no_answer,
    proven_impossible,
    proven_percent,
    too_little_ram,
    too_little_time,
)
from solver.least_words import least_words
from solver.outcome import Feasible, LeastBudget, Limit, Optimal, StopReason
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from tests.helpers.builders import Line, chain, graph_of, problem_of
from tests.helpers.results import RECORD


def test_that_the_floor_names_its_op_and_what_makes_it_up() -> None:
    # chain(4): b4 takes loss 4 + f4 1000 + its own 1000; b3, with b4 and f3, 3000: the first
    problem = problem_of(chain(4), 2999)

    outcome = too_little_ram(problem, RECORD)

    assert outcome is not None
    reason = outcome.reason
    assert (reason.limit, reason.op, reason.needed, reason.missing, reason.exact) == (
        Limit.RAM, problem.costed.graph.op_index["b3"], 3000, 1, True,
    )  # fmt: skip
    assert outcome.message == (
        "impossible: b3 alone needs 3,000 B (2.93 KiB) (inputs b4 1000 B, f3 1000 B; outputs "
        "b3 1000 B), 1 B more than the budget of 2,999 B (2.93 KiB); the least RAM that works "
        "with paging is 3,000 B (2.93 KiB)"
    )


def test_that_workspace_and_fixed_bytes_are_named() -> None:
    lines = [Line("f", "f", 100, 1e6, workspace=20), Line("b", "b", 5, 1e6, ("f",))]
    problem = problem_of(graph_of(lines, fixed_bytes=3), 122)

    outcome = too_little_ram(problem, RECORD)

    assert outcome is not None
    assert (
        "f alone needs 123 B (outputs f 100 B; workspace 20 B; fixed 3 B), 1 B more"
        in outcome.message
    )


@pytest.mark.parametrize("switch", ["paging", "runtime", "pageable"])
def test_that_the_floor_is_no_promise_where_not_everything_can_leave(switch: str) -> None:
    lines = [
        Line("f", "f", 100, 1e6, pageable=switch != "pageable"),
        Line("b", "b", 5, 1e6, ("f",)),
    ]
    runtime_s = 5.0 if switch == "runtime" else None
    problem = problem_of(graph_of(lines), 104, runtime_s=runtime_s, paging=switch != "paging")

    outcome = too_little_ram(problem, RECORD)

    assert outcome is not None
    assert not outcome.reason.exact
    assert "no schedule works with less than 105 B" in outcome.message


def test_that_enough_ram_or_time_is_not_complained_of() -> None:
    assert too_little_ram(problem_of(chain(4), 3000), RECORD) is None
    assert too_little_time(problem_of(chain(4), 3000), RECORD) is None
    assert too_little_time(problem_of(chain(4), 3000, runtime_s=12.000001), RECORD) is None


def test_that_too_short_a_limit_names_the_baseline() -> None:
    outcome = too_little_time(problem_of(chain(4), 3000, runtime_s=11.0), RECORD)

    assert outcome is not None
    assert outcome.reason.limit is Limit.RUNTIME
    assert outcome.reason.needed == pytest.approx(12.000001)
    assert outcome.reason.missing == pytest.approx(1.000001)
    assert outcome.message.startswith("impossible: running every op once takes 12.0 s")
    assert "no schedule is faster" in outcome.message


def test_that_bytes_are_exact_and_short() -> None:
    assert exact_bytes(12) == "12 B"
    assert exact_bytes(1895424) == "1,895,424 B (1.81 MiB)"


def trace(*, paged: bool) -> Trace:
    """chain(4): 12.000001 J kept, 12.060001 J paged."""
    problem = problem_of(chain(4), 10**6)
    return simulate((page_all if paged else keep_all)(stage(problem)), problem)


def test_that_a_bound_that_meets_the_energy_is_optimal_whatever_stopped_it() -> None:
    outcome = finished(trace(paged=False), 12.000001, StopReason.TIME, RECORD)

    assert isinstance(outcome, Optimal)
    assert outcome.message.startswith("optimal: 12.00 J")


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        (StopReason.GAP, "stopped at the gap allowed"),
        (StopReason.TIME, "stopped by the time limit"),
        (StopReason.CANCELLED, "stopped by request"),
    ],
)
def test_that_a_gap_left_is_a_share_of_the_overhead(stop: StopReason, words: str) -> None:
    # overhead 0.06 J, 0.03 J open: 50 %
    outcome = finished(trace(paged=True), 12.030001, stop, RECORD)

    assert isinstance(outcome, Feasible)
    assert outcome.stop_reason is stop
    assert "within 50.0 % of the overhead (proven)" in outcome.message
    assert words in outcome.message


def test_that_a_bound_at_the_baseline_is_called_nothing_proven() -> None:
    # overhead 0.06 J, all of it open
    outcome = finished(trace(paged=True), 12.000001, StopReason.TIME, RECORD)

    assert outcome.message.startswith("feasible, nothing proven beyond the baseline: 12.06 J")


@pytest.mark.parametrize(
    ("gap", "text"),
    [(0.0, "0 %"), (0.00124, "0.13 %"), (0.004, "0.40 %"), (0.5531, "55.4 %"), (1.0, "100.0 %")],
)
def test_that_a_proven_gap_is_rounded_up(gap: float, text: str) -> None:
    assert proven_percent(gap) == text


def test_that_a_false_bound_is_not_hidden() -> None:
    kept = trace(paged=False)

    outcome = finished(kept, kept.total_energy_j + 1.0, StopReason.PROOF, RECORD)

    assert isinstance(outcome, Optimal)
    assert outcome.bound_j == kept.total_energy_j + 1.0  # for the last check (api.solve) to see


def test_that_without_paging_paging_is_the_remedy() -> None:
    outcome = proven_impossible(problem_of(chain(4), 3000, paging=False), RECORD, 12.5)

    assert outcome.reason.limit is Limit.RAM
    assert outcome.bound_j == 12.5
    assert outcome.message.startswith("impossible without paging")
    assert outcome.message.endswith("allow paging or more RAM")


def test_that_both_means_that_are_off_are_named_together() -> None:
    problem = problem_of(chain(4), 3000, paging=False, recompute=False)

    message = proven_impossible(problem, RECORD, None).message

    assert message.startswith("impossible without paging and recomputing: no schedule fits")
    assert message.endswith("allow paging or recomputing or more RAM")
    least = least_words(problem, LeastBudget(Limit.RAM, 5004, 5004, exact=True))
    assert least.startswith("the least RAM that works without paging and recomputing is 5,004 B")


def test_that_time_is_blamed_where_ram_is_known_to_do() -> None:
    limited = problem_of(chain(4), 3000, runtime_s=12.1)
    assert proven_impossible(limited, RECORD, None).reason.limit is Limit.RUNTIME

    without = problem_of(chain(4), 3000, runtime_s=12.1, paging=False)
    assert proven_impossible(without, RECORD, None).reason.limit is Limit.RAM
    assert proven_impossible(without, RECORD, None, fits_in_ram=True).reason.limit is Limit.RUNTIME


@pytest.mark.parametrize("stop", list(StopReason))
def test_that_an_open_end_says_that_it_is_open(stop: StopReason) -> None:
    outcome = no_answer(problem_of(chain(4), 3000), stop, RECORD, None)

    assert "is open" in outcome.message
    assert "  " not in outcome.message


def test_that_fixed_bytes_above_the_budget_are_blamed_on_no_op() -> None:
    graph = graph_of([Line("a", "f", 0, 1.0), Line("b", "b", 0, 1.0, ("a",))], fixed_bytes=7)

    outcome = too_little_ram(problem_of(graph, 6), RECORD)

    assert outcome is not None
    assert (outcome.reason.op, outcome.reason.missing) == (None, 1)
    assert outcome.message.startswith("impossible: the fixed bytes alone take 7 B, 1 B more")
