"""Where the labels of a picture stand: near what they name, inside its frame, never on another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

_GAP: Final = 2.0
"""Pixels that stay free between two labels."""
_RANK: Final = 0.5
"""Of a label's height: a later wish must be so much nearer to be taken."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels, y downward."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height

    def meets(self, other: "Box", gap: float = 0.0) -> bool:
        """Whether less than `gap` pixels lie between the two; touching edges do not meet."""
        return (
            self.left < other.right + gap
            and other.left < self.right + gap
            and self.top < other.bottom + gap
            and other.top < self.bottom + gap
        )

    def holds(self, other: "Box") -> bool:
        """Whether the other lies inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


@dataclass(frozen=True, slots=True)
class Label:
    """A text's size in pixels, and where its upper left corner would best stand, best first.

    sideways : what a pixel to the side costs beside one up or down; little for the label of a line
    across the picture, which is as true anywhere along it.
    """

    width: float
    height: float
    wishes: tuple[tuple[float, float], ...]
    sideways: float = 1.0

    def cost(self, left: float, top: float) -> float:
        """How far a corner is from the wishes, in pixels up or down."""
        return min(
            rank * _RANK * self.height + self.sideways * abs(left - x) + abs(top - y)
            for rank, (x, y) in enumerate(self.wishes)
        )


def place_labels(labels: Sequence[Label], frame: Box) -> list[Box | None]:
    """Give each label, the most important first, the free place nearest to its wishes.

    A label for which the ones before it leave no room in the frame gets none. The nearest free
    place is found exactly: it has each coordinate at a wish, at the frame, or at a label that
    stands already, because anywhere else it could be moved towards a wish.
    """
    placed: list[Box | None] = []
    taken: list[Box] = []
    for label in labels:
        box = _place(label, frame, taken)
        placed.append(box)
        if box is not None:
            taken.append(box)
    return placed


def in_a_row(
    wanted: Sequence[tuple[float, float]], *, room: tuple[float, float], gap: float
) -> list[float]:
    """Left edges of texts (wanted left edge, width) in a row, in their order and `gap` apart.

    What would meet the next text, or leave the room, gives way; where not all have room, the last
    ones are left out.
    """
    count = len(wanted)
    while count and sum(w for _, w in wanted[:count]) + (count - 1) * gap > room[1] - room[0]:
        count -= 1
    lefts = [left for left, _ in wanted[:count]]
    limit = room[1]
    for k in reversed(range(count)):
        lefts[k] = min(lefts[k], limit - wanted[k][1])
        limit = lefts[k] - gap
    start = room[0]
    for k in range(count):
        lefts[k] = max(lefts[k], start)
        start = lefts[k] + wanted[k][1] + gap
    return lefts


def _place(label: Label, frame: Box, taken: Sequence[Box]) -> Box | None:
    best, least = None, float("inf")
    for left, top in _corners(label, frame, taken):
        box, cost = Box(left, top, label.width, label.height), label.cost(left, top)
        if cost < least and frame.holds(box) and not any(box.meets(b, _GAP) for b in taken):
            best, least = box, cost
        if not least:
            break
    return best


def _corners(label: Label, frame: Box, taken: Sequence[Box]) -> Iterator[tuple[float, float]]:
    yield from label.wishes
    width, height = label.width, label.height
    lefts = {x for x, _ in label.wishes} | {frame.left, frame.right - width}
    tops = {y for _, y in label.wishes} | {frame.top, frame.bottom - height}
    for box in taken:
        lefts |= {box.left - width - _GAP, box.right + _GAP}
        tops |= {box.top - height - _GAP, box.bottom + _GAP}
    for left in sorted(lefts):
        for top in sorted(tops):
            yield left, top
