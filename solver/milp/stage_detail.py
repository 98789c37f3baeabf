"""Rows (12) of the stage model: a stage whose memory is modelled at every run inside it.

here[t,p,i] in [0,1] : tensor i is in RAM at the worst moment of run p (its new outputs included).
load[t,p,i] : paged in directly before run p; the first page-in of a stage is paid by I[t,i], those
beyond it by again[t,i].
"""

from solver.milp.rows import RowFamily
from solver.milp.stage_columns import StageColumns


def add_detail_rows(columns: StageColumns, t: int, rows: RowFamily) -> None:
    """Add the rows of stage `t`, one of the detailed stages of `columns`."""
    for position, op in enumerate(columns.runs[t]):
        _presence(columns, t, position, op, rows)
        _memory(columns, t, position, op, rows)
        run = columns.rerun.get((t, op))
        for i in columns.staged.reads[op]:
            load = columns.load.get((t, position, i))
            if load is not None and run is not None:
                rows.add([(run, 1.0), (load, -1.0)], 0.0)
    last = len(columns.runs[t]) - 1
    for i in range(columns.staged.tensors):
        held, here = columns.hold.get((t + 1, i)), columns.here.get((t, last, i))
        if held is not None and here is not None:
            rows.add([(here, 1.0), (held, -1.0)], 0.0)
    _payment(columns, t, rows)


def _presence(columns: StageColumns, t: int, position: int, op: int, rows: RowFamily) -> None:
    """What is in RAM came from before, storage or this run; what the run reads and makes is."""
    staged = columns.staged
    run = columns.rerun.get((t, op))
    for i in range(staged.tensors):
        here = columns.here.get((t, position, i))
        if here is None:
            continue
        terms = [(here, -1.0)]
        before = columns.here.get((t, position - 1, i)) if position else columns.hold.get((t, i))
        terms += [(c, 1.0) for c in (before, columns.load.get((t, position, i))) if c is not None]
        made = i in staged.makes[op]
        if made and run is not None:
            terms.append((run, 1.0))
        rows.add(terms, -1.0 if made and run is None else 0.0)
        if made or i in staged.reads[op]:
            if run is None:
                rows.add([(here, 1.0)], 1.0)
            else:
                rows.add([(here, 1.0), (run, -1.0)], 0.0)


def _memory(columns: StageColumns, t: int, position: int, op: int, rows: RowFamily) -> None:
    staged = columns.staged
    unit = float(max(staged.room, 1))
    terms = [
        (here, -staged.size[i] / unit)
        for i in range(staged.tensors)
        if (here := columns.here.get((t, position, i))) is not None
    ]
    run = columns.rerun.get((t, op))
    if run is None:
        rows.add(terms, -(staged.room - staged.workspace[op]) / unit)
        return
    # Outputs that nothing can use any more still count while the op runs.
    dead = sum(staged.size[i] for i in staged.makes[op] if (t, i) not in columns.hold)
    extra = staged.workspace[op] + dead
    if extra:
        terms.append((run, -extra / unit))
    rows.add(terms, -staged.room / unit)


def _payment(columns: StageColumns, t: int, rows: RowFamily) -> None:
    loads: dict[int, list[int]] = {}
    for (stage, _, i), column in columns.load.items():
        if stage == t:
            loads.setdefault(i, []).append(column)
    for i, found in loads.items():
        first, more = columns.page_in[t, i], columns.again[t, i]
        rows.add([(first, 1.0), (more, 1.0), *((c, -1.0) for c in found)], 0.0)
        rows.add([(first, columns.upper[more]), (more, -1.0)], 0.0)
        if i in columns.write:
            for column in found:
                rows.add([(columns.write[i], 1.0), (column, -1.0)], 0.0)
