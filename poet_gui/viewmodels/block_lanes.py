"""The schedule with a lane per named block: what runs in each, and when it holds RAM."""

from functools import lru_cache

import numpy as np

from poet_gui.viewmodels.timeline import (
    NO_TENSOR,
    UNITS,
    Bars,
    Strips,
    TimelineScene,
    sort_strips,
    stored_strips,
    timeline_scene,
)
from poet_gui.viewmodels.trace_index import Axis, IntArray, Kind, TraceIndex, index_trace
from solver.blocks import Blocks, name_blocks
from solver.costs import CostedGraph
from solver.simulate import Trace
from solver.units import format_bytes, format_count


@lru_cache(maxsize=4)  # every view asks for those on screen; costed graphs differ by identity
def blocks_of(costed: CostedGraph) -> Blocks:
    """The named blocks of a graph; the latest four are remembered."""
    return name_blocks(costed.graph)


def lanes_scene(trace: Trace, *, by_block: bool) -> TimelineScene:
    """Lanes of tensors, or of blocks where they are wanted and there are any to speak of."""
    if by_block:
        blocks = blocks_of(trace.problem.costed)
        if blocks.useful:
            return block_scene(trace, blocks)
    return timeline_scene(trace)


def block_scene(trace: Trace, blocks: Blocks) -> TimelineScene:
    """A lane per block in the order in which the blocks first run, below those of the units.

    A block's lane has one bar per action: what its ops compute, and transfers of what they make.
    The strip of RAM is drawn while any tensor of the block is resident; the lane's size is the most
    that they take together.
    """
    index = index_trace(trace)
    graph = trace.problem.costed.graph
    units = len(UNITS) if index.overlaps and index.actions else 0
    of_tensor = np.array(blocks.of_tensors(graph), dtype=np.int64)
    made = np.zeros(len(graph.tensors), dtype=bool)
    made[index.spans.tensor] = True
    lanes = units + len(blocks.names)
    lane_of = np.where(made, units + of_tensor, -1)
    most = most_resident(index, of_tensor, len(blocks.names)).tolist()
    notes = {lane: note for lane, (_, note) in enumerate(UNITS[:units])}
    for block, text in enumerate(_notes(blocks, of_tensor, most)):
        notes[units + block] = text
    return TimelineScene(
        index=index,
        lane_tensor=np.full(lanes, NO_TENSOR, dtype=np.int64),
        lane_of=lane_of,
        lane_names=(*(name for name, _ in UNITS[:units]), *blocks.names),
        lane_sizes=(*("" for _ in range(units)), *map(format_bytes, most)),
        lane_notes=notes,
        units=units,
        bars=_bars(index, np.array(blocks.of_op, dtype=np.int64), of_tensor, units, lanes),
        resident=_resident(index, lane_of, lanes),
        stored=stored_strips(index, lane_of, lanes),
    )


def block_of_actions(index: TraceIndex, of_op: IntArray, of_tensor: IntArray) -> IntArray:
    """The block of each action: that of its op, or of the op that makes what it moves or frees."""
    runs = index.kind <= Kind.RECOMPUTE
    found = np.zeros(index.actions, dtype=np.int64)
    found[runs], found[~runs] = of_op[index.target[runs]], of_tensor[index.target[~runs]]
    return found


def most_resident(index: TraceIndex, of_tensor: IntArray, blocks: int) -> IntArray:
    """The most bytes that the tensors of each block take in RAM together."""
    spans = index.spans
    sizes = np.array(index.trace.problem.costed.tensor_bytes, dtype=np.int64)[spans.tensor]
    block = np.tile(of_tensor[spans.tensor], 2)
    action = np.concatenate((spans.first, spans.last))
    change = np.concatenate((sizes, -sizes))
    order = np.lexsort((change, action, block))
    # Each block ends with nothing resident, so one running sum serves them all.
    level = np.cumsum(change[order])
    most = np.zeros(blocks, dtype=np.int64)
    np.maximum.at(most, block[order], level)
    return most


def _notes(blocks: Blocks, of_tensor: IntArray, most: list[int]) -> list[str]:
    ops = np.bincount(blocks.of_op, minlength=len(blocks.names)).tolist()
    tensors = np.bincount(of_tensor, minlength=len(blocks.names)).tolist()
    return [
        f"{format_count(o)} ops, {format_count(t)} tensors, at most {format_bytes(m)} in RAM"
        for o, t, m in zip(ops, tensors, most, strict=True)
    ]


def _bars(index: TraceIndex, of_op: IntArray, of_tensor: IntArray, units: int, lanes: int) -> Bars:
    action = index.step_action
    row = units + block_of_actions(index, of_op, of_tensor)[action]
    if units:
        row = np.concatenate((index.kind[action] > Kind.RECOMPUTE, row))
        action = np.concatenate((action, action))
    edges = {axis: (index.begin(axis)[action], index.end(axis)[action]) for axis in Axis}
    order, fields = sort_strips(row, edges, lanes)
    return Bars(**fields, kind=index.kind[action][order], action=action[order])


def _resident(index: TraceIndex, lane_of: IntArray, lanes: int) -> Strips:
    """Unions of the spans of a lane's tensors, in actions, which both axes follow."""
    spans = index.spans
    width = index.actions + 2
    begin, end = lane_of[spans.tensor] * width + spans.first, lane_of[spans.tensor] * width
    end = end + spans.last
    order = np.argsort(begin, kind="stable")
    begin, reach = begin[order], np.maximum.accumulate(end[order])
    opens = np.concatenate((np.ones(min(1, len(begin)), dtype=bool), begin[1:] > reach[:-1]))
    closes = np.concatenate((opens[1:], np.ones(min(1, len(begin)), dtype=bool)))
    row, first, last = begin[opens] // width, begin[opens] % width, reach[closes] % width
    edges = {}
    for axis in Axis:
        at = np.append(index.begin(axis), index.extent(axis))
        edges[axis] = (at[first], at[last])
    return Strips(**sort_strips(row, edges, lanes)[1])
