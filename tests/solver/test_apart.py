"""Different sizes in one column never read the same, with no more digits than that takes."""

import pytest

from solver.apart import bytes_apart


@pytest.mark.parametrize(
    ("sizes", "texts"),
    [
        ([512, 720_896], ["512 B", "704 KiB"]),
        # 704 KiB = 720,896 B; 200 B are 0.195 KiB
        ([720_896, 721_096], ["704.0 KiB", "704.2 KiB"]),
        ([720_896, 720_897], ["704.000 KiB", "704.001 KiB"]),
        ([720_896, 720_896], ["704 KiB", "704 KiB"]),
        # 1 MiB = 1,048,576 B: a byte would be the seventh decimal
        ([1_048_576, 1_048_577], ["1,048,576 B", "1,048,577 B"]),
        ([2**30, 2**30 + 2**20], ["1.000 GiB", "1.001 GiB"]),
        ([10**15, 10**15 + 1], ["1,000,000,000,000,000 B", "1,000,000,000,000,001 B"]),
    ],
)
def test_that_sizes_get_as_many_digits_as_tell_them_apart(
    sizes: list[int], texts: list[str]
) -> None:
    shown = bytes_apart(sizes)
    assert [shown[size] for size in sizes] == texts


def test_that_only_those_that_read_the_same_get_more() -> None:
    shown = bytes_apart([262_144, 720_896, 721_096])
    assert shown[262_144] == "256 KiB"
