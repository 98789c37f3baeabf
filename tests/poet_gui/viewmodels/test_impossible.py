"""Claim: the banner names what is to blame, brackets what would work, and its buttons set that."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from poet_gui.viewmodels.impossible import (
    ImpossibleWords,
    impossible_now,
    impossible_words,
)
from solver.explain import proven_impossible
from solver.outcome import LeastBudget, Limit
from solver.problem import Budgets, Problem, SolveOptions
from tests.helpers.builders import Line, chain, graph_of, problem_of
from tests.helpers.results import RECORD, outcome_of_kind, small_problem

NONE: Mapping[Limit, LeastBudget] = {}


def words(
    problem: Problem,
    found: Mapping[Limit, LeastBudget] = NONE,
    searching: Limit | None = None,
) -> ImpossibleWords:
    """The banner after a solve that proved the problem impossible."""
    outcome = impossible_now(problem, None) or proven_impossible(problem, RECORD, None)
    return impossible_words(problem, outcome, SolveOptions(), found, searching)


def test_that_below_the_floor_op_tensors_and_missing_bytes_are_named() -> None:
    said = words(problem_of(chain(4), 2990))

    assert said.title == "Impossible: too little memory"
    (line,) = said.lines
    assert line == (
        "b3 needs 3,000 B (2.93 KiB) at once: inputs b4 1000 B, f3 1000 B; outputs b3 1000 B. "
        "10 B missing."
    )
    (remedy,) = said.remedies
    assert (remedy.text, remedy.budgets.ram_bytes) == ("Set memory to 3,000 B", 3000)


def test_that_fixed_bytes_alone_are_blamed_on_no_op() -> None:
    graph = graph_of([Line("a", "f", 0, 1.0), Line("b", "b", 0, 1.0, ("a",))], fixed_bytes=7)

    assert words(problem_of(graph, 6)).lines[0] == "The fixed bytes alone take 7 B: 1 B missing."


def test_that_while_it_is_looked_for_the_bracket_is_shown_and_offered() -> None:
    problem = problem_of(chain(4), 3000, paging=False)
    least = LeastBudget(Limit.RAM, 3004, 4004)

    said = words(problem, {Limit.RAM: least}, Limit.RAM)

    assert said.searching
    assert said.lines[1] == (
        "Least memory: between 3,004 B (2.93 KiB) and 4,004 B (3.91 KiB), narrowing …"
    )
    assert [remedy.text for remedy in said.remedies] == ["Set memory to 4,004 B", "Allow paging"]
    assert said.remedies[0].tip == "the least memory known to work"
    assert said.remedies[0].budgets == Budgets(4004)
    assert said.remedies[1].switches.paging
    assert said.remedies[1].budgets == problem.budgets


def test_that_a_search_without_a_bracket_yet_says_that_it_looks() -> None:
    said = words(problem_of(chain(4), 3000, paging=False), searching=Limit.RAM)

    assert said.lines[1] == "Least memory: looking for it …"
    assert [remedy.text for remedy in said.remedies] == ["Allow paging"]


def test_that_under_a_runtime_limit_both_ways_out_are_offered() -> None:
    problem = problem_of(chain(4), 3000, runtime_s=12.01)
    found = {
        Limit.RAM: LeastBudget(Limit.RAM, 4004, 4004, exact=True),
        Limit.RUNTIME: LeastBudget(Limit.RUNTIME, 12.02, 12.0200049, exact=True),
    }

    said = words(problem, found)

    assert said.title == "Impossible: too little runtime"
    assert said.lines == (
        "No schedule within 3,000 B (2.93 KiB) is as fast as 12.01 s.",
        "The least runtime that works within 3,000 B (2.93 KiB) is 12.021 s.",
        "The least RAM that works within 12.01 s is 4,004 B (3.91 KiB).",
    )
    runtime, ram = said.remedies
    assert (runtime.text, runtime.budgets) == (
        "Set runtime to 12.021 s",
        Budgets(3000, 12.0200049),
    )
    assert (ram.text, ram.budgets) == ("Set memory to 4,004 B", Budgets(4004, 12.01))


def test_that_less_than_the_baseline_is_blamed_on_time_alone() -> None:
    said = words(problem_of(chain(4), 3000, runtime_s=11.0))

    assert said.title == "Impossible: too little runtime"
    assert said.lines == (
        "Every op once takes 12.0 s, 1.00 s more than the limit; no schedule is faster.",
    )
    assert "memory" not in said.whole


@pytest.mark.parametrize("why", ["limit", "floor", "pinned"])
def test_that_paging_is_not_offered_where_it_may_not_help(why: str) -> None:
    graph = graph_of(
        [
            Line("f", "f", 100, 1e6, pageable=why != "pinned"),
            Line("b", "b", 5, 1e6, ("f",)),
        ]
    )
    ram = 104 if why == "floor" else 105
    problem = problem_of(graph, ram, paging=False, runtime_s=5.0 if why == "limit" else None)

    assert "Allow paging" not in [remedy.text for remedy in words(problem).remedies]


def test_that_what_is_hopeless_is_said_and_not_offered() -> None:
    problem = problem_of(chain(4), 2990, runtime_s=11.0)
    found = {Limit.RAM: LeastBudget(Limit.RAM, 3000, hopeless=True)}

    said = words(problem, found)

    assert said.lines[1] == "No RAM is enough within 11 s."
    assert said.remedies == ()


def test_that_a_schedule_is_not_called_impossible() -> None:
    problem = small_problem()

    assert impossible_now(problem, outcome_of_kind("feasible", problem)) is None
    assert impossible_now(problem, None) is None
    assert impossible_now(replace(problem, budgets=Budgets(2999)), None) is not None
