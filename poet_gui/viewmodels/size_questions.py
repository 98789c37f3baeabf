"""What the window asks about sizes that a file leaves open, and with which values it begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from solver.import_report import OpenSize

MOST: Final = 2**31 - 1
"""The largest size that can be typed: what ONNX tools accept for one dimension."""


UNANSWERED: Final = -1
"""In the place of a size that nobody has chosen yet."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes that a user chose for one file; `batch`, above zero, None where nobody chose."""

    batch: int | None = None
    dims: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Question:
    """One size to choose: `start` is the value to begin with, UNANSWERED when none is offered.

    A batch is 1 or more; other sizes may be 0, such as the words that are carried over.
    """

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
    offers = (size.size, before, by_name.get(size.name), 1 if size.is_batch else UNANSWERED)
    start = next(offer for offer in offers if offer is not None)
    title = f"batch ({size.name})" if size.is_batch else size.name
    return Question(size.name, title, ", ".join(size.places), min(start, MOST), size.is_batch)


def least(question: Question) -> int:
    """The smallest size that answers it."""
    return 1 if question.is_batch else 0


def answers(asked: Sequence[Question], values: Sequence[int]) -> Sizes | None:
    """The sizes chosen, `values` in the order of `asked`; None while one is missing."""
    if any(value < least(question) for question, value in zip(asked, values, strict=True)):
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
