"""Schedules that keep what crosses between segments of the forward pass and make the rest again.

Chen, Xu, Zhang, Guestrin, "Training Deep Nets with Sublinear Memory Cost" (2016), on any graph: the
forward ops are cut into segments; what a later segment reads is kept, everything else inside a
segment is dropped after its last forward reader and made again, the segment at a time, when the
backward pass comes to it. The last segment is not dropped: it would be made again at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from solver.lowering import Run, lower
from solver.schedule import Schedule
from solver.staged import StagedProblem, bits, mask_of


@dataclass(frozen=True, slots=True)
class ForwardPass:
    """What cutting the forward pass needs to know of it.

    droppable : mask of the tensors that may be made again. crossing : per forward op but the last,
    mask of the droppable tensors that a later forward op reads. bytes_up_to : per forward op, bytes
    of droppable tensors made so far.
    """

    staged: StagedProblem
    droppable: int
    crossing: tuple[int, ...]
    bytes_up_to: tuple[int, ...]


def forward_pass(staged: StagedProblem) -> ForwardPass:
    """Read the forward pass of a problem."""
    count = staged.first_backward
    droppable = mask_of([i for i in range(staged.tensors) if staged.may_rerun[staged.producer[i]]])
    last = [
        max((op for op in staged.readers[i] if op < count), default=-1)
        for i in range(staged.tensors)
    ]
    crossing = tuple(
        mask_of([i for i in bits(droppable) if staged.producer[i] <= op < last[i]])
        for op in range(count - 1)
    )
    made = (staged.mass(staged.op_out[op] & droppable) for op in range(count))
    return ForwardPass(staged, droppable, crossing, tuple(accumulate(made)))


def segmentations(forward: ForwardPass) -> Iterator[tuple[int, ...]]:
    """Ways to cut, each a tuple of the ops that end a segment, from one segment to many.

    Segments are about equal in the bytes that they make (the paper's budget per segment). The cuts
    are where a single tensor crosses, where there are such; and, besides, anywhere: inside a block
    in which every layer reads all before it, no cut is single.
    """
    anywhere = tuple(range(len(forward.crossing)))
    single = tuple(op for op in anywhere if forward.crossing[op].bit_count() <= 1)
    seen: set[tuple[int, ...]] = set()
    for places in (single, anywhere):
        for count in _counts(len(places) + 1):
            ends = _cuts(forward, places, count)
            if ends not in seen:
                seen.add(ends)
                yield ends


def _counts(most: int) -> Iterator[int]:
    """Numbers of segments: all small ones, then a quarter more each, then the most."""
    count = 1
    while count < most:
        yield count
        count = max(count + 1, count * 5 // 4)
    yield most


def _cuts(forward: ForwardPass, places: Sequence[int], count: int) -> tuple[int, ...]:
    """The places at which the bytes made pass k / count of all, for each k; all, when as many."""
    if count > len(places):
        return tuple(places)
    total = forward.bytes_up_to[-1] if forward.bytes_up_to else 0
    ends: list[int] = []
    for place in places:
        if forward.bytes_up_to[place] * count >= (len(ends) + 1) * total and len(ends) < count - 1:
            ends.append(place)
    return tuple(ends)


def segmented(forward: ForwardPass, ends: Sequence[int]) -> Schedule:
    """The schedule of one way to cut."""
    staged = forward.staged
    return lower(staged, _with_residents(staged, _order(forward, ends)), paged=0)


def _order(forward: ForwardPass, ends: Sequence[int]) -> list[int]:
    """Every op in order; those of a segment again before the backward op that needs it."""
    staged, count = forward.staged, forward.staged.first_backward
    kept = 0
    for end in ends:
        kept |= forward.crossing[end]
    inside = [
        mask_of([i for op in range(first, after) for i in staged.makes[op]])
        & forward.droppable
        & ~kept
        for first, after in pairwise([0, *(end + 1 for end in ends)])
    ]
    dropped = 0
    for mask in inside:
        dropped |= mask
    order = list(range(count))
    for op in range(count, staged.stages):
        for mask in inside:
            if staged.op_in[op] & mask & dropped:
                again = _again(staged, mask & dropped, op)
                order += again
                dropped &= ~mask_of([i for each in again for i in staged.makes[each]])
        order.append(op)
    return order


def _again(staged: StagedProblem, dropped: int, op: int) -> list[int]:
    """The ops of a segment that make what this and later backward ops read of it, in order."""
    wanted = mask_of([i for i in bits(dropped) if staged.readers[i][-1:] >= (op,)])
    ops = 0
    while wanted:
        producer = staged.producer[wanted.bit_length() - 1]  # the last made: its inputs are older
        ops |= 1 << producer
        wanted = (wanted | staged.op_in[producer] & dropped) & ~staged.op_out[producer]
    return list(bits(ops))


def _with_residents(staged: StagedProblem, order: Sequence[int]) -> list[Run]:
    """Each run with the tensors in RAM meanwhile: those that are read before they are made anew."""
    runs: list[Run] = []
    needed = 0
    for op in reversed(order):
        needed = (needed & ~staged.op_out[op]) | staged.op_in[op]
        runs.append(Run(op, needed))
    return runs[::-1]
