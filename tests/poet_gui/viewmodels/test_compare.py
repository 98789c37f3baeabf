"""Comparing two schedules: differences of every figure, changed tensors, both memory curves.

The story (tests/helpers/traces.py) pages f1 and recomputes f2; the plain schedule does neither.
"""

import numpy as np
import pytest

from poet_gui.compared import Pair, Side
from poet_gui.solving.prepare import plain_trace
from poet_gui.viewmodels.compare import changes, deltas, overlay, refusal, strip
from poet_gui.viewmodels.solve_words import Tone
from poet_gui.viewmodels.trace_index import Axis
from solver.problem import Budgets
from tests.helpers.builders import chain, problem_of
from tests.helpers.traces import story

STORY = story()
PLAIN = plain_trace(STORY.problem.costed)


def pair() -> Pair:
    """A plain at 4004 B, B the story at 4000 B with a bound of 10 J."""
    return Pair(Side(PLAIN, Budgets(4004)), Side(STORY, Budgets(4000), 10.0))


def test_that_differences_have_a_sign_and_a_percentage() -> None:
    by_name = {delta.name.strip(): delta for delta in deltas(pair())}
    # 3 + 6 J of computing in both; one op more (1 J), one transfer each way (10 mJ).
    assert by_name["energy"].cells == ("energy", "9.000 J", "10.02 J", "+1.020 J", "+11.3 %")
    assert by_name["compute"].cells[3:] == ("0 J", "0 %")
    assert by_name["recompute"].cells[1:] == ("0 J", "1.000 J", "+1.000 J", "–")
    assert by_name["page in"].difference == "+10.00 mJ"
    assert by_name["page out"].difference == "+10.00 mJ"
    assert by_name["peak"].cells[1:] == ("3.91 KiB", "3.91 KiB", "-4 B", "-0.1 %")
    assert by_name["RAM budget"].difference == "-4 B"
    assert by_name["proven bound"].cells[1:] == ("–", "10.00 J", "–", "–")


def test_that_the_kinds_add_up_to_the_energy() -> None:
    values = {delta.name.strip(): delta.value for delta in deltas(pair())}
    kinds = [values[name] for name in ("compute", "recompute", "page in", "page out")]
    assert sum(kind for kind in kinds if kind is not None) == pytest.approx(values["energy"])


def test_that_a_minus_a_is_zero() -> None:
    side = Side(STORY, Budgets(4000), 10.0)
    same = Pair(side, side)
    assert [delta.value for delta in deltas(same)] == [0] * 9
    assert {delta.percent for delta in deltas(same)} == {"0 %"}
    assert changes(same).table.rows == 0
    assert strip(same).difference == "(the same energy)"


def test_that_swapping_mirrors_every_sign() -> None:
    there, back = deltas(pair()), deltas(Pair(pair().b, pair().a))
    for one, other in zip(there, back, strict=True):
        assert (one.a, one.b) == (other.b, other.a)
        if one.value is not None and other.value is not None:
            assert one.value == -other.value


def test_that_less_energy_is_good_news_and_more_budget_is_none() -> None:
    lines = {delta.name: delta for delta in deltas(pair())}
    assert lines["energy"].tone is Tone.WARNING
    assert lines["peak"].tone is Tone.GOOD
    assert lines["RAM budget"].tone is Tone.MUTED


def test_that_changed_tensors_are_listed_with_both_treatments() -> None:
    found = changes(pair())
    rows = [[c.text(row) for c in found.table.columns] for row in range(found.table.rows)]
    assert rows == [["f1", "1000 B", "held", "paged"], ["f2", "1000 B", "held", "recomputed"]]
    assert found.summary == "2 of 7 tensors (1.95 KiB) are treated differently:"


def test_that_the_strip_names_both_budgets_and_the_difference() -> None:
    line = strip(pair())
    assert (line.a, line.b) == ("3.91 KiB  9.000 J", "3.91 KiB  10.02 J")
    assert line.difference == "(+11.3 %)"
    assert line.refusal == ""


def test_that_the_strip_names_limit_and_strategy() -> None:
    limited = Side(STORY, Budgets(4000, 12.0), 10.0, "paging only")
    assert strip(Pair(limited, limited)).a == "paging only  3.91 KiB  ≤ 12.0 s  10.02 J"


def test_that_different_models_are_refused_with_a_sentence() -> None:
    other = plain_trace(problem_of(chain(4), 9999).costed)
    sides = Pair(Side(other, Budgets(9999)), Side(STORY, Budgets(4000)))
    assert refusal(sides) == (
        "A is test (9 ops), B is test (7 ops): schedules of different models cannot be compared."
    )
    assert strip(sides).refusal == refusal(sides)
    assert strip(sides).difference == ""


def test_that_another_batch_of_a_model_is_refused_too() -> None:
    other = plain_trace(problem_of(chain(3, size=2000), 9999).costed)
    words = refusal(Pair(Side(other, Budgets(9999)), Side(STORY, Budgets(4000))))
    assert "another batch or other settings" in words


def test_that_the_same_model_read_twice_is_compared() -> None:
    again = plain_trace(problem_of(chain(3), 4004).costed)
    assert refusal(Pair(Side(again, Budgets(4004)), Side(STORY, Budgets(4000)))) == ""


def test_that_curves_meet_where_both_run_the_same_op() -> None:
    both = overlay(pair())
    assert both.extent[Axis.STEP] == 8  # 7 ops, and the frees after the last
    for curve in (both.a, both.b):
        begin = curve.begin[Axis.STEP]
        assert (np.diff(begin) >= 0).all()
        # b2 is the sixth op in both: its stage begins at 5 and holds what prepares it.
        assert 5.0 in begin.tolist()
    assert both.extent[Axis.TIME] == pytest.approx(STORY.runtime_s)
    assert both.top > 4004
    assert both.ends == {Axis.STEP: ("op 1", "op 7"), Axis.TIME: ("0 s", "10.0 s")}
