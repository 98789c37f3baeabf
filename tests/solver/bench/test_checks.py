"""Claim: a benchmark that holds what must never be says so, each fault by its row."""

import pytest

from solver.bench.checks import faults
from solver.bench.records import RowResult
from tests.helpers.bench import document, result, row, run

NAME = "real/net/board/0.7"


def found(
    measured: RowResult,
    best_j: float = 105.0,
    *,
    tolerance: float | None = None,
    rounding_j: float = 0.0,
) -> tuple[str, ...]:
    return faults(
        [row(rounding_j=rounding_j)], document(measured), {NAME: best_j}, tolerance=tolerance
    )


def test_that_sound_figures_have_no_fault() -> None:
    assert found(result(run((1.0, 105.0, 105.0))), tolerance=0.1) == ()
    assert found(result(note="below the floor")) == ()


@pytest.mark.parametrize(
    ("measured", "words"),
    [
        (result(failed=True, note="died"), "died"),
        (result(run(status="failed")), "the solve failed"),
        (result(run((1.0, 105.0, 104.0), verified=False)), "does not stand up to the verifier"),
        (result(run((1.0, 105.0, 105.1))), "lies above the energy of 105.0 J"),
        # of another run: each is held against its own schedules, and all against the best known
        (result(run((1.0, 109.0, 105.1)), run((1.0, 109.0, 104.0))), "above the best known 105.0"),
    ],
    ids=str,
)
def test_that_a_fault_is_told_with_its_row(measured: RowResult, words: str) -> None:
    (sentence,) = found(measured)
    assert sentence.startswith(f"{NAME}: ")
    assert words in sentence


def test_that_a_bound_may_exceed_a_figure_of_few_digits_by_its_rounding() -> None:
    measured = result(run((1.0, 109.0, 105.04)))
    assert found(measured, rounding_j=0.05) == ()
    assert found(measured, rounding_j=0.01)


def test_that_schedules_far_above_the_best_known_are_faults_where_a_tolerance_is_set() -> None:
    measured = result(run((1.0, 105.6, 100.0)))  # 12 % above an overhead of 5
    assert found(measured) == ()
    assert found(measured, tolerance=0.15) == ()
    assert found(measured, tolerance=0.10) == (
        f"{NAME}: 12.0 % above the best known, more than 10 % of its overhead",
    )
    assert "no schedule" in found(result(run()), tolerance=0.10)[0]
