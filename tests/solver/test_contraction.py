"""Einstein sums: shapes as numpy answers them, and costs counted by hand."""

import numpy as np
import pytest

from solver.contraction import EquationError, parse


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
        ("bhqd,bhkd->bhqk", [(1, 2, 3, 4), (1, 2, 5, 4)]),
        ("ij,jk", [(3, 4), (4, 5)]),
        ("ba,cb", [(3, 4), (5, 3)]),  # the answer is alphabetical: ac
        ("ii->i", [(3, 3)]),
        ("ii", [(3, 3)]),
        ("ij -> ji", [(3, 4)]),
        ("...ij,...jk", [(2, 3, 4), (2, 4, 5)]),
        ("...ij,jk->...ik", [(2, 6, 3, 4), (4, 5)]),
        ("i...,i...->...", [(3, 2, 4), (3, 4)]),
        ("i,j,k->kji", [(3,), (4,), (5,)]),
        (",->", [(), ()]),
    ],
)
def test_that_an_equation_has_numpys_shape(equation: str, shapes: list[tuple[int, ...]]) -> None:
    operands = [np.zeros(shape) for shape in shapes]
    assert parse(equation, shapes).shape == np.einsum(equation, *operands).shape


@pytest.mark.parametrize(
    ("equation", "shapes", "cost"),
    [
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)], (120, 0)),  # 2 x 3 x 4 x 5 multiply-adds
        ("i,j->ij", [(3,), (4,)], (0, 12)),  # nothing is summed: products
        ("ij->ji", [(3, 4)], (0, 12)),  # a copy
        ("ij->i", [(3, 4)], (0, 12)),  # a sum over all that is read
        ("ii->i", [(3, 3)], (0, 3)),  # a diagonal
        # ij,jk: 2 x 3 x 4 = 24, the cheapest pair; then ik,kl: 2 x 4 x 5 = 40
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)], (64, 0)),
        # The other way round: 4 x 3 x 2 = 24 for the last two, then 5 x 4 x 2 = 40
        ("ij,jk,kl->il", [(5, 4), (4, 3), (3, 2)], (64, 0)),
    ],
)
def test_that_an_equation_costs_its_combinations(
    equation: str, shapes: list[tuple[int, ...]], cost: tuple[int, int]
) -> None:
    assert parse(equation, shapes).count() == cost


def test_that_the_gradient_of_an_operand_is_a_contraction_of_the_others() -> None:
    found = parse("ij,jk,kl->il", [(2, 3), (3, 4), (4, 5)])
    first = found.gradient(0)
    assert first.terms == (("i", "l"), ("j", "k"), ("k", "l"))
    assert (first.output, first.shape) == (("i", "j"), (2, 3))
    # il,kl -> ik: 2 x 5 x 4 = 40; then ik,jk -> ij: 24
    assert first.count() == (64, 0)


def test_that_the_gradient_of_a_sum_is_spread() -> None:
    assert parse("ij->i", [(3, 4)]).gradient(0).count() == (0, 12)
    # dy_i times y_i for each i is 3 products, written along the 4 of j: 12 copies
    assert parse("ij,i->i", [(3, 4), (3,)]).gradient(0).count() == (0, 3 + 12)


@pytest.mark.parametrize(
    ("equation", "shapes", "words"),
    [
        ("ij,jk->ik", [(2, 3)], "names 2 operands, there are 1"),
        ("ij->i", [(2, 3, 4)], "does not name 3 axes"),
        ("ijk->i", [(2, 3)], "does not name 2 axes"),
        ("ij,jk->ik", [(2, 3), (4, 5)], "axis j is both 3 and 4 long"),
        ("ij->k", [(2, 3)], "is no answer"),
        ("ij->ii", [(2, 3)], "is no answer"),
        ("i1->i", [(2, 3)], "is no list of letters"),
        ("...i...->i", [(2, 3, 4, 5, 6)], "no list of letters"),
        ("i->i->i", [(2,)], "no list of letters"),
    ],
)
def test_that_a_wrong_equation_is_refused(
    equation: str, shapes: list[tuple[int, ...]], words: str
) -> None:
    with pytest.raises(EquationError, match=words):
        parse(equation, shapes)


def test_that_a_thousand_operands_are_refused_at_once() -> None:
    with pytest.raises(EquationError, match="1000 operands"):
        parse(",".join("i" * 1000) + "->i", [(2,)] * 1000)
