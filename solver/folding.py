"""Exact folding: neighbouring ops become one where no schedule can use the seam between them.

The folded problem has the same least energy as the whole one, and each schedule of it expands to a
schedule of all ops that costs the same: solving it instead loses nothing.

Let op b follow op a, and no rerun at b's stage lead anywhere (it would have to make a tensor that
is still used there; see `staged.last_uses`). So both run once, reruns at a's stage stay before
both, and between them there is room for transfers and frees only. In bytes, w for workspaces:

X : outputs of a that b alone reads. E : its other outputs. Y : outputs of b.
D : inputs of a that neither b nor anything later reads. H : its other inputs that b does not read.
C : inputs of a that b reads too. V : what else b reads. R : what else is in RAM.

While a runs, RAM is R + D + H + C + X + E + w(a); while b runs, C + V + X + Y + w(b), and R, H, E
as far as they are there. One op that reads D, H, C, V, makes E, Y and has a workspace w stands for
both in these two cases:

* **b hides behind a.** V is empty and Y + w(b) <= D + w(a); w = X + w(a) - Y. All that b reads is
  in RAM right after a, and with D freed b needs no more than a did. What a schedule does between
  the two it can do after b: first what frees, then the page-ins, which end where they ended before
  b began. The one op needs what a needs, to the byte.
* **a hides behind b.** H is empty, b reads all of E, and D + w(a) <= Y + w(b);
  w = X + w(b) - D. What a schedule does between the two it can do before a, frees of D apart, which
  follow a at once: V then waits while a runs, where RAM is R + D + C + V + X + E + w(a), no more
  than b needs. The one op needs what b needs, to the byte.

In both, w must not be negative: else the one op would need more than either. The other way round,
a schedule of the one op becomes a, the frees of D, b. Under overlapped transfers what is moved
changes its time, so with a runtime limit nothing is folded there. Views need no folding: they are
resolved to what they show before there is a graph.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass

from solver.device import IoMode
from solver.graph import TrainingGraph
from solver.grouping import Grouped, Step, regroup
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule
from solver.staged import last_uses, stage


def fold(problem: Problem) -> Grouped:
    """`problem` with every pair of neighbours folded that the rules above allow, repeatedly.

    Where ops may run again it folds only behind the last stage that a rerun can serve; with
    recomputing switched off, everywhere.
    """
    graph = problem.costed.graph
    steps = [Step((k,), op.workspace_bytes) for k, op in enumerate(graph.ops)]
    limited = problem.budgets.runtime_s is not None
    if not (limited and problem.switches.io is IoMode.OVERLAPPED):
        steps = list(_folded(graph, steps, _last_rerun(problem)))
    return regroup(problem, tuple(steps))


def freed_early(schedule: Schedule, graph: TrainingGraph) -> Schedule:
    """The same actions with each tensor freed right after its last use, in the end at the latest.

    Never needs more RAM; for transfers that do not overlap it takes the same time.
    """
    later: set[int] = set()
    actions: list[Action] = []
    for action in reversed(schedule.actions):
        kind, target = action.kind, action.target
        if kind is ActionKind.FREE:
            later.discard(target)
            continue
        used = (*graph.op_inputs[target], *graph.op_outputs[target]) if kind.runs_op else (target,)
        dying = [i for i in dict.fromkeys(used) if i not in later]
        actions += [Action(ActionKind.FREE, i) for i in reversed(dying)]
        actions.append(action)
        later.update(used)
    actions.reverse()
    return Schedule(tuple(actions))


def _last_rerun(problem: Problem) -> int:
    """The last stage at which a rerun can be of use; -1 when none ever is."""
    staged = stage(problem)
    life = last_uses(staged)
    again = [life[i] for i in range(staged.tensors) if staged.may_rerun[staged.producer[i]]]
    return max(again, default=-1)


def _folded(graph: TrainingGraph, steps: list[Step], last_rerun: int) -> Iterator[Step]:
    top = steps[0] if steps else None
    for step in steps[1:]:
        assert top is not None
        one = None
        if step.ops[0] > last_rerun:
            one = _Seam(graph, top, step).folded()
        if one is None:
            yield top
        top = one or step
    if top is not None:
        yield top


@dataclass(frozen=True, slots=True)
class _Side:
    reads: frozenset[int]
    makes: frozenset[int]


class _Seam:
    """What stands between two neighbours: the letters of this module's docstring, in bytes."""

    def __init__(self, graph: TrainingGraph, first: Step, second: Step) -> None:
        self._graph, self._first, self._second = graph, first, second
        self._same_phase = graph.ops[first.ops[0]].phase is graph.ops[second.ops[0]].phase
        a, b = _side(graph, first), _side(graph, second)
        last, mine = first.ops[-1], {*first.ops, *second.ops}  # the first may read its own, too
        inner = {i for i in a.makes if graph.readers[i] and mine.issuperset(graph.readers[i])}
        apart = a.reads - b.reads
        dead = {i for i in apart if graph.readers[i][-1] <= last}
        self._outside_arrives = bool(b.reads - a.reads - a.makes)
        self._held = bool(apart - dead)
        self._stays = a.makes - inner <= b.reads
        self._x, self._d, self._y = self._bytes(inner), self._bytes(dead), self._bytes(b.makes)

    def _bytes(self, tensors: Set[int]) -> int:
        return sum(self._graph.tensors[i].bytes for i in tensors)

    def folded(self) -> Step | None:
        """Both as one step, None where that is not proven to be the same."""
        if not self._same_phase:
            return None
        wa, wb = self._first.workspace_bytes, self._second.workspace_bytes
        behind_a = not self._outside_arrives and self._y + wb <= self._d + wa
        behind_b = not self._held and self._stays and self._d + wa <= self._y + wb
        workspace = self._x + wa - self._y if behind_a else self._x + wb - self._d
        if not (behind_a or behind_b) or workspace < 0:
            return None
        return Step((*self._first.ops, *self._second.ops), workspace)


def _side(graph: TrainingGraph, step: Step) -> _Side:
    made = {i for k in step.ops for i in graph.op_outputs[k]}
    read = {i for k in step.ops for i in graph.op_inputs[k]} - made
    mine = set(step.ops)
    out = {i for i in made if not graph.readers[i] or not mine.issuperset(graph.readers[i])}
    return _Side(frozenset(read), frozenset(out))
