"""PyTorch's side of the witness: a recorded graph (see record.py), its FLOP, its memory."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

RECORDS: Final = Path(__file__).parent.parent / "data" / "witness"

_FREE: Final = frozenset({"empty_strided", "empty", "empty_like"})
_STEPS: Final[Mapping[str, int]] = {"var": 3, "clamp": 2}
"""Operations per element of the primitive ops that are more than one: -, square, + (the mean is an
op of its own); min, max."""


class RecordedOp(NamedTuple):
    """One ATen op. `makes` is tensor -> bytes, `flop` of products as PyTorch counts them."""

    phase: str
    kind: str
    reads: tuple[str, ...]
    makes: Mapping[str, int]
    flop: int
    arithmetic: int


@dataclass(frozen=True)
class Recorded:
    """The joint graph of one training step.

    `sources` is what exists before the step, by role; views are resolved in all of it.
    """

    parameters: int
    sources: Mapping[str, tuple[str, int]]
    ops: tuple[RecordedOp, ...]
    saved: tuple[str, ...]
    gradients: Mapping[str, str]

    @cached_property
    def bytes(self) -> Mapping[str, int]:
        """Size of every tensor that is not a parameter or a buffer."""
        data = {name: size for name, (role, size) in self.sources.items() if role in _DATA}
        for op in self.ops:
            data.update(op.makes)
        return data

    @cached_property
    def maker(self) -> Mapping[str, str]:
        """Tensor -> ATen op that makes it; inputs and labels by their role."""
        found = {name: role for name, (role, _) in self.sources.items()}
        found.update((name, op.kind) for op in self.ops for name in op.makes)
        return found

    def flop(self, phase: str) -> int:
        """Products and every other arithmetic operation."""
        return sum(op.flop + op.arithmetic for op in self.ops if op.phase == phase)

    def products(self, phase: str) -> int:
        """FLOP of convolutions and matrix products alone, 2 per multiply-add."""
        return sum(op.flop for op in self.ops if op.phase == phase)

    def flop_by_kind(self, phase: str) -> Counter[str]:
        """FLOP by ATen op."""
        found: Counter[str] = Counter()
        for op in self.ops:
            if op.phase == phase:
                found[op.kind] += op.flop + op.arithmetic
        return found

    @property
    def kept_bytes(self) -> int:
        """What is handed from forward to backward, parameters and buffers left out."""
        return sum(self.bytes[name] for name in self.saved)

    def kept_by_maker(self) -> Counter[tuple[str, int]]:
        """(ATen op that made it, bytes) -> how many such tensors are kept."""
        return Counter((self.maker[name], self.bytes[name]) for name in self.saved)

    @cached_property
    def weight_gradients(self) -> frozenset[str]:
        """Gradients of parameters and partial sums of them: they live in memory of their own."""
        found = set(self.gradients.values())
        for op in reversed(self.ops):
            if op.kind == "aten.add.Tensor" and found.intersection(op.makes):
                found.update(op.reads)
        return frozenset(found)

    @cached_property
    def resident_bytes(self) -> tuple[int, ...]:
        """Bytes held while each op runs, in order, nothing kept longer than it is read.

        As on our side: an input comes with its first reader, a tensor goes after its last one;
        parameters, buffers and weight gradients are left out.
        """
        last = {name: k for k, op in enumerate(self.ops) for name in (*op.reads, *op.makes)}
        held: dict[str, int] = {}
        found = []
        for k, op in enumerate(self.ops):
            for name in (*op.reads, *op.makes):
                if name in self.bytes and name not in self.weight_gradients:
                    held[name] = self.bytes[name]
            found.append(sum(held.values()))
            held = {name: size for name, size in held.items() if last[name] > k}
        return tuple(found)

    @property
    def plain_peak(self) -> int:
        """Bytes held at the worst moment."""
        return max(self.resident_bytes)


_DATA: Final = frozenset({"input", "label"})


def recorded(network: str) -> Recorded:
    """The record of one network."""
    document = json.loads((RECORDS / f"{network}.json").read_text(encoding="utf-8"))
    sources = {name: (role, size) for name, role, size in document["sources"]}
    ops = tuple(_ops(document["ops"]))
    # New running statistics are handed over too; they lie in the memory of the old ones.
    own = {name for name, (role, _) in sources.items() if role in _DATA}
    own.update(name for op in ops for name in op.makes)
    saved = tuple(name for name in document["saved"] if name in own)
    return Recorded(document["parameters"], sources, ops, saved, document["gradients"])


def _ops(listed: list[list[object]]) -> Iterator[RecordedOp]:
    for phase, kind, reads, makes, counts in listed:
        yield RecordedOp(
            phase, kind, tuple(reads), dict(makes), counts.get("flop", 0), _arithmetic(counts)
        )


def _arithmetic(counts: Mapping[str, int]) -> int:
    """Operations per element and primitive op: 1 unless said above, memory not written 0."""
    return sum(
        _STEPS.get(name, 1) * count
        for name, count in counts.items()
        if name != "flop" and name not in _FREE
    )
