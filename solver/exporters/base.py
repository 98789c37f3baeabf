"""What an exporter looks like from outside, and the rows that every table of actions is made of."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from solver.files import write_whole
from solver.schedule import ActionKind
from solver.simulate import Trace


class Exporter(Protocol):
    """One format that a schedule can be saved in."""

    @property
    def name(self) -> str:
        """Short name, unique among the exporters."""
        ...

    @property
    def summary(self) -> str:
        """One sentence for lists and the save dialog."""
        ...

    @property
    def suffix(self) -> str:
        """Usual end of a file name, with its dot."""
        ...

    def export(self, trace: Trace) -> bytes:
        """Content of the file; equal traces give equal bytes."""
        ...


@runtime_checkable
class WithCompanions(Protocol):
    """An exporter whose file is of use together with others in the same folder."""

    def companions(self) -> Mapping[str, bytes]:
        """Name and content of each; they are the same for every schedule."""
        ...


def write_companions(exporter: Exporter, path: Path) -> tuple[str, ...]:
    """Write what belongs beside the export at `path`; sentences on what was done.

    A file of that name with other content is the user's and stays. Raises OSError as writing does.
    """
    if not isinstance(exporter, WithCompanions):
        return ()
    said = []
    for name, data in exporter.companions().items():
        beside = path.parent / name
        if not beside.exists():
            write_whole(beside, data)
            said.append(f"{name} is beside it.")
        elif beside.read_bytes() != data:
            said.append(f"The {name} that lies beside it is another one and was left as it is.")
    return tuple(said)


class ActionRow(NamedTuple):
    """One action in words and plain numbers, as in poet.result.

    `op` is empty for transfers and frees, `tensor` for runs of an op. `bytes` are the tensor's, for
    an op the sum of its outputs. `resident_bytes` is RAM when the action is issued, for a free RAM
    after it.
    """

    position: int
    kind: ActionKind
    op: str
    tensor: str
    start_s: float
    duration_s: float
    energy_j: float
    bytes: int
    resident_bytes: int


def action_rows(trace: Trace) -> Iterator[ActionRow]:
    """Rows of all actions in issue order."""
    costed = trace.problem.costed
    graph, sizes = costed.graph, costed.tensor_bytes
    made = [sum(sizes[i] for i in outputs) for outputs in graph.op_outputs]
    columns = zip(
        trace.schedule.actions,
        trace.start_s.tolist(),
        trace.duration_s.tolist(),
        trace.energy_j.tolist(),
        trace.resident_bytes.tolist(),
        strict=True,
    )
    for position, (action, start_s, duration_s, energy_j, resident_bytes) in enumerate(columns):
        target = action.target
        runs = action.kind.runs_op
        yield ActionRow(
            position,
            action.kind,
            graph.ops[target].name if runs else "",
            "" if runs else graph.tensors[target].name,
            start_s,
            duration_s,
            energy_j,
            made[target] if runs else sizes[target],
            resident_bytes,
        )
