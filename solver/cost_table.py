"""A cost table: measured seconds and joules of ops, in place of a board's FLOP model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from solver.graph import TrainingGraph
from solver.suggest import near

PRICED: Final = "priced by the cost table "
"""Each sentence of `sentences` starts so: they are about one pricing, not about the graph."""
_NAMED_AT_MOST: Final = 3


@dataclass(frozen=True, slots=True)
class CostRow:
    """One run of the op `op` or, where that is empty, of every op of the kind `kind`.

    `seconds` and `joules` are None where nothing is said of them.
    """

    seconds: float | None
    joules: float | None
    op: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class CostTable:
    """Rows under the name of the file that they came from; no two rows are of one op or kind."""

    name: str
    rows: tuple[CostRow, ...]

    def in_seconds(self) -> "CostTable":
        """The table of a device whose joules are seconds."""
        return replace(self, rows=tuple(replace(row, joules=row.seconds) for row in self.rows))


class TableCosts(NamedTuple):
    """Per op of a graph, what a table says of it; None where it says nothing."""

    seconds: list[float | None]
    joules: list[float | None]


def costs_of(table: CostTable, graph: TrainingGraph) -> TableCosts:
    """Seconds and joules of every op in `table`, in the graph's order.

    Each of the two is that of the row of the op, else that of the row of its kind.
    """
    by_op = {row.op: row for row in table.rows if row.op}
    by_kind = {row.kind: row for row in table.rows if not row.op}
    found = TableCosts([], [])
    for op in graph.ops:
        rows = [row for row in (by_op.get(op.name), by_kind.get(op.kind)) if row is not None]
        found.seconds.append(next((r.seconds for r in rows if r.seconds is not None), None))
        found.joules.append(next((r.joules for r in rows if r.joules is not None), None))
    return found


def sentences(table: CostTable, graph: TrainingGraph) -> tuple[str, ...]:
    """What of `graph` the table prices and what the FLOP model does, and rows of unknown ops."""
    found, ops = costs_of(table, graph), len(graph.ops)
    seconds, joules = (ops - listed.count(None) for listed in found)
    words = (
        f"{PRICED}{table.name}: the seconds of {seconds} and the joules of {joules} of {ops} ops"
    )
    if min(seconds, joules) < ops:
        words += "; the others follow from FLOP"
    strange = [row.op for row in table.rows if row.op and row.op not in graph.op_index]
    return (words, _strange(table, strange, graph)) if strange else (words,)


def _strange(table: CostTable, names: Sequence[str], graph: TrainingGraph) -> str:
    shown = [f"{name} ({hint})" if (hint := near(name, graph.op_index)) else name
             for name in names[:_NAMED_AT_MOST]]  # fmt: skip
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    verb = "is no op" if len(names) == 1 else "are no ops"
    return f"{PRICED}{table.name}: {', '.join(shown)}{more} {verb} of this graph"
