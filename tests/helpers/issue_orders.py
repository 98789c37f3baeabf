"""Every issue order of a schedule's actions that can matter: brute force for small schedules.

The order of the runs stays. A free that is listed earlier than something needs its room can only
make other actions wait, so frees are listed directly before an action, in every combination.
"""

from collections.abc import Iterator
from itertools import combinations

from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import simulate


def fastest_s(schedule: Schedule, problem: Problem) -> float:
    """The least runtime of all issue orders that keep the RAM budget."""
    return min(simulate(order, problem).runtime_s for order in issue_orders(schedule, problem))


def issue_orders(schedule: Schedule, problem: Problem) -> Iterator[Schedule]:
    """All of them; grows beyond reason from about six transfers on."""
    yield from _Orders(schedule, problem).complete(0, (), frozenset(), ())


class _Orders:
    """Positions in the given list stand for actions; `must` says which come before each."""

    def __init__(self, schedule: Schedule, problem: Problem) -> None:
        self.actions, self.problem = schedule.actions, problem
        self.graph = problem.costed.graph
        self.runs = [k for k, a in enumerate(self.actions) if a.kind.runs_op]
        frees = [k for k, a in enumerate(self.actions) if a.kind is ActionKind.FREE]
        self.must = [self._before(k) for k in range(len(self.actions))]
        self.frees = frozenset(frees)

    def _touches(self, action: Action) -> frozenset[int]:
        if not action.kind.runs_op:
            return frozenset([action.target])
        op = action.target
        return frozenset((*self.graph.op_inputs[op], *self.graph.op_outputs[op]))

    def _before(self, k: int) -> frozenset[int]:
        """Actions on the same tensor keep their order, but for reads and page-outs among them."""
        found = set()
        for j in range(k):
            shared = self._touches(self.actions[j]) & self._touches(self.actions[k])
            if any(self._changes(j, i) or self._changes(k, i) for i in shared):
                found.add(j)
            if self._written_then_read(j, k):
                found.add(j)
        return frozenset(found)

    def _changes(self, k: int, tensor: int) -> bool:
        """Whether the tensor comes into RAM, or leaves it, or is replaced by action k."""
        action = self.actions[k]
        if action.kind.runs_op:
            return tensor in self.graph.op_outputs[action.target]
        return action.kind is not ActionKind.PAGE_OUT

    def _written_then_read(self, j: int, k: int) -> bool:
        first, second = self.actions[j], self.actions[k]
        return (
            first.kind is ActionKind.PAGE_OUT
            and second.kind is ActionKind.PAGE_IN
            and first.target == second.target
        )

    def complete(
        self, run: int, listed: tuple[int, ...], done: frozenset[int], resident: tuple[int, ...]
    ) -> Iterator[Schedule]:
        """Every way to go on from a list."""
        if len(done | self.frees) == len(self.actions):
            rest = tuple(sorted(self.frees - done))
            yield Schedule(tuple(self.actions[k] for k in (*listed, *rest)))
            return
        here = set(resident)
        ready = [k for k in range(len(self.actions)) if k not in done and k not in self.frees]
        for k in ready:
            if self.actions[k].kind.runs_op and k != self.runs[run]:
                continue
            dead = [f for f in self.frees - done if self.must[f] <= done]
            for count in range(len(dead) + 1):
                for chosen in combinations(sorted(dead), count):
                    freed = done.union(chosen)
                    left = here - {self.actions[f].target for f in chosen}
                    after = left | self._made(k)
                    if not self.must[k] <= freed or not self._fits(k, after):
                        continue
                    next_run = run + self.actions[k].kind.runs_op
                    yield from self.complete(
                        next_run, (*listed, *chosen, k), freed | {k}, tuple(sorted(after))
                    )

    def _made(self, k: int) -> set[int]:
        action = self.actions[k]
        if action.kind.runs_op:
            return set(self.graph.op_outputs[action.target])
        return {action.target} if action.kind is ActionKind.PAGE_IN else set()

    def _fits(self, k: int, after: set[int]) -> bool:
        action = self.actions[k]
        used = self.graph.fixed_bytes + sum(self.graph.tensors[i].bytes for i in after)
        if action.kind.runs_op:
            used += self.graph.ops[action.target].workspace_bytes
        return used <= self.problem.budgets.ram_bytes
