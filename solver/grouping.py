"""A problem in larger steps: neighbouring ops of a block become one op, its insides one workspace.

Every schedule of the grouped problem expands to one of all ops, of the same energy and blocking
runtime, that never needs more RAM. The reverse does not hold: what a schedule could do between the
ops of a block is lost, so a bound of the grouped problem is none of the whole one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from solver.blocks import Blocks
from solver.costs import CostedGraph
from solver.graph import Op, Phase, TrainingGraph
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule

ROOM_SHARE: Final = 0.5
"""Of the RAM budget: what one group may need. Larger ones would force all else out of RAM."""


@dataclass(frozen=True, slots=True)
class Step:
    """Ops that run as one, in order, and the workspace that the one op has, bytes."""

    ops: tuple[int, ...]
    workspace_bytes: int


@dataclass(frozen=True, eq=False)
class Grouped:
    """A problem and the coarser one that stands for it.

    members : per op of `coarse`, the ops of `fine` that it runs, in order.
    kept : per tensor of `coarse`, the tensor of `fine` that it is.
    """

    fine: Problem
    coarse: Problem
    members: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...]

    def expand(self, schedule: Schedule) -> Schedule:
        """The schedule of all ops that a schedule of the coarse problem means."""
        graph = self.fine.costed.graph
        kept = set(self.kept)
        actions: list[Action] = []
        for action in schedule.actions:
            if action.kind.runs_op:
                group = self.members[action.target]
                actions += _runs(graph, group, kept, action.kind)
            else:
                actions.append(Action(action.kind, self.kept[action.target]))
        return Schedule(tuple(actions))


def group(problem: Problem, blocks: Blocks, *, room_share: float = ROOM_SHARE) -> Grouped:
    """Make one op of neighbours in the order that are of one block and of one phase.

    Backward ops are joined freely: each runs once anyway. Forward ops are joined only where all
    that one makes is read by the next one alone and both may run again, so that a rerun makes
    nothing that was not asked for. A group that would need more than `room_share` of the RAM
    budget is halved, down to single ops if need be, so the floor is that of `problem` or within
    the share.
    """
    graph = problem.costed.graph
    limit = int(problem.budgets.ram_bytes * room_share)
    members = (part for run in _neighbours(graph, blocks) for part in _fitting(problem, run, limit))
    return regroup(
        problem, tuple(Step(ops, _Inside(graph, ops).workspace_bytes) for ops in members)
    )


def regroup(problem: Problem, steps: tuple[Step, ...]) -> Grouped:
    """The problem whose ops are `steps`: neighbours in the order, every op in one of them."""
    graph = problem.costed.graph
    members = tuple(step.ops for step in steps)
    group_of = [0] * len(graph.ops)
    for position, ops in enumerate(members):
        for k in ops:
            group_of[k] = position
    kept = tuple(
        i
        for i, readers in enumerate(graph.readers)
        if not readers or any(group_of[k] != group_of[graph.producer[i]] for k in readers)
    )
    coarse = _coarse_graph(graph, steps, kept)
    costed = _coarse_costs(problem.costed, coarse, members, kept)
    return Grouped(problem, replace(problem, costed=costed), members, kept)


def _neighbours(graph: TrainingGraph, blocks: Blocks) -> Iterator[tuple[int, ...]]:
    run: list[int] = []
    for k in range(len(graph.ops)):
        if run and not (blocks.of_op[run[-1]] == blocks.of_op[k] and _joins(graph, run[-1], k)):
            yield tuple(run)
            run = []
        run.append(k)
    if run:
        yield tuple(run)


def _joins(graph: TrainingGraph, before: int, after: int) -> bool:
    """Whether two neighbours of one block may be one op."""
    first, second = graph.ops[before], graph.ops[after]
    if first.phase is not second.phase:
        return False
    if first.phase is Phase.BACKWARD:
        return True
    alone = all(graph.readers[i] == (after,) for i in graph.op_outputs[before])
    return alone and first.recomputable and second.recomputable


def _fitting(problem: Problem, ops: tuple[int, ...], limit: int) -> Iterator[tuple[int, ...]]:
    if len(ops) == 1 or _Inside(problem.costed.graph, ops).need_bytes <= limit:
        yield ops
        return
    half = len(ops) // 2
    yield from _fitting(problem, ops[:half], limit)
    yield from _fitting(problem, ops[half:], limit)


class _Inside:
    """The tensors of one group of ops: what goes in, what comes out, what lives and dies inside.

    reads, makes : tensors that come from outside, and that are read outside (or nowhere), in order.
    workspace_bytes : the most that dies inside and workspaces need beside all that comes out. A
    tensor that comes out may be in RAM from an earlier run already: it counts from the beginning.
    """

    def __init__(self, graph: TrainingGraph, ops: tuple[int, ...]) -> None:
        mine = set(ops)
        made = [i for k in ops for i in graph.op_outputs[k]]
        inner = {i for i in made if graph.readers[i] and mine.issuperset(graph.readers[i])}
        self.makes = tuple(i for i in made if i not in inner)
        known = set(made)
        self.reads = tuple(
            dict.fromkeys(i for k in ops for i in graph.op_inputs[k] if i not in known)
        )
        self._graph = graph
        self.workspace_bytes = self._most_inside(ops, inner)

    def _most_inside(self, ops: tuple[int, ...], inner: set[int]) -> int:
        graph = self._graph
        alive = most = 0
        for k in ops:
            alive += sum(graph.tensors[i].bytes for i in graph.op_outputs[k] if i in inner)
            most = max(most, alive + graph.ops[k].workspace_bytes)
            dying = [i for i in graph.op_inputs[k] if i in inner and graph.readers[i][-1] == k]
            alive -= sum(graph.tensors[i].bytes for i in dying)
        return most

    @property
    def need_bytes(self) -> int:
        """RAM that a run of the group needs, fixed bytes included."""
        graph = self._graph
        held = sum(graph.tensors[i].bytes for i in {*self.reads, *self.makes})
        return graph.fixed_bytes + held + self.workspace_bytes


def _runs(
    graph: TrainingGraph, ops: tuple[int, ...], kept: set[int], kind: ActionKind
) -> list[Action]:
    """The actions of one run of a group; what dies inside is freed at once."""
    actions = []
    for k in ops:
        actions.append(Action(kind, k))
        actions += [
            Action(ActionKind.FREE, i)
            for i in graph.op_inputs[k]
            if i not in kept and graph.readers[i][-1] == k
        ]
    return actions


def _coarse_graph(
    graph: TrainingGraph, steps: Sequence[Step], kept: tuple[int, ...]
) -> TrainingGraph:
    owner: dict[int, str] = {}
    ops = []
    for step in steps:
        inside = _Inside(graph, step.ops)
        op = _group_op(graph, step, inside)
        ops.append(op)
        owner.update(dict.fromkeys(inside.makes, op.name))
    tensors = tuple(replace(graph.tensors[i], producer=owner[i]) for i in kept)
    return replace(graph, ops=tuple(ops), tensors=tensors, warnings=())


def _group_op(graph: TrainingGraph, step: Step, inside: _Inside) -> Op:
    ops = step.ops
    first, last = graph.ops[ops[0]], graph.ops[ops[-1]]
    if first is last:
        return first
    return Op(
        f"{first.name} … {last.name}",
        "block",
        first.phase,
        tuple(graph.tensors[i].name for i in inside.reads),
        tuple(graph.tensors[i].name for i in inside.makes),
        sum(graph.ops[k].flop for k in ops),
        workspace_bytes=step.workspace_bytes,
        recomputable=all(graph.ops[k].recomputable for k in ops),
    )


def _coarse_costs(
    fine: CostedGraph,
    graph: TrainingGraph,
    members: Sequence[tuple[int, ...]],
    kept: tuple[int, ...],
) -> CostedGraph:
    starts = [ops[0] for ops in members]
    tensors = list(kept)
    arrays = (
        np.add.reduceat(fine.op_duration_s, starts),
        np.add.reduceat(fine.op_energy_j, starts),
        fine.page_in_s[tensors],
        fine.page_in_j[tensors],
        fine.page_out_s[tensors],
        fine.page_out_j[tensors],
    )
    for array in arrays:
        array.setflags(write=False)
    return CostedGraph(graph, fine.device, *arrays, tuple(fine.tensor_bytes[i] for i in kept))
