"""Claim: rows run in order within the time for all, what is done is kept, a death is one row's."""

import msgspec
import pytest

from solver.bench.records import Document, Request, RowResult
from solver.bench.runner import Plan, run_released, run_rows
from tests.helpers.bench import document, result, row

PLAN = Plan(long_s=60.0, short_s=5.0, repeats=2, total_s=600.0)
ROWS = tuple(row(f"real/net{k}/board/0.7") for k in range(3))


class Asked:
    """Answers with an empty result and moves its clock by `seconds` per row."""

    def __init__(self, seconds: float = 0.0, *, dying: str = "") -> None:
        self.now = 0.0
        self.requests: list[Request] = []
        self._seconds = seconds
        self._dying = dying

    def __call__(self, request: Request) -> bytes:
        self.requests.append(request)
        self.now += self._seconds
        if request.row.name == self._dying:
            return b""
        return msgspec.json.encode(RowResult(name=request.row.name))


def names(found: Document) -> list[str]:
    return [each.name for each in found.rows]


def test_that_every_row_is_asked_once_and_the_document_grows() -> None:
    asked = Asked()
    grown = list(run_rows(ROWS, PLAN, done=document(), ask=asked))
    assert [len(each.rows) for each in grown] == [1, 2, 3]
    assert names(grown[-1]) == [each.name for each in ROWS]
    assert [request.limits_s for request in asked.requests] == [(60.0, 5.0, 5.0)] * 3


def test_that_done_rows_are_not_asked_again_and_keep_their_place() -> None:
    asked = Asked()
    done = document(result(name="real/net1/board/0.7"))
    (*_, last) = run_rows(ROWS, PLAN, done=done, ask=asked)
    assert [request.row.name for request in asked.requests] == [ROWS[0].name, ROWS[2].name]
    assert names(last) == [each.name for each in ROWS]
    assert last.rows[1] == done.rows[0]


def test_that_a_process_that_dies_fails_its_row_alone() -> None:
    (*_, last) = run_rows(ROWS, PLAN, done=document(), ask=Asked(dying=ROWS[1].name))
    assert [each.failed for each in last.rows] == [False, True, False]
    assert last.rows[1].note == "the measuring process died"


@pytest.mark.parametrize(
    ("left_s", "rows_left", "long_s"),
    [
        # A row takes 5 s to start and 5 + 2 x 5 s at least.
        (600.0, 3, 60.0),
        (100.0, 3, 45.0),  # 100 - 3 x 20 = 40 s to spare, on top of 5
        (60.0, 3, 5.0),
        (10.0, 3, 5.0),  # late: every row is still measured
    ],
)
def test_that_long_runs_become_shorter_where_time_runs_short(
    left_s: float, rows_left: int, long_s: float
) -> None:
    assert PLAN.limits_s(left_s, rows_left) == (long_s, 5.0, 5.0)


def test_that_time_that_rows_took_is_missing_later() -> None:
    asked = Asked(seconds=280.0)
    list(run_rows(ROWS, PLAN, done=document(), ask=asked, clock=lambda: asked.now))
    assert [request.limits_s[0] for request in asked.requests] == [60.0, 60.0, 25.0]


def test_that_the_released_formulation_is_asked_with_the_long_limit_alone() -> None:
    asked = Asked()
    (last,) = run_released(ROWS[:1], PLAN, done=document(), ask=asked)
    assert asked.requests == [Request(row=ROWS[0], limits_s=(60.0,), released=True)]
    assert last.released[0].name == ROWS[0].name
    assert list(run_released(ROWS[:1], PLAN, done=last, ask=asked)) == []
