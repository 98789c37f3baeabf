"""What became of a model file: nodes folded and kept, sizes chosen, what was ignored or assumed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from solver.text import counted, verb

_LISTED: Final = 3
_KINDS: Final = 6


class Topic(StrEnum):
    """What a remark is about; reports list remarks in this order."""

    FOLDED = "folded"
    IGNORED = "ignored"
    ASSUMED = "assumed"
    SIZES = "sizes"
    WEIGHTS = "weights"
    LOSS = "loss"


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence about one topic. It is a fact, no warning: those are `warnings` of the graph."""

    topic: Topic
    text: str


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """Nodes of a file after its own functions are inlined; `shapes` and `views` are disjoint.

    constant : depend on no input, folded. shapes : depend on an input through its sizes alone,
    folded too. views : own no bytes. The others, and the views, run.
    """

    all: int
    constant: int
    shapes: int
    views: int

    @property
    def running(self) -> int:
        """Nodes that became layers, views among them."""
        return self.all - self.constant - self.shapes


@dataclass(frozen=True, slots=True)
class FileInput:
    """An input that something reads: its shape in the file (names are open) and as it is used."""

    name: str
    dtype: str
    declared: tuple[int | str, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OpenSize:
    """A size that a file leaves open.

    name : as `--dim` takes it. places : the inputs that have it, such as "x (N, 3, 8)". size :
    the one in use, or the one to begin with. is_batch : it leads the inputs, `--batch` sets it.
    """

    name: str
    places: tuple[str, ...]
    size: int | None = None
    is_batch: bool = False


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What a loader did to make a network of a file.

    maker : format and versions, such as "ONNX operator set 17 (IR 8), written by pytorch 2.1".
    kinds : op_types that run and how many of each, most frequent first. outputs : those of a float
    type, of which a loss can be taken. open_sizes : what the file leaves open, with the sizes used.
    """

    maker: str
    nodes: NodeCounts
    kinds: tuple[tuple[str, int], ...] = ()
    inputs: tuple[FileInput, ...] = ()
    outputs: tuple[str, ...] = ()
    open_sizes: tuple[OpenSize, ...] = ()
    remarks: tuple[Remark, ...] = ()

    def with_remarks(self, remarks: Sequence[Remark]) -> "ImportReport":
        """The report with these remarks added, in the order of their topics."""
        order = list(Topic)
        found = sorted((*self.remarks, *remarks), key=lambda remark: order.index(remark.topic))
        return replace(self, remarks=tuple(found))

    def sentences(self) -> tuple[str, ...]:
        """The whole report as sentences, for documents that hold text only."""
        shapes = [input_words(entry) for entry in self.inputs]
        return (
            f"the file is {self.maker}",
            counts_words(self.nodes),
            *([f"what runs: {kinds_words(self.kinds)}"] if self.kinds else ()),
            *([f"inputs: {'; '.join(shapes)}"] if shapes else ()),
            *(remark.text for remark in self.remarks),
        )


def names_of(names: Sequence[str]) -> str:
    """The first few of many names: "a, b, c and 30 more"."""
    more = len(names) - _LISTED
    text = ", ".join(names[:_LISTED])
    return f"{text} and {more} more" if more > 0 else text


def shape_words(shape: Sequence[int | str]) -> str:
    """A shape as people write it: "1 x 3 x N", "scalar" without dimensions."""
    return " x ".join(map(str, shape)) or "scalar"


def input_words(entry: FileInput) -> str:
    """An input with its type, its shape, and the file's own where that leaves sizes open."""
    words = f"{entry.name} {entry.dtype} {shape_words(entry.shape)}"
    if entry.declared == entry.shape:
        return words
    return f"{words} (in the file {shape_words(entry.declared)})"


def counts_words(nodes: NodeCounts) -> str:
    """How many nodes were folded and how many run, as a sentence."""
    parts = []
    for count, what in ((nodes.constant, "on constants"), (nodes.shapes, "on sizes of inputs")):
        if count:
            depend, were = verb(count, "depends", "depend"), verb(count, "was", "were")
            parts.append(f"{count:,} {depend} {what} only and {were} folded")
    views = f", {counted(nodes.views, 'view')} among them" if nodes.views else ""
    parts.append(f"{nodes.running:,} {verb(nodes.running, 'runs', 'run')}{views}")
    return f"{counted(nodes.all, 'node')}: {', '.join(parts)}"


def kinds_words(kinds: Sequence[tuple[str, int]]) -> str:
    """The most frequent op_types: "53 Conv, 49 Relu and 4 other kinds"."""
    text = ", ".join(f"{count:,} {kind}" for kind, count in kinds[:_KINDS])
    more = len(kinds) - _KINDS
    return f"{text} and {counted(more, 'other kind')}" if more > 0 else text
