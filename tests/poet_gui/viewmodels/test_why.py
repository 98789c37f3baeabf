"""The sentences of the card, worked out by hand on the story of tests.helpers.traces.

Forward ops cost 1 J and 1 s, backward ops 2 J and 2 s, a transfer 10 mJ and 10 ms.
"""

import pytest

from poet_gui.viewmodels.trace_index import Kind, index_trace
from poet_gui.viewmodels.why import Why, explain
from solver.device import IoMode
from solver.problem import Budgets, Problem, Switches
from solver.schedule import Schedule
from solver.simulate import Trace, simulate
from tests.helpers.builders import Line, graph_of, problem_of
from tests.helpers.schedules import random_legal_schedule
from tests.helpers.traces import empty_trace, story, trace_of, words


def why(trace: Trace, name: str, action: int) -> Why:
    return explain(trace, trace.problem.costed.graph.tensor_index[name], action)


def test_that_an_absence_says_over_by_how_much_keeping_would_have_been() -> None:
    # f2 is away from action 5 to action 11; RAM is highest then at b3 (action 7, step 6): 2004 B.
    # With its 1000 B that makes 3004 B of 3000 B.
    told = why(story(ram_bytes=3000), "f2", 7)
    assert told.title == "Why not in RAM: recomputed at step 8 · 5.02 s"
    assert told.sentences == (
        (
            "Kept with all else unchanged, its 1000 B would stand through step 6 · 3.01 s "
            "(1.96 KiB of 2.93 KiB): over by 4 B."
        ),
        "Recomputed by f2, it costs 1.000 J and 1.00 s.",
        "Paged, it would cost 20.00 mJ and 20.0 ms out and in.",
    )


def test_that_keeping_is_said_to_fit_where_it_would() -> None:
    told = why(story(ram_bytes=3004), "f2", 7)  # exactly enough: 2004 + 1000
    assert told.sentences[0].endswith(" (1.96 KiB of 2.93 KiB): it would fit.")


def test_that_a_tensor_just_recomputed_says_why_it_was() -> None:
    told = why(story(ram_bytes=3000), "f2", 11)
    assert told.title == "Why recomputed at step 8 · 5.02 s"
    assert told.sentences == why(story(ram_bytes=3000), "f2", 7).sentences


def test_that_a_paged_tensor_names_both_transfers_and_the_price_of_recomputing() -> None:
    told = why(story(), "f1", 8)
    assert told.title == "Why not in RAM: paged in at step 7 · 5.01 s"
    assert told.sentences[1:] == (
        "Paged, it costs 20.00 mJ and 20.0 ms out and in (written at step 3).",
        "Recomputed by f1, it would cost 1.000 J and 1.00 s.",  # f1 has no inputs: nothing missing
    )


def test_that_the_page_out_itself_says_what_it_is_for() -> None:
    told = why(story(), "f1", 2)
    assert told.title == "Why paged out at step 3 · 2.00 s"
    assert told.sentences[1].startswith("Paged, it costs 20.00 mJ")


def test_that_a_copy_never_read_again_is_called_that() -> None:
    problem = problem_of(graph_of([Line("a", "f", 10, 1.0), Line("b", "f", 1, 1.0, ("a",))]), 100)
    told = why(trace_of(problem, words("c:a o:a c:b x:a")), "a", 1)
    assert told.sentences == ("The copy in storage is not read again in this schedule.",)


def test_that_a_kept_tensor_says_how_long_where_ram_is_highest_and_what_else_would_cost() -> None:
    # f3 is made at step 4 (action 4), read by the loss (step 5) and by b3 (step 6).
    told = why(story(), "f3", 6)
    assert told.title == "Why kept until step 6 · 3.01 s"
    assert told.sentences == (
        (
            "Its 1000 B stay in RAM from step 5 to step 6 for b3; "
            "RAM is highest on the way at step 6 (1.96 KiB of 3.91 KiB)."
        ),
        (
            "Recomputed by f3, it would cost 1.000 J and 1.00 s, and more to bring back "
            "f2 (1000 B), not in RAM at step 6."
        ),
        "Paged, it would cost 20.00 mJ and 20.0 ms out and in.",
        "Keeping it costs no energy and no time.",
    )


def test_that_a_gradient_is_said_to_run_once() -> None:
    told = why(story(), "b3", 10)
    assert told.title == "Why kept until step 9 · 6.02 s"
    assert "It cannot be recomputed: a backward op runs exactly once." in told.sentences


def test_that_a_storage_copy_makes_the_alternative_cost_only_the_way_in() -> None:
    told = why(story(), "f1", 12)  # paged in at 10, read by f2 at 11, kept for b1
    assert told.title == "Why kept until step 10 · 8.02 s"
    assert "Paged, it would cost 10.00 mJ and 10.0 ms in (storage holds a copy)." in told.sentences


def test_that_switches_that_are_off_are_named_instead_of_a_price() -> None:
    told = why(story(paging=False, recompute=False), "f3", 6)
    assert "Paging is switched off." in told.sentences
    assert "Recomputing is switched off." in told.sentences


def test_that_what_may_not_move_or_run_again_is_named() -> None:
    lines = [
        Line("a", "f", 10, 1.0, recomputable=False, pageable=False),
        Line("b", "f", 1, 1.0),
        Line("c", "f", 1, 1.0, ("a", "b")),
    ]
    told = why(trace_of(problem_of(graph_of(lines), 100), words("c:a c:b c:c")), "a", 1)
    assert "It cannot be recomputed: a may not run twice." in told.sentences
    assert "It may not be paged." in told.sentences


def test_that_an_alternative_beyond_the_runtime_limit_says_so() -> None:
    # The schedule lasts 10.020001 s. Recomputing f1 (1 s) instead of paging it in (0.01 s) adds
    # 0.99 s: 11.010001 s, over the limit of 10.5 s by 0.51 s.
    told = why(story(runtime_s=10.5), "f1", 8)
    assert told.sentences[2] == (
        "Recomputed by f1, it would cost 1.000 J and 1.00 s "
        "and overrun the runtime limit by 510 ms."
    )


def test_that_transfers_cost_no_time_where_they_are_ignored() -> None:
    blocking = story()
    problem = Problem(
        blocking.problem.costed, blocking.problem.budgets, Switches(io=IoMode.IGNORED)
    )
    told = why(simulate(blocking.schedule, problem), "f2", 7)
    assert told.sentences[2] == "Paged, it would cost 20.00 mJ and 0 s out and in."


def test_that_before_the_first_run_it_is_said_who_makes_it_and_when() -> None:
    told = why(story(), "f3", 0)
    assert told.title == "Not in RAM yet"
    assert told.sentences == ("It is made by f3 at step 4 for loss at step 5, 3 steps from here.",)


def test_that_after_the_last_reader_it_is_said_who_that_was() -> None:
    told = why(story(), "f3", 12)
    assert told.title == "Not needed any more"
    assert told.sentences == ("Its last reader, b3, ran at step 6; freed after step 6.",)


def test_that_the_last_reading_is_said_while_it_happens() -> None:
    told = why(story(), "f3", 7)
    assert told.title == "In use"
    assert told.sentences == ("It is read by b3 for the last time and freed after step 6.",)


def test_that_an_output_that_nobody_reads_is_called_that() -> None:
    told = why(story(), "b1", 15)
    assert told.sentences == ("It is read by no op and freed after step 10.",)


def test_that_a_tensor_held_to_the_end_is_called_that() -> None:
    problem = problem_of(graph_of([Line("a", "f", 10, 1.0)]), 100)
    told = why(trace_of(problem, words("c:a")), "a", 0)
    assert told.title == "Kept to the end"


def test_that_keeping_is_counted_as_the_changed_schedule_counts_it() -> None:
    """Leave out a free and the recompute that undoes it, run that, and compare the peak between."""
    compared = 0
    for seed in range(30):
        schedule, problem = random_legal_schedule(seed)
        index = index_trace(simulate(schedule, problem))
        spans = index.spans
        for at in range(1, len(spans.tensor)):
            tensor, back = int(spans.tensor[at]), int(spans.first[at])
            freed = int(spans.last[at - 1])
            between = index.kind[freed + 1 : back] != Kind.FREE
            if spans.tensor[at - 1] != tensor or index.kind[back] != Kind.RECOMPUTE:
                continue
            actions = [a for k, a in enumerate(schedule.actions) if k not in {freed, back}]
            kept = simulate(Schedule(tuple(actions)), problem).resident_bytes[freed : back - 1]
            if not between.any():
                assert explain(simulate(schedule, problem), tensor, freed).sentences[0] == (
                    "Nothing runs between its free and its return: kept, it would fit."
                )
                continue
            kept = kept[between]
            tight = Problem(problem.costed, Budgets(int(kept.max()) - 7), problem.switches)
            told = explain(simulate(schedule, tight), tensor, freed)
            assert told.sentences[0].endswith(": over by 7 B.")
            compared += 1
    assert compared > 20


def test_that_every_tensor_at_every_action_has_an_explanation() -> None:
    for seed in range(3):
        trace = simulate(*random_legal_schedule(seed))
        for tensor in range(len(trace.problem.costed.graph.tensors)):
            for action in range(len(trace.start_s)):
                told = explain(trace, tensor, action)
                assert told.title
                assert told.sentences
                assert all(text.endswith(".") for text in told.sentences)


def test_that_an_action_outside_the_schedule_is_refused() -> None:
    with pytest.raises(IndexError):
        explain(empty_trace(), 0, 0)
