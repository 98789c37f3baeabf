"""What a session knows: what every solve proves counts, what came with a file is not passed on."""

from dataclasses import replace

import pytest

from poet_gui.knowledge import Knowledge
from poet_gui.viewmodels.solve_words import outcome_words
from solver.brackets import NOTHING_KNOWN, StoredBound, StoredSchedule
from solver.device import IoMode
from solver.events import Bound, Finished, Incumbent
from solver.explain import finished
from solver.outcome import Feasible, Optimal, SolverRecord, StopReason
from solver.problem import Budgets, Problem, SolveOptions, Switches
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, problem_of

RECORD = SolverRecord("joint", "none", "", 0.0)
# chain(5): baseline 15.000001 J, floor 3000 B; page-all 15.080001 J in 3000 B.
PROBLEM = problem_of(chain(5), 4000)
OPTIONS = SolveOptions()


@pytest.fixture
def knowledge() -> Knowledge:
    return Knowledge()


def at(ram_bytes: int) -> Problem:
    return replace(PROBLEM, budgets=Budgets(ram_bytes))


def paged(problem: Problem = PROBLEM) -> Trace:
    return simulate(page_all(stage(problem)), problem)


def incumbent(trace: Trace, bound_j: float = 15.01) -> Incumbent:
    return Incumbent(0.0, "greedy", trace, trace.total_energy_j, bound_j)


def stored(trace: Trace) -> StoredSchedule:
    return StoredSchedule(trace.peak_bytes, trace.runtime_s, trace.total_energy_j, trace.schedule)


def test_that_events_of_a_solve_are_known_for_every_budget_they_speak_of(
    knowledge: Knowledge,
) -> None:
    assert knowledge.record(PROBLEM, incumbent(paged()), "joint")
    assert knowledge.record(PROBLEM, Bound(0.0, "proof", 15.05), "joint")
    looser, tighter = knowledge.brackets(at(9000)), knowledge.brackets(at(3500))
    assert looser is tighter  # one shelf for all budgets
    assert tighter.bracket(Budgets(3500)).low_j == 15.05
    assert tighter.bracket(Budgets(9000)).high_j == pytest.approx(15.080001)


def test_that_what_other_switches_prove_says_nothing_here(knowledge: Knowledge) -> None:
    """remat-only's bound is one of schedules that page nothing: with paging there are others."""
    assert not knowledge.record(PROBLEM, Bound(0.0, "proof", 15.05), "remat-only")
    assert knowledge.brackets(PROBLEM).bounds == ()
    no_paging = replace(PROBLEM, switches=Switches(paging=False))
    assert knowledge.record(no_paging, Bound(0.0, "proof", 15.05), "remat-only")
    assert knowledge.known(PROBLEM, replace(OPTIONS, strategy="remat-only")) == NOTHING_KNOWN


def test_that_every_kind_of_news_counts_for_budgets_that_were_looked_up(
    knowledge: Knowledge,
) -> None:
    """What is known of a budget is kept while the slider asks for it, and no longer."""
    empty = knowledge.bracket(PROBLEM)
    assert (empty.low_j, empty.high_j) == (PROBLEM.costed.baseline_energy_j, None)
    knowledge.record(PROBLEM, Bound(0.0, "proof", 15.02), "joint")
    assert knowledge.bracket(PROBLEM).low_j == 15.02
    knowledge.add_stored(PROBLEM, [StoredBound(Budgets(4000), 15.03)])
    assert knowledge.bracket(PROBLEM).low_j == 15.03
    knowledge.add_schedule(PROBLEM, paged())
    assert knowledge.bracket(PROBLEM).high_j == pytest.approx(15.080001)
    knowledge.add_answer(PROBLEM, finished(paged(), 15.05, StopReason.TIME, RECORD))
    assert knowledge.bracket(PROBLEM).low_j == 15.05
    assert knowledge.best_trace(PROBLEM) is not None


def test_that_a_solve_starts_from_the_best_schedule_and_the_bound(knowledge: Knowledge) -> None:
    trace = paged()
    knowledge.record(PROBLEM, incumbent(trace), "joint")
    known = knowledge.known(at(3500), OPTIONS)
    assert known.schedules == (trace.schedule,)
    assert known.bound_j == 15.01


def test_that_a_stored_optimum_is_an_answer_and_says_where_it_is_from(
    knowledge: Knowledge,
) -> None:
    trace = paged()
    energy_j = trace.total_energy_j
    bound = StoredBound(Budgets(5000), energy_j)
    knowledge.add_stored(PROBLEM, [stored(trace), bound])
    for ram_bytes in (3000, 4000, 5000):  # from the schedule's peak to the bound's budget
        outcome = knowledge.answer(at(ram_bytes), OPTIONS)
        assert isinstance(outcome, Optimal)
        assert outcome.trace.problem.budgets.ram_bytes == ram_bytes
        words = outcome_words(outcome, at(ram_bytes))
        assert words.text == "Optimal (proven), stored"
    assert knowledge.answer(at(5001), OPTIONS) is None


def test_that_a_stored_schedule_within_the_gap_is_an_answer_too(knowledge: Knowledge) -> None:
    """0.08 J of overhead, 0.0004 J of it unproven: half a percent."""
    trace = paged()
    bound = StoredBound(Budgets(5000), trace.total_energy_j - 0.0004)
    knowledge.add_stored(PROBLEM, [stored(trace), bound])
    outcome = knowledge.answer(PROBLEM, OPTIONS)
    assert isinstance(outcome, Feasible)
    assert outcome.stop_reason is StopReason.GAP
    assert outcome_words(outcome, PROBLEM).text == "Within 0.50 % (proven), stored"
    assert knowledge.answer(PROBLEM, replace(OPTIONS, gap=0.004)) is None


def test_that_an_answer_of_this_session_comes_back_as_it_was(knowledge: Knowledge) -> None:
    outcome = finished(paged(), 15.01, StopReason.TIME, RECORD)
    knowledge.add_answer(PROBLEM, outcome)
    assert knowledge.answer(PROBLEM, OPTIONS) is outcome
    assert outcome_words(outcome, PROBLEM).text.startswith("Time limit, best kept")


def test_that_an_answer_grows_with_what_is_found_later(knowledge: Knowledge) -> None:
    knowledge.add_answer(PROBLEM, finished(paged(), 15.01, StopReason.TIME, RECORD))
    knowledge.record(at(6000), Bound(0.0, "proof", 15.06), "joint")
    outcome = knowledge.answer(PROBLEM, OPTIONS)
    assert isinstance(outcome, Feasible)
    assert outcome.bound_j == 15.06


def test_that_solved_budgets_are_told_once_in_order_of_ram(knowledge: Knowledge) -> None:
    knowledge.add_answer(at(5000), finished(paged(at(5000)), 15.01, StopReason.TIME, RECORD))
    knowledge.record(at(4000), Bound(0.0, "proof", 15.02), "joint")
    knowledge.record(at(4000), Bound(0.0, "proof", 15.03), "joint")
    assert [budgets.ram_bytes for budgets in knowledge.solved(PROBLEM)] == [4000, 5000]


def test_that_only_what_was_solved_here_is_kept_for_other_sessions(knowledge: Knowledge) -> None:
    """A bound that came with a file cannot be checked; one that came from the store is there."""
    knowledge.add_answer(PROBLEM, finished(paged(), 15.07, StopReason.TIME, RECORD))
    knowledge.add_stored(PROBLEM, [StoredBound(Budgets(3500), 15.075)])
    shelf = knowledge.shelf(PROBLEM)
    assert shelf not in knowledge.unsaved
    assert len(knowledge.brackets(PROBLEM).bounds) == 2

    end = Finished(0.0, finished(paged(), 15.05, StopReason.TIME, RECORD))
    knowledge.record(PROBLEM, end, "joint")

    assert shelf in knowledge.unsaved
    assert [bound.bound_j for bound in shelf.earned.bounds] == [15.05]
    assert len(shelf.earned.schedules) == 1


def test_that_no_solve_starts_from_the_bound_of_a_file(knowledge: Knowledge) -> None:
    """What a solve starts from it reports as its own, and that is stored."""
    trace = paged()
    knowledge.add_answer(PROBLEM, finished(trace, 15.07, StopReason.TIME, RECORD))
    assert knowledge.brackets(PROBLEM).bound_j(PROBLEM.budgets) == 15.07
    known = knowledge.known(PROBLEM, OPTIONS)
    assert known.schedules == (trace.schedule,)  # it has passed the verifier
    assert known.bound_j == PROBLEM.costed.baseline_energy_j

    knowledge.record(PROBLEM, Bound(0.0, "proof", 15.02), "joint")
    assert knowledge.known(PROBLEM, OPTIONS).bound_j == 15.02
    knowledge.add_stored(PROBLEM, [StoredBound(Budgets(5000), 15.03)])
    assert knowledge.known(PROBLEM, OPTIONS).bound_j == 15.03


def test_that_no_solve_starts_from_a_bound_that_a_schedule_refutes(knowledge: Knowledge) -> None:
    knowledge.add_stored(PROBLEM, [StoredBound(Budgets(5000), 15.09)])
    knowledge.record(PROBLEM, incumbent(paged()), "joint")  # 15.080001 J
    assert knowledge.known(PROBLEM, OPTIONS).bound_j == 15.01


def test_that_of_a_strategy_from_elsewhere_only_the_schedules_are_believed(
    knowledge: Knowledge,
) -> None:
    by_other = replace(RECORD, strategy="mine")
    end = finished(paged(), 15.06, StopReason.TIME, by_other)
    assert knowledge.record(PROBLEM, incumbent(paged()), "mine")
    assert not knowledge.record(PROBLEM, Bound(0.0, "proof", 15.05), "mine")
    assert not knowledge.record(PROBLEM, Finished(0.0, end), "mine")
    knowledge.add_answer(PROBLEM, end)
    shelf = knowledge.shelf(PROBLEM)
    for brackets in (shelf.brackets, shelf.earned):
        assert brackets.bounds == ()
        assert len(brackets.schedules) == 1
    assert knowledge.known(PROBLEM, replace(OPTIONS, strategy="mine")) == NOTHING_KNOWN


def test_that_a_schedule_is_executed_once_for_all_budgets(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    knowledge.record(PROBLEM, incumbent(paged()), "joint")
    first = knowledge.best_trace(PROBLEM)
    assert first is not None
    monkeypatch.delattr("poet_gui.knowledge.simulate")  # from here on it would fail
    second = knowledge.best_trace(at(3500))
    assert second is not None
    assert second.problem.budgets == Budgets(3500)
    assert second.start_s is first.start_s


def test_that_beside_computing_a_schedule_is_executed_for_its_own_budget(
    knowledge: Knowledge,
) -> None:
    """With RAM to spare a transfer may begin earlier: runtime and peak depend on the budget."""
    overlapped = replace(PROBLEM, switches=Switches(io=IoMode.OVERLAPPED))
    knowledge.record(overlapped, incumbent(paged(overlapped)), "joint")
    for ram_bytes in (4000, 50_000):
        problem = replace(overlapped, budgets=Budgets(ram_bytes))
        trace = knowledge.best_trace(problem)
        assert trace is not None
        fresh = simulate(trace.schedule, problem)
        assert trace.runtime_s == fresh.runtime_s
        assert trace.peak_bytes == fresh.peak_bytes <= ram_bytes


def test_that_a_long_session_forgets_what_was_used_longest_ago(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("poet_gui.knowledge._SHELVES", 2)
    others = [problem_of(chain(5, size=size), 4000) for size in (1001, 1002, 1003)]
    knowledge.add_stored(PROBLEM, [StoredBound(Budgets(3500), 15.05)])
    knowledge.record(others[0], Bound(0.0, "proof", 15.05), "joint")  # still to be stored
    for problem in others[1:]:
        knowledge.brackets(problem)
    assert knowledge.brackets(PROBLEM).bounds == ()
    assert len(knowledge.brackets(others[0]).bounds) == 1


def test_that_a_schedule_that_was_executed_before_is_not_executed_again(
    knowledge: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = paged()
    knowledge.record(PROBLEM, incumbent(trace), "joint")
    monkeypatch.setattr("poet_gui.knowledge.simulate", None)
    found = knowledge.best_trace(at(3500))
    assert found is not None
    assert found.start_s is trace.start_s
    assert found.problem.budgets == Budgets(3500)
