"""Einstein sums: an equation and the shapes it meets become labelled axes, sizes and costs.

Notation as in ONNX's Einsum and numpy: letters name axes, "..." stands for leading axes that
spread as in arithmetic, and without "->" the answer has every letter that occurs once, in
alphabetical order.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from solver.graph import Shape

_DOTS: Final = "..."

MOST_OPERANDS: Final = 26
"""More are taken for a damaged file; networks use two or three."""


class EquationError(ValueError):
    """An equation that is none, or that does not fit its operands."""


Label = str | int
"""A letter, or the number of an axis under "...", counted from the last one: -1, -2, ..."""

Term = tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Contraction:
    """Operands by their labels, in order; the labels of the answer; the size of each label."""

    terms: tuple[Term, ...]
    output: Term
    sizes: Mapping[Label, int]

    @property
    def shape(self) -> Shape:
        """Shape of the answer."""
        return tuple(self.sizes[label] for label in self.output)

    def count(self) -> tuple[int, int]:
        """Multiply-adds and single operations of one run, the cheapest pair of operands first.

        Two operands are multiplied over all their labels: a multiply-add for each combination
        where something is summed at the same time, else one multiplication. A label is summed as
        soon as no other operand and not the answer has it. A single operand is copied (one per
        element of the answer) or summed (one per element read).
        """
        if len(self.terms) == 1:
            return 0, max(self._size(self.terms[0]), self._size(self.output))
        macs = single = 0
        terms = list(self.terms)
        while len(terms) > 1:
            first, second = self._cheapest(terms)
            both = {*terms[first], *terms[second]}
            del terms[second], terms[first]
            left = both.intersection(self.output).union(*(both & set(term) for term in terms))
            terms.append(tuple(left))
            if len(left) < len(both):
                macs += self._size(both)
            else:
                single += self._size(both)
        # Labels of the answer that no operand has: their values are written several times.
        copies = self._size(self.output) if set(self.output) - set(terms[0]) else 0
        return macs, single + copies

    def _cheapest(self, terms: Sequence[Term]) -> tuple[int, int]:
        """Places of the two operands with the fewest combinations; the first of equal pairs."""
        pairs = combinations(range(len(terms)), 2)
        return min(pairs, key=lambda pair: self._size({*terms[pair[0]], *terms[pair[1]]}))

    def gradient(self, operand: int) -> "Contraction":
        """The contraction of the answer's gradient with the other operands, for one operand."""
        others = self.terms[:operand] + self.terms[operand + 1 :]
        return Contraction((self.output, *others), self.terms[operand], self.sizes)

    def _size(self, labels: Iterable[Label]) -> int:
        return math.prod(self.sizes[label] for label in set(labels))


def parse(equation: str, shapes: Sequence[Shape]) -> Contraction:
    """Read `equation` for operands of these shapes.

    Raises EquationError: no equation, another number of operands or axes, sizes that differ, an
    answer with a letter that no operand has or with one letter twice.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    texts = left.split(",")
    if not 1 <= len(shapes) <= MOST_OPERANDS or len(texts) != len(shapes):
        raise EquationError(f"{equation!r} names {len(texts)} operands, there are {len(shapes)}")
    terms = tuple(_term(text, len(shape)) for text, shape in zip(texts, shapes, strict=True))
    sizes = _sizes(terms, shapes)
    spread = tuple(sorted(label for label in sizes if isinstance(label, int)))
    if arrow:
        output = _labels(right, spread)
    else:
        times = Counter(label for term in terms for label in term if isinstance(label, str))
        output = (*spread, *sorted(label for label, count in times.items() if count == 1))
    if len(set(output)) < len(output) or not set(output) <= set(sizes):
        raise EquationError(f"{right!r} is no answer of {left!r}")
    return Contraction(terms, output, sizes)


def _labels(text: str, spread: Term) -> Term:
    """The labels of one term, "..." replaced by `spread`."""
    before, dots, after = text.partition(_DOTS)
    if not all(letter.isascii() and letter.isalpha() for letter in before + after):
        raise EquationError(f"{text!r} is no list of letters")
    return (*before, *(spread if dots else ()), *after)


def _term(text: str, rank: int) -> Term:
    letters = len(text.replace(_DOTS, "", 1))
    if rank < letters or (_DOTS not in text and rank > letters):
        raise EquationError(f"{text!r} does not name {rank} axes")
    return _labels(text, tuple(range(letters - rank, 0)))


def _sizes(terms: Sequence[Term], shapes: Sequence[Shape]) -> dict[Label, int]:
    """The size of each label; an axis of size 1 is spread."""
    sizes: dict[Label, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        for label, size in zip(term, shape, strict=True):
            known = sizes.get(label, 1)
            if size not in {known, 1} and known != 1:
                raise EquationError(f"axis {label} is both {known} and {size} long")
            sizes[label] = known if size == 1 else size
    return sizes
