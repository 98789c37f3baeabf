"""Sizes of one column as texts: as few digits as tell different ones apart."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from solver.units import format_bytes, format_bytes_exactly

_MOST_DECIMALS: Final = 4
"""More are harder to read than the bytes themselves."""


def bytes_apart(sizes: Iterable[int]) -> Mapping[int, str]:
    """Each size in bytes as a text; those that would read the same get more digits."""
    alike: defaultdict[str, list[int]] = defaultdict(list)
    for size in sorted(set(sizes)):
        alike[format_bytes(size)].append(size)
    texts: dict[int, str] = {}
    for text, group in alike.items():
        texts |= {group[0]: text} if len(group) == 1 else _with_digits(text, group)
    return texts


def _with_digits(text: str, group: list[int]) -> dict[int, str]:
    """Sizes that are all shown as `text`, in its unit with one decimal more until they differ."""
    number, _, unit = text.partition(" ")
    per_unit = group[0] / float(number)  # near enough to choose the power by
    factor = next((2.0**k for k in (10, 20, 30, 40) if 0.9 < per_unit / 2.0**k < 1.1), None)  # noqa: PLR2004 - rounding to three digits is less
    if factor is not None:
        for decimals in range(len(number.partition(".")[2]) + 1, _MOST_DECIMALS + 1):
            texts = {size: f"{size / factor:.{decimals}f} {unit}" for size in group}
            if len(set(texts.values())) == len(group):
                return texts
    return {size: format_bytes_exactly(size) for size in group}
