"""Claim: sizes that depend on open ones are worked out from sums, products and quotients alone."""

import pytest

from solver.loaders.pt2_sizes import is_known, size_of, symbol_of

SYMBOL = "Symbol('s77', positive=True, integer=True)"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("s77", 6),
        (SYMBOL, 6),
        ("Integer(4)", 4),
        ("Integer(-4)", -4),
        (f"Mul(Integer(64), {SYMBOL})", 384),
        (f"Add(Integer(-1), {SYMBOL}, Integer(10))", 15),
        (f"FloorDiv({SYMBOL}, Integer(4))", 1),
        (f"Mod(Mul(Integer(3), {SYMBOL}), Integer(5))", 3),
    ],
)
def test_that_a_size_is_worked_out(text: str, value: int) -> None:
    assert is_known(text)
    assert size_of(text, {"s77": 6}) == value


def test_that_one_open_size_alone_is_told_from_others() -> None:
    assert symbol_of(SYMBOL) == "s77"
    assert symbol_of(f"Mul(Integer(2), {SYMBOL})") is None
    assert symbol_of("Symbol('a b')") is None


@pytest.mark.parametrize(
    "text", ["", "1 +", "True", "Integer('1')", "eval('1')", "s77.real", "FloorDiv(s77)", "x" * 500]
)
def test_that_anything_else_has_no_value(text: str) -> None:
    assert not is_known(text)
    with pytest.raises(ValueError, match=r".*"):
        size_of(text, {"s77": 6})
