"""The staged problem as plain lists and bit masks, in the order that the optimisers work in.

Stage t ends with the first run of op t. Before it, inside the stage, earlier recomputable forward
ops may run again, each at most once, in order. Tensors are renumbered by producer, so that the
highest bit of a mask is the tensor made last; `original` leads back to the graph's positions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from solver.device import IoMode
from solver.graph import Phase
from solver.problem import Problem

_ROUNDING: Final = 9e-10
"""Relative; the limit minus the baseline cancels digits, so that a schedule whose runtime is the
limit would seem too slow. The verifier grants 1e-9."""


@dataclass(frozen=True, eq=False)
class StagedProblem:
    """A problem indexed by op (ops = stages) or by tensor in producer order.

    op_in, op_out : per op, mask of the tensors it reads and makes. reads, makes : as lists.
    size, workspace : bytes. room : bytes that tensors and workspace may occupy (RAM - fixed).
    run_j, run_s : one run of an op; in_j, in_s, out_j, out_s : one transfer of a tensor (seconds 0
    where the I/O mode ignores them). may_rerun : per op; may_page : per tensor, switches included.
    stored : mask of the tensors in storage at the start (and pageable). folded : mask of tensors
    that are never worth holding or paging: read by one rerunnable op only, whose single output is
    no larger and serves as well.
    limit_s : seconds left for transfers and reruns, None without a runtime limit.
    transfer_limit_s : None, but where transfers overlap under a runtime limit: the most that all of
    them may take on their own lane; limit_s is then left for reruns alone. No issue order takes
    less time than either lane.
    """

    problem: Problem
    original: tuple[int, ...]
    first_backward: int
    producer: tuple[int, ...]
    reads: tuple[tuple[int, ...], ...]
    makes: tuple[tuple[int, ...], ...]
    readers: tuple[tuple[int, ...], ...]
    op_in: tuple[int, ...]
    op_out: tuple[int, ...]
    size: tuple[int, ...]
    workspace: tuple[int, ...]
    room: int
    run_j: tuple[float, ...]
    run_s: tuple[float, ...]
    in_j: tuple[float, ...]
    in_s: tuple[float, ...]
    out_j: tuple[float, ...]
    out_s: tuple[float, ...]
    may_rerun: tuple[bool, ...]
    may_page: tuple[bool, ...]
    stored: int
    folded: int
    limit_s: float | None
    transfer_limit_s: float | None = None

    @property
    def stages(self) -> int:
        """Number of ops, and so of stages."""
        return len(self.op_in)

    @property
    def tensors(self) -> int:
        """Number of tensors."""
        return len(self.size)

    def uses(self, tensor: int) -> Iterator[tuple[int, int]]:
        """Pairs of consecutive ops that use the tensor: from its making on, in order."""
        return pairwise((self.producer[tensor], *self.readers[tensor]))

    @property
    def waiting(self) -> int:
        """Mask of the tensors that some use leaves waiting while other ops run."""
        return mask_of([i for i in range(self.tensors) if any(b > a + 1 for a, b in self.uses(i))])

    def mass(self, mask: int) -> int:
        """Bytes of the tensors in `mask`."""
        total, size = 0, self.size
        while mask:  # written out: the innermost loop of the search
            low = mask & -mask
            total += size[low.bit_length() - 1]
            mask ^= low
        return total

    def need(self, op: int) -> int:
        """Bytes that the op's inputs, outputs and workspace occupy together."""
        return self.mass(self.op_in[op] | self.op_out[op]) + self.workspace[op]


def bits(mask: int) -> Iterator[int]:
    """Positions of the set bits, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(positions: tuple[int, ...] | list[int]) -> int:
    """The mask with those bits set."""
    mask = 0
    for i in positions:
        mask |= 1 << i
    return mask


def stage(problem: Problem) -> StagedProblem:
    """Write `problem` out for the optimisers."""
    staged = _written_out(problem)
    folded = mask_of([i for i in range(staged.tensors) if _folds(staged, i)])
    return replace(staged, folded=folded, transfer_limit_s=_transfer_time(staged))


def _written_out(problem: Problem) -> StagedProblem:
    """Everything but what follows from the rest: nothing folded, no limit on transfers."""
    costed, graph, switches = problem.costed, problem.costed.graph, problem.switches
    original = tuple(i for outputs in graph.op_outputs for i in outputs)
    place = {old: new for new, old in enumerate(original)}
    reads = tuple(tuple(sorted(place[i] for i in op)) for op in graph.op_inputs)
    makes = tuple(tuple(place[i] for i in op) for op in graph.op_outputs)
    tensors = [graph.tensors[i] for i in original]
    may_page = tuple(switches.paging and tensor.pageable for tensor in tensors)
    in_s, out_s = problem.transfer_durations_s()
    stored = mask_of(
        [i for i, tensor in enumerate(tensors) if tensor.in_storage_at_start and may_page[i]]
    )
    return StagedProblem(
        problem=problem,
        original=original,
        first_backward=graph.first_backward,
        producer=tuple(graph.producer[i] for i in original),
        reads=reads,
        makes=makes,
        readers=tuple(graph.readers[i] for i in original),
        op_in=tuple(mask_of(op) for op in reads),
        op_out=tuple(mask_of(op) for op in makes),
        size=tuple(tensor.bytes for tensor in tensors),
        workspace=tuple(op.workspace_bytes for op in graph.ops),
        room=problem.budgets.ram_bytes - graph.fixed_bytes,
        run_j=tuple(costed.op_energy_j.tolist()),
        run_s=tuple(costed.op_duration_s.tolist()),
        in_j=tuple(float(costed.page_in_j[i]) for i in original),
        in_s=tuple(in_s[i] for i in original),
        out_j=tuple(float(costed.page_out_j[i]) for i in original),
        out_s=tuple(out_s[i] for i in original),
        may_rerun=tuple(
            switches.recompute and op.recomputable and op.phase is Phase.FORWARD for op in graph.ops
        ),
        may_page=may_page,
        stored=stored,
        folded=0,
        limit_s=_time_left(problem),
    )


def _folds(staged: StagedProblem, tensor: int) -> bool:
    """Whether its one reader makes something no larger out of it, and both ops may run again."""
    if len(staged.readers[tensor]) != 1 or staged.stored >> tensor & 1:
        return False
    reader, maker = staged.readers[tensor][0], staged.producer[tensor]
    alone = len(staged.makes[maker]) == len(staged.makes[reader]) == 1
    if not (alone and staged.may_rerun[reader] and staged.may_rerun[maker]):
        return False
    made = staged.makes[reader][0]
    pages_as_well = staged.may_page[made] or not staged.may_page[tensor]
    return staged.size[tensor] >= staged.size[made] and pages_as_well


def _time_left(problem: Problem) -> float | None:
    limit = problem.budgets.runtime_s
    if limit is None:
        return None
    return max(0.0, limit * (1 + _ROUNDING) - problem.costed.baseline_runtime_s)


def last_uses(staged: StagedProblem) -> list[int]:
    """Per tensor, the last stage that can use it, by a first run or a rerun that leads to one."""
    life = [-1] * staged.tensors
    for op in range(staged.stages - 1, -1, -1):
        reach = op
        if staged.may_rerun[op]:
            reach = max([op, *(life[i] for i in staged.makes[op])])
        for i in staged.reads[op]:
            life[i] = max(life[i], reach)
    return life


def _transfer_time(staged: StagedProblem) -> float | None:
    """What the runtime limit leaves for all transfers together when they overlap.

    A transfer that is of use begins after the first run that makes a pageable tensor (unless one is
    in storage at the start), and ends before the last stage that can read one.
    """
    problem = staged.problem
    limit_s = problem.budgets.runtime_s
    if limit_s is None or problem.switches.io is not IoMode.OVERLAPPED:
        return None
    pageable = [i for i, may in enumerate(staged.may_page) if may]
    if not pageable:
        return 0.0
    first = min(staged.producer[i] for i in pageable)
    lead_s = 0.0 if staged.stored else sum(staged.run_s[: first + 1])
    life = last_uses(staged)
    last = max(life[i] for i in pageable)
    rest_s = sum(staged.run_s[last:]) if last >= 0 else 0.0
    return max(0.0, limit_s * (1 + _ROUNDING) - (lead_s + rest_s))
