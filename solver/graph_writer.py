"""Writing a training graph op by op: unique names, sources directly before their first reader."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from solver.graph import Op, Phase, Role, Shape, Tensor
from solver.network import Value


class Names:
    """Hands out names; one that is taken gets a number ("loss~2")."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """`wanted`, or `wanted` with the lowest number from 2 on that makes it new."""
        name = wanted
        while name in self._taken:
            number = self._next.get(wanted, 2)
            self._next[wanted] = number + 1
            name = f"{wanted}~{number}"
        self._taken.add(name)
        return name


@dataclass(frozen=True, slots=True)
class NewTensor:
    """A tensor about to be made; its producer is the op that is written with it."""

    name: str
    shape: Shape
    dtype: str
    role: Role | None
    in_storage_at_start: bool = False

    def made_by(self, producer: str) -> Tensor:
        """The tensor of the graph, its size in bytes worked out."""
        size = Value(self.name, self.shape, self.dtype).bytes
        stored = self.in_storage_at_start
        return Tensor(
            self.name,
            size,
            producer,
            self.shape,
            self.dtype,
            self.role,
            in_storage_at_start=stored,
        )


@dataclass(frozen=True, slots=True)
class _Source:
    op: Op
    makes: tuple[NewTensor, ...]


@dataclass(slots=True)
class GraphWriter:
    """Ops and tensors in the order of writing; a source (an op without inputs) waits."""

    ops: list[Op] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    _waiting: dict[str, _Source] = field(default_factory=dict)

    def source(self, op: Op, makes: NewTensor) -> None:
        """Have `op`, which reads nothing, written just before the first op that reads `makes`."""
        self._waiting[makes.name] = _Source(op, (makes,))

    def write(self, op: Op, makes: Sequence[NewTensor]) -> None:
        """Write `op`, whose outputs are `makes`, after the sources that it is first to read."""
        for name in op.inputs:
            waiting = self._waiting.pop(name, None)
            if waiting is not None:
                self._append(waiting.op, waiting.makes)
        self._append(op, makes)

    def _append(self, op: Op, makes: Sequence[NewTensor]) -> None:
        self.ops.append(op)
        self.tensors.extend(tensor.made_by(op.name) for tensor in makes)


def forward_op(
    name: str,
    kind: str,
    inputs: Iterable[str],
    makes: Sequence[NewTensor],
    *,
    flop: int = 0,
    recomputable: bool = True,
    trainable: tuple[str, ...] = (),
) -> Op:
    """An op of the forward pass; repeated inputs are read once."""
    return Op(
        name,
        kind,
        Phase.FORWARD,
        tuple(dict.fromkeys(inputs)),
        tuple(tensor.name for tensor in makes),
        float(flop),
        recomputable=recomputable,
        trainable=trainable,
    )


def backward_op(
    name: str,
    kind: str,
    inputs: Iterable[str],
    makes: Sequence[NewTensor],
    *,
    flop: int,
    gradient_of: tuple[str, ...] = (),
) -> Op:
    """An op of the backward pass; it never runs twice."""
    return Op(
        name,
        kind,
        Phase.BACKWARD,
        tuple(dict.fromkeys(inputs)),
        tuple(tensor.name for tensor in makes),
        float(flop),
        recomputable=False,
        gradient_of=gradient_of,
    )
