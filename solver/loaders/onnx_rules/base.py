"""What a shape rule sees and answers: facts in, facts and resolved attributes out."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from solver.graph import Shape
from solver.network import AttributeValue

# Any number type of numpy; small, and checked to be so before they are made.
Elements = NDArray[Any]

DATA_LIMIT: Final = 1024
"""Most elements of a constant whose numbers are looked at; shapes and axes are far smaller."""

MAX_RANK: Final = 64
"""numpy's own limit; a longer shape is a damaged file."""

INTEGERS: Final = frozenset(
    {"int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool"}
)


class RuleError(Exception):
    """A node that breaks the rules of its operator; the text says how, the caller knows where."""


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """What is known of a tensor at load time: its size, and the elements of small constants.

    `constant` is True for what depends on no real input. `unread` says why the numbers of a small
    constant, which the file keeps elsewhere, could not be read. `alike` are axes along which a
    constant is known to hold the same numbers at each place.
    """

    shape: Shape
    dtype: str = "float32"
    array: Elements | None = None
    constant: bool = False
    unread: str = ""
    alike: frozenset[int] = frozenset()

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def elements(self) -> int:
        """Number of elements, exact."""
        return math.prod(self.shape)

    def unknown(self, what: str) -> RuleError:
        """The error of a rule that needs its numbers and has none; `what` they are, for people."""
        if self.unread:
            return RuleError(f"its {what} cannot be read: {self.unread}")
        is_ = "are" if what.split(maxsplit=1)[0].endswith("s") else "is"
        return RuleError(f"its {what} {is_} not known before the network runs")


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node as a rule sees it: absent inputs are None, `outputs` counts the listed outputs.

    `opset` is that of the default domain. `tensors` holds attributes that are tensors (Constant's
    value).
    """

    op_type: str
    opset: int
    inputs: tuple[Fact | None, ...]
    outputs: int = 1
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    tensors: Mapping[str, Fact] = field(default_factory=dict)

    def given(self, position: int) -> Fact | None:
        """The input at `position`, None where it is absent."""
        return self.inputs[position] if position < len(self.inputs) else None

    def need(self, position: int) -> Fact:
        """The input at `position`. Raises RuleError where it is absent."""
        fact = self.given(position)
        if fact is None:
            raise RuleError(f"input {position + 1} is missing")
        return fact

    def present(self) -> tuple[Fact, ...]:
        """All inputs, at least one. Raises RuleError when one is absent."""
        if not self.inputs:
            raise RuleError("there is no input")
        return tuple(self.need(i) for i in range(len(self.inputs)))

    def integer(self, name: str, default: int | None = None) -> int:
        """An integer attribute. Raises RuleError when it is required or of another type."""
        value = self.attributes.get(name, default)
        if not isinstance(value, int):
            raise RuleError(f"attribute {name} must be an integer")
        return value

    def number(self, name: str, default: float) -> float:
        """A float attribute. Raises RuleError when it is of another type."""
        value = self.attributes.get(name, default)
        if not isinstance(value, int | float):
            raise RuleError(f"attribute {name} must be a number")
        return float(value)

    def text(self, name: str, default: str) -> str:
        """A string attribute. Raises RuleError when it is of another type."""
        value = self.attributes.get(name, default)
        if not isinstance(value, str):
            raise RuleError(f"attribute {name} must be a text")
        return value

    def integers(self, name: str) -> tuple[int, ...] | None:
        """A list of integers, None where it is absent. Raises RuleError for anything else."""
        value = self.attributes.get(name)
        if value is None:
            return None
        if not isinstance(value, tuple):
            raise RuleError(f"attribute {name} must be a list of integers")
        items = tuple(item for item in value if isinstance(item, int))
        if len(items) != len(value):
            raise RuleError(f"attribute {name} must be a list of integers")
        return items

    def constant_integers(self, position: int, what: str) -> tuple[int, ...] | None:
        """The elements of a small integer constant input (a shape, bounds), None if absent.

        Raises RuleError when they are not known before the network runs.
        """
        fact = self.given(position)
        if fact is None:
            return None
        if fact.array is None or fact.dtype not in INTEGERS:
            raise fact.unknown(what)
        return tuple(int(item) for item in fact.array.ravel())


@dataclass(frozen=True, slots=True)
class Inference:
    """What a rule answers: one fact per listed output, the attributes with defaults filled in."""

    outputs: tuple[Fact, ...]
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)


Rule = Callable[[Node], Inference]
"""Raises RuleError for a node that breaks the rules of its operator; every rule may."""


def one(shape: Sequence[int], dtype: str, **attributes: AttributeValue) -> Inference:
    """The answer of a rule with a single output."""
    return Inference((Fact(tuple(shape), dtype),), attributes)


def plain_axis(axis: int, rank: int) -> int:
    """The axis counted from the front. Raises RuleError outside -rank .. rank - 1."""
    if not -rank <= axis < rank:
        raise RuleError(f"axis {axis} does not exist in {rank} dimensions")
    return axis + rank if axis < 0 else axis


def plain_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """All axes counted from the front, ascending. Raises RuleError on a repeated or absent one."""
    plain = tuple(sorted(plain_axis(axis, rank) for axis in axes))
    if len(set(plain)) != len(plain):
        raise RuleError(f"axes {tuple(axes)} name a dimension twice")
    return plain


def text_of(shape: Shape) -> str:
    """A shape as people write it: 1x3x224x224, "scalar" for ()."""
    return "x".join(str(size) for size in shape) or "scalar"


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The common shape of operands by numpy's rules. Raises RuleError when there is none."""
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        wide = {size for size in sizes if size != 1}
        if len(wide) > 1:
            raise RuleError("shapes " + " and ".join(map(text_of, shapes)) + " do not match")
        result.append(wide.pop() if wide else 1)
    return tuple(result)


def int64_array(values: Sequence[int]) -> Elements:
    """A vector of shape arithmetic. Raises RuleError beyond 64 bits, instead of wrapping."""
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError as error:
        raise RuleError("a size is beyond 64 bits") from error


def known_arrays(node: Node) -> list[Elements]:
    """The elements of every input of which they are known, in order."""
    return [fact.array for fact in node.inputs if fact is not None and fact.array is not None]
