"""Claim: shapes and factories are read as people write them, everything else is told."""

import pytest

from solver.errors import UsageError
from solver.torch_request import InputSpec, split_factory


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1x3x32x32", InputSpec((1, 3, 32, 32))),
        ("7", InputSpec((7,))),
        ("2x64:int64", InputSpec((2, 64), "int64")),
        ("2x64<1000", InputSpec((2, 64), "int64", 1000)),
        ("2x64:int32<9", InputSpec((2, 64), "int32", 9)),
        ("2x3:float16", InputSpec((2, 3), "float16")),
    ],
)
def test_that_a_shape_is_read(text: str, expected: InputSpec) -> None:
    assert InputSpec.parse(text) == expected


@pytest.mark.parametrize(
    "text", ["", "1x", "axb", "1,3", "1x3:half", "2<0", "-1x3", "٣", "9" * 5000]
)
def test_that_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        InputSpec.parse(text)


def test_that_a_factory_is_the_last_part() -> None:
    assert split_factory("nets/a.py:make") == ("nets/a.py", "make")
    assert split_factory("C:/nets/a.py:make") == ("C:/nets/a.py", "make")


@pytest.mark.parametrize("text", ["a.py", "a.py:", ":make", "a.py:make()", "a.py:1"])
def test_that_a_factory_without_file_or_name_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"module\.py:factory"):
        split_factory(text)
