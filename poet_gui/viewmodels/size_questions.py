"""What the window asks about sizes that a file leaves open, and with which values it begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from solver.import_report import OpenSize

MOST: Final = 2**31 - 1
"""The largest size that can be typed: what ONNX tools accept for one dimension."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes that a user chose for one file, each above zero; `batch` None where nobody chose."""

    batch: int | None = None
    dims: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Question:
    """One size to choose: `start` is the value to begin with, 0 when there is none to offer."""

    name: str
    title: str
    places: str
    start: int
    is_batch: bool


def questions(
    asked: Sequence[OpenSize], chosen: Sizes, by_name: Mapping[str, int]
) -> tuple[Question, ...]:
    """The questions for `asked`, in order.

    A value to begin with is the size in use, else what was chosen for this file, else what was
    chosen for a size of that name in another file (`by_name`), else 1 for a batch.
    """
    return tuple(_question(size, chosen, by_name) for size in asked)


def _question(size: OpenSize, chosen: Sizes, by_name: Mapping[str, int]) -> Question:
    before = chosen.batch if size.is_batch else chosen.dims.get(size.name)
    start = size.size or before or by_name.get(size.name) or (1 if size.is_batch else 0)
    title = f"batch ({size.name})" if size.is_batch else size.name
    return Question(size.name, title, ", ".join(size.places), min(start, MOST), size.is_batch)


def answers(asked: Sequence[Question], values: Sequence[int]) -> Sizes | None:
    """The sizes chosen, `values` in the order of `asked`; None while one is not above zero."""
    if any(value < 1 for value in values):
        return None
    batch = None
    dims: dict[str, int] = {}
    for question, value in zip(asked, values, strict=True):
        if question.is_batch:
            batch = value
        else:
            dims[question.name] = value
    return Sizes(batch, MappingProxyType(dims))


def sizes_in_use(opened: Sequence[OpenSize]) -> Sizes:
    """The sizes that a model was opened with."""
    batch = next((size.size for size in opened if size.is_batch), None)
    dims = {size.name: size.size for size in opened if not size.is_batch and size.size is not None}
    return Sizes(batch, MappingProxyType(dims))
