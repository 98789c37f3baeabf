"""Claim: each goal counts the rows that it is for, and a miss says by what and on which side."""

from typing import Any

from solver.bench.goals import Verdict, verdicts
from solver.bench.records import Row, RowResult
from tests.helpers.bench import document, result, row, run

FIRST = "first schedule in 0.1 s"
REAL = "real, 0.7 and 0.5"
HARD = "real, 0.35"
VALUE = "reference: within 1 %"
MEMORY = "memory"
DENSE = "onnx:light_densenet121"


def verdict(goal: str, measured: RowResult, best_j: float = 105.0, **of_row: Any) -> Verdict:
    rows: list[Row] = [row(measured.name, **{"model": "unet", **of_row})]
    found = verdicts(rows, document(measured), {measured.name: best_j})
    return next((each for each in found if each.goal.startswith(goal)), Verdict(goal, (), ()))


def test_that_the_first_answer_may_take_longer_on_larger_graphs() -> None:
    at = run((0.2, 105.0, 105.0))
    assert verdict(FIRST, result(at, ops=200)).missed == ("real/net/board/0.7 (0.20 s, time)",)
    assert verdict(FIRST, result(at, ops=201)).reached == ("real/net/board/0.7",)
    late = run((0.7, 105.0, 105.0))
    assert verdict(FIRST, result(late, ops=600)).missed
    assert verdict(FIRST, result(late, ops=601)).reached


def test_that_a_binding_runtime_limit_gives_a_first_answer_three_times_as_long() -> None:
    name = "limited/net/board/1.1"
    assert verdict(FIRST, result(run((0.29, 105.0, 105.0)), name=name)).reached
    assert verdict(FIRST, result(run((0.31, 105.0, 105.0)), name=name)).missed


def test_that_no_answer_misses_a_goal() -> None:
    assert verdict(FIRST, result(run())).missed == ("real/net/board/0.7 (none, time)",)


def test_that_a_gap_at_its_time_counts_and_the_side_is_named() -> None:
    slow = run((1.0, 110.0, 100.0), (11.0, 110.0, 109.9))
    assert verdict(REAL, result(slow), 110.0).missed == (
        "real/net/board/0.7 (100.00 %, closed later)",
    )
    open_ = run((1.0, 110.0, 105.0))
    assert verdict(REAL, result(open_), 110.0).missed == ("real/net/board/0.7 (50.00 %, bound)",)
    assert verdict(REAL, result(open_), 105.0).missed == ("real/net/board/0.7 (50.00 %, schedule)",)
    assert verdict(REAL, result(run((9.0, 110.0, 109.9))), 110.0).reached


def test_that_shares_and_networks_have_goals_of_their_own() -> None:
    dense = "real/densenet121/board/0.7"
    near = run((1.0, 100.5, 100.45))  # 10 % of the overhead, 0.05 % of the total
    assert verdict("DenseNet-121, 0.7", result(near, name=dense), model=DENSE).reached
    assert verdict(REAL, result(near, name=dense), model=DENSE) == Verdict(REAL, (), ())
    assert verdict(HARD, result(near), share=0.35).missed  # 10 % of the overhead
    assert verdict(REAL, result(near), share=0.35) == Verdict(REAL, (), ())


def test_that_the_encoder_has_two_seconds() -> None:
    late = run((1.0, 110.0, 100.0), (3.0, 110.0, 109.9))
    assert verdict("encoder", result(late), model="bert_128").missed
    assert verdict(REAL, result(late), model="bert_128") == Verdict(REAL, (), ())


def test_that_values_are_set_against_the_best_known() -> None:
    name = "reference/net/board/7"
    value = run((0.5, 105.04, 100.0))
    assert verdict(VALUE, result(value, name=name), 105.0).reached  # 0.8 % above
    assert verdict(VALUE, result(value, name=name), 104.9).missed == (
        "reference/net/board/7 (2.86 %, schedule)",
    )


def test_that_a_goal_at_a_time_leaves_out_rows_that_were_not_measured_so_long() -> None:
    short = run((1.0, 110.0, 105.0), limit_s=5.0)
    assert verdict(HARD, result(short), share=0.35) == Verdict(HARD, (), ())


def test_that_memory_is_compared_in_decimal_gigabytes() -> None:
    one = run((1.0, 105.0, 105.0))
    assert verdict(MEMORY, result(one, memory_bytes=1_499_999_999)).reached
    assert verdict(MEMORY, result(one, memory_bytes=1_600_000_000)).missed == (
        "real/net/board/0.7 (1.60 GB, size)",
    )
