"""The state of a solve in words: how sure it is, rounded so that nothing unproven is claimed."""

from dataclasses import replace

import pytest

from poet_gui.solving.deliveries import ProcessEnded
from poet_gui.solving.status import Phase, Point, SolveStatus
from poet_gui.viewmodels.solve_words import Tone, death_words, outcome_words, remedy, status_words
from solver.outcome import (
    Failed,
    Feasible,
    Infeasible,
    Limit,
    NoAnswer,
    Optimal,
    Outcome,
    Reason,
    SolverRecord,
    StopReason,
)
from solver.problem import Problem
from solver.simulate import Trace, simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, problem_of

RECORD = SolverRecord("joint", "none", "", 0.0)


@pytest.fixture
def problem() -> Problem:
    return problem_of(chain(5), 4000)


@pytest.fixture
def trace(problem: Problem) -> Trace:
    return simulate(page_all(stage(problem)), problem)


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (0.004, "Within 0.40 % (proven)"),
        (0.00405, "Within 0.41 % (proven)"),  # rounded up: 0.40 % is not proven
        (0.0178, "Within 1.8 % (proven)"),
        (0.0171, "Within 1.8 % (proven)"),
        (0.339, "Within 33.9 % (proven)"),
        (0.00021, "Within 0.021 % (proven)"),
    ],
)
def test_that_a_gap_is_rounded_up(problem: Problem, trace: Trace, gap: float, text: str) -> None:
    overhead_j = trace.total_energy_j - problem.costed.baseline_energy_j
    bound_j = trace.total_energy_j - gap * overhead_j
    outcome = Feasible(trace, bound_j, StopReason.GAP, "", RECORD)
    assert outcome_words(outcome, problem).text == text


@pytest.mark.parametrize(
    ("stop", "text", "tone"),
    [
        (StopReason.TIME, "Time limit, best kept, within 100.0 % (proven)", Tone.WARNING),
        (StopReason.WORK, "Work limit, best kept, within 100.0 % (proven)", Tone.WARNING),
        (StopReason.CANCELLED, "Stopped, best kept, within 100.0 % (proven)", Tone.WARNING),
    ],
)
def test_that_a_stop_is_named(
    problem: Problem, trace: Trace, stop: StopReason, text: str, tone: Tone
) -> None:
    outcome = Feasible(trace, problem.costed.baseline_energy_j, stop, "", RECORD)
    words = outcome_words(outcome, problem)
    assert (words.text, words.tone) == (text, tone)


def test_that_the_other_ends_have_their_words(problem: Problem, trace: Trace) -> None:
    reason = Reason(Limit.RAM, 0, (), 5000, 1000, exact=True)
    cases: list[tuple[Outcome, str]] = [
        (Optimal(trace, trace.total_energy_j, "", RECORD), "Optimal (proven)"),
        (Infeasible(reason, "", RECORD), "Impossible: too little memory"),
        (
            Infeasible(replace(reason, limit=Limit.RUNTIME), "", RECORD),
            "Impossible: too little runtime",
        ),
        (NoAnswer(StopReason.TIME, "", RECORD), "Time limit, no schedule found yet"),
        (NoAnswer(StopReason.CANCELLED, "", RECORD), "Stopped, no schedule found yet"),
        (Failed("", RECORD), "Failed"),
    ]
    assert [outcome_words(outcome, problem).text for outcome, _ in cases] == [
        text for _, text in cases
    ]


def test_that_a_rule_of_thumb_that_found_none_is_not_called_a_proof() -> None:
    rule = replace(RECORD, strategy="sqrt-n")
    reason = Reason(Limit.RAM, None, (), 5000, 1000, exact=True)
    words = outcome_words(Infeasible(reason, "", rule), problem_of(chain(5), 4000))
    assert words.text == "sqrt-n found no schedule: too little memory for it"
    assert words.tone is Tone.WARNING
    # Below the floor (b2 with b3, f2 and its output: 3000 B) it is one, whoever says so.
    below = outcome_words(Infeasible(reason, "", rule), problem_of(chain(5), 2999))
    assert (below.text, below.tone) == ("Impossible: too little memory", Tone.DANGER)


def test_that_every_phase_has_words(problem: Problem) -> None:
    texts = [status_words(SolveStatus(phase), problem).text for phase in Phase]
    assert texts == [
        "Ready", "Queued", "Building", "Solving, no schedule yet", "Improving", "Stopping", "Ready",
    ]  # fmt: skip
    assert status_words(SolveStatus(), None).text == "Open a model to begin"


def test_that_an_improving_solve_states_its_gap(problem: Problem) -> None:
    baseline_j = problem.costed.baseline_energy_j
    status = SolveStatus(
        Phase.IMPROVING,
        incumbents=(Point(0.1, baseline_j + 1.0),),
        bounds=(Point(0.0, baseline_j), Point(0.2, baseline_j + 0.9)),
    )
    # (1.0 - 0.9) of an overhead of 1.0 J
    assert status_words(status, problem).text == "Improving, gap 10.0 %"


def test_that_only_an_exact_need_becomes_a_button() -> None:
    reason = Reason(Limit.RAM, 0, (), 5000, 1000, exact=True)
    button = remedy(Infeasible(reason, "", RECORD))
    assert button is not None
    assert button.text == "Raise memory to 5,000 B"
    assert button.ram_bytes == 5000
    assert remedy(Infeasible(replace(reason, exact=False), "", RECORD)) is None
    assert remedy(None) is None


def test_that_the_end_of_a_process_is_told_with_what_is_done_about_it() -> None:
    killed = ProcessEnded(-9, wanted=False, details="")
    sentence, how = death_words(killed, was_reading=True, restarted=True)
    assert sentence.endswith("while it read the file and was restarted; your schedule is kept.")
    assert how == "It ended with signal 9."
    broken = ProcessEnded(1, wanted=False, details="Traceback")
    sentence, how = death_words(broken, was_reading=False, restarted=False)
    assert sentence.endswith("several times and is not started again before the next solve.")
    assert how == "It ended with code 1.\nTraceback"
