"""Claim: memory rows cut off fractions, never a choice of whole tensors that fits."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.milp.rows import Held, RowFamily, add_fit, least_sum_reaching

SIZES = st.lists(st.integers(0, 60), max_size=8)


def subset_sums(sizes: list[int]) -> list[int]:
    """Sums of all subsets, by trying each."""
    return [
        sum(s for s, chosen in zip(sizes, choice, strict=True) if chosen)
        for choice in product([False, True], repeat=len(sizes))
    ]


@settings(deadline=None, derandomize=True)
@given(SIZES, st.integers(-5, 500), st.sampled_from([1, 4, 1024]))
def test_that_the_least_sum_is_that_of_some_subset(
    sizes: list[int], needed: int, unit: int
) -> None:
    sizes = [unit * size for size in sizes]
    reaching = [total for total in subset_sums(sizes) if total >= needed]

    found = least_sum_reaching(sizes, needed)

    if needed <= 0 or not reaching:
        assert found == needed
    else:
        assert found == min(reaching)


def test_that_what_is_too_dear_to_count_is_left_as_it_is() -> None:
    # sums of up to 1000 units of 1 B in 100 bits: given up, and 7 is no sum of 500s but valid
    assert least_sum_reaching([500, 501], 7, limit_bits=100) == 7
    assert least_sum_reaching([500, 501], 7) == 500


@settings(deadline=None, derandomize=True, max_examples=40)
@given(SIZES, st.integers(0, 200), st.data())
def test_that_every_choice_that_fits_satisfies_every_row(
    sizes: list[int], free: int, data: st.DataObject
) -> None:
    # Each quantity is one column, 1 - column, or always there.
    forms = [data.draw(st.sampled_from(["is", "is not", "always"])) for _ in sizes]
    held = [held_as(forms[k], sizes[k], k) for k in range(len(sizes))]
    rows = RowFamily()

    possible = add_fit(rows, held, free)

    fits_somewhere = False
    for x in product([0, 1], repeat=len(sizes)):
        present = {"is": x, "is not": [1 - value for value in x], "always": [1] * len(x)}
        mass = sum(present[form][k] * sizes[k] for k, form in enumerate(forms))
        if mass <= free:
            fits_somewhere = True
            slack = rows.matrix(max(1, len(sizes))) @ np.array(x or [0]) - rows.lower_bounds()
            assert slack.min(initial=0.0) >= -1e-9
        elif possible and len(rows):
            slack = rows.matrix(len(sizes)) @ np.array(x) - rows.lower_bounds()
            assert slack.min() < -1e-9  # and what does not fit breaks one
    assert fits_somewhere == possible


def held_as(form: str, size: int, column: int) -> Held:
    """A quantity as a column, as one minus a column, or as a constant."""
    terms: tuple[tuple[int, float], ...] = ()
    if form != "always":
        terms = ((column, 1.0 if form == "is" else -1.0),)
    return Held(size, terms, constant=0 if form == "is" else 1)


def test_that_rows_are_sharpened_to_whole_tensors() -> None:
    # 3 x 4 B into 11 B: two fit, not 2.75. The sum is <= 8 / 4 = 2 of them.
    rows = RowFamily()

    assert add_fit(rows, [Held(4, ((k, 1.0),)) for k in range(3)], 11)

    matrix, lower = rows.matrix(3), rows.lower_bounds()
    two_thirds = matrix @ np.full(3, 2 / 3) - lower
    assert two_thirds.min() == pytest.approx(0.0, abs=1e-12)
    assert (matrix @ np.full(3, 0.9) - lower).min() < 0


def test_that_a_row_that_cannot_bind_is_not_written() -> None:
    rows = RowFamily()

    assert add_fit(rows, [Held(4, ((0, 1.0),))], 4)

    assert len(rows) == 0


def test_that_equal_positions_are_added_up() -> None:
    rows = RowFamily()
    rows.add([(1, 1.0), (1, 2.0), (0, -1.0)], 0.5)

    assert rows.matrix(3).toarray().tolist() == [[-1.0, 3.0, 0.0]]
    assert rows.lower_bounds().tolist() == [0.5]
