"""The schedule summed up by named blocks, as a table."""

import numpy as np

from poet_gui.viewmodels.block_lanes import block_of_actions, blocks_of, most_resident
from poet_gui.viewmodels.tables import (
    Column,
    Table,
    bytes_column,
    count_column,
    joules_column,
    share_column,
)
from poet_gui.viewmodels.timeline import NO_TENSOR
from poet_gui.viewmodels.trace_index import IntArray, Kind, index_trace
from solver.costs import FloatArray
from solver.simulate import Trace


def blocks_table(trace: Trace) -> Table:
    """Every block in the order in which they first run; the energies add up to the schedule's.

    A row links to the largest tensor of its block and to the block's first action.
    """
    graph = trace.problem.costed.graph
    index, blocks = index_trace(trace), blocks_of(trace.problem.costed)
    count = len(blocks.names)
    of_op = np.array(blocks.of_op, dtype=np.int64)
    of_tensor = np.array(blocks.of_tensors(graph), dtype=np.int64)
    block = block_of_actions(index, of_op, of_tensor)
    sizes = np.array(trace.problem.costed.tensor_bytes, dtype=np.int64)
    energy = _summed(block, trace.energy_j, count)

    def counted(kind: Kind) -> IntArray:
        return np.bincount(block[index.kind == kind], minlength=count)

    again = _summed(block, np.where(index.kind == Kind.COMPUTE, 0.0, trace.energy_j), count)
    first = np.full(count, -1, dtype=np.int64)
    first[block[::-1]] = np.arange(index.actions)[::-1]
    columns = (
        Column("block", "", np.arange(count), lambda row: blocks.names[row], is_number=False),
        count_column("ops", "of the block, forward and backward", np.bincount(of_op)),
        count_column("tensors", "that they make", np.bincount(of_tensor, minlength=count)),
        bytes_column(
            "most in RAM", "of its tensors together", most_resident(index, of_tensor, count)
        ),
        count_column("recomputes", "further runs of its ops", counted(Kind.RECOMPUTE)),
        count_column("page-outs", "writes into storage", counted(Kind.PAGE_OUT)),
        count_column("page-ins", "reads from storage", counted(Kind.PAGE_IN)),
        joules_column("overhead", "recomputing and paging", again),
        joules_column("energy", "runs and transfers", energy),
        share_column("share", "of the schedule's energy", energy, trace.total_energy_j),
    )
    return Table(columns, _largest(of_tensor, sizes, count), first)


def _summed(block: IntArray, joules: FloatArray, count: int) -> FloatArray:
    found = np.zeros(count, dtype=np.float64)
    np.add.at(found, block, joules)
    return found


def _largest(of_tensor: IntArray, sizes: IntArray, count: int) -> IntArray:
    """Per block, its largest tensor, the first of several; NO_TENSOR where it makes none."""
    found = np.full(count, NO_TENSOR, dtype=np.int64)
    order = np.lexsort((-np.arange(len(sizes)), sizes))
    found[of_tensor[order]] = order  # the last one written stands
    return found
