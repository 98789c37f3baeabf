"""Claim: runs become actions with early frees, late page-ins and one page-out."""

from solver.lowering import Run, lower
from solver.staged import StagedProblem, stage
from tests.helpers.builders import chain, problem_of

_LETTERS = {"compute": "c", "recompute": "r", "page_out": "o", "page_in": "i", "free": "x"}


def words(staged: StagedProblem, runs: list[Run], paged: int) -> str:
    """The actions as "c:f1 o:f1 x:f1"."""
    graph = staged.problem.costed.graph
    actions = lower(staged, runs, paged).actions
    return " ".join(
        f"{_LETTERS[action.kind.value]}:"
        f"{(graph.ops if action.kind.runs_op else graph.tensors)[action.target].name}"
        for action in actions
    )


def staged_chain() -> StagedProblem:
    """f1 0, f2 1, loss 2, b2 3, b1 4; b2 reads loss and f2, b1 reads b2 and f1."""
    return stage(problem_of(chain(2), 10**6))


F1, F2, LOSS, B2 = 1, 2, 4, 8


def test_that_tensors_are_freed_as_soon_as_no_run_wants_them() -> None:
    runs = [Run(0, 0), Run(1, F1), Run(2, F1 | F2), Run(3, F1 | F2 | LOSS), Run(4, F1 | B2)]

    assert words(staged_chain(), runs, 0) == (
        "c:f1 c:f2 c:loss c:b2 x:f2 x:loss c:b1 x:f1 x:b2 x:b1"
    )


def test_that_what_comes_back_was_paged_out_once_after_it_was_made() -> None:
    # f1 leaves after f2 and is read again by b1
    runs = [Run(0, 0), Run(1, F1), Run(2, F2), Run(3, F2 | LOSS), Run(4, F1 | B2)]

    assert words(staged_chain(), runs, F1) == (
        "c:f1 o:f1 c:f2 x:f1 c:loss c:b2 x:f2 x:loss i:f1 c:b1 x:f1 x:b2 x:b1"
    )


def test_that_an_op_that_ran_before_is_recomputed_and_not_written_again() -> None:
    runs = [Run(0, 0), Run(1, F1), Run(2, F2), Run(3, F2 | LOSS), Run(0, B2), Run(4, F1 | B2)]

    assert words(staged_chain(), runs, F1) == (
        "c:f1 o:f1 c:f2 x:f1 c:loss c:b2 x:f2 x:loss r:f1 c:b1 x:f1 x:b2 x:b1"
    )


def test_that_an_unread_output_is_freed_before_the_next_run() -> None:
    # b2 runs, its gradient is not wanted any more: (an incomplete list of runs is lowered as it is)
    runs = [Run(0, 0), Run(1, F1), Run(2, F2)]

    assert words(staged_chain(), runs, 0) == "c:f1 c:f2 x:f1 c:loss x:f2 x:loss"
