"""A schedule is first looked at where RAM is highest, at the tensor that says most there."""

from poet_gui.viewmodels.first_look import Look, first_look
from tests.helpers.builders import Line, graph_of, problem_of
from tests.helpers.traces import empty_trace, many_outputs_trace, one_action_trace, story, trace_of
from tests.helpers.traces import words as script_of

# story(): RAM is highest, 4000 B, at action 12 (b2); f1, f2, b3 and b2 are in RAM, 1000 B each.
PEAK, F1, F2, B3 = 12, 0, 1, 4


def test_that_it_starts_at_the_peak_with_a_tensor_that_is_paged_or_recomputed() -> None:
    # f1 is paged, f2 recomputed, b3 neither; f2 is read now, f1 by b1 three actions later.
    assert first_look(story()) == Look(PEAK, F1)


def test_that_size_counts_before_everything_else() -> None:
    # Peak at join, 410 B: left (300 B), right (100 B), sum (10 B).
    look = first_look(many_outputs_trace())
    assert (look.action, look.tensor) == (1, 0)


def test_that_a_tensor_that_is_there_stays_selected() -> None:
    assert first_look(story(), F2) == Look(PEAK, F2)
    assert first_look(story(), B3) == Look(PEAK, B3)


def test_that_a_tensor_that_is_not_in_ram_there_is_let_go() -> None:
    f3 = 2  # freed at action 9
    assert first_look(story(), f3) == Look(PEAK, F1)


def test_that_of_tensors_kept_throughout_the_one_waiting_longest_is_chosen() -> None:
    lines = [
        Line("a", "f", 100, 1.0),
        Line("b", "f", 100, 1.0, ("a",)),
        Line("c", "f", 100, 1.0, ("b",)),
        Line("d", "f", 1, 1.0, ("b", "c")),
        Line("e", "f", 1, 1.0, ("a", "d")),
    ]
    script = script_of("c:a c:b c:c c:d x:b x:c c:e")
    trace = trace_of(problem_of(graph_of(lines), 400), script)
    # The peak is d, 301 B: b and c are read now, a waits for e, three actions later.
    assert first_look(trace) == Look(3, 0)


def test_that_schedules_without_tensors_or_actions_have_no_selection() -> None:
    assert first_look(empty_trace()) == Look(0, None)
    assert first_look(one_action_trace()) == Look(0, 0)
