"""Random legal schedules, to compare the parts of the engine that must agree on each."""

from random import Random

from solver.costs import CostedGraph
from solver.device import IoMode
from solver.graph import Phase
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule
from tests.helpers.builders import Line, graph_of, problem_of


class Writer:
    """A legal schedule in the making: knows what is in RAM, in storage, and what has run."""

    def __init__(self, problem: Problem, random: Random) -> None:
        self.graph = problem.costed.graph
        self.switches = problem.switches
        self.random = random
        self.actions: list[Action] = []
        self.resident: set[int] = set()
        self.stored = {i for i, t in enumerate(self.graph.tensors) if t.in_storage_at_start}
        self.ran: set[int] = set()

    def act(self, kind: ActionKind, target: int) -> None:
        self.actions.append(Action(kind, target))

    def run(self, op: int) -> None:
        for tensor in self.graph.op_inputs[op]:
            self.bring(tensor)
        self.act(ActionKind.RECOMPUTE if op in self.ran else ActionKind.COMPUTE, op)
        self.ran.add(op)
        self.resident.update(self.graph.op_outputs[op])

    def bring(self, tensor: int) -> None:
        """Make `tensor` resident by paging or by running its producer again."""
        if tensor in self.resident:
            return
        if self.may_page_in(tensor) and (not self.may_rerun(tensor) or self.random.random() < 0.5):
            self.act(ActionKind.PAGE_IN, tensor)
            self.resident.add(tensor)
        else:
            self.run(self.graph.producer[tensor])

    def may_rerun(self, tensor: int) -> bool:
        """Tell whether `tensor` could be had again by running ops, whatever else is dropped."""
        op = self.graph.ops[self.graph.producer[tensor]]
        return (
            self.switches.recompute
            and op.phase is Phase.FORWARD
            and op.recomputable
            and self.graph.producer[tensor] in self.ran
            and all(
                i in self.resident or self.recoverable(i)
                for i in self.graph.op_inputs[self.graph.producer[tensor]]
            )
        )

    def recoverable(self, tensor: int) -> bool:
        return self.may_page_in(tensor) or self.may_rerun(tensor)

    def may_page_in(self, tensor: int) -> bool:
        pageable = self.graph.tensors[tensor].pageable
        return self.switches.paging and pageable and tensor in self.stored

    def page_out_some(self) -> None:
        for tensor in sorted(self.resident):
            if self.graph.tensors[tensor].pageable and self.random.random() < 0.3:
                self.act(ActionKind.PAGE_OUT, tensor)
                self.stored.add(tensor)

    def free_some(self, op: int) -> None:
        """Free what is not needed after `op`, and sometimes what can be had again."""
        for tensor in sorted(self.resident):
            dead = not any(reader > op for reader in self.graph.readers[tensor])
            if self.random.random() < 0.5:
                self.resident.discard(tensor)
                others_safe = all(
                    self.recoverable(i)
                    for i in range(len(self.graph.tensors))
                    if self.graph.producer[i] in self.ran
                    and i not in self.resident
                    and (i != tensor or not dead)
                    and any(reader > op for reader in self.graph.readers[i])
                )
                if others_safe:
                    self.act(ActionKind.FREE, tensor)
                else:
                    self.resident.add(tensor)


def random_graph(random: Random, *, forward: int = 6) -> CostedGraph:
    """A graph of odd sizes: some ops fixed, some tensors not pageable, some inputs in storage."""
    lines: list[Line] = []
    for k in range(forward):
        earlier = [line.name for line in lines]
        count = min(len(earlier), random.randint(1, 2)) if random.random() < 0.9 else 0
        lines.append(
            Line(
                f"f{k}",
                "f",
                random.randint(1, 5000),
                float(random.randint(0, 10**6)),
                tuple(sorted(random.sample(earlier, count))),
                recomputable=random.random() < 0.8,
                pageable=random.random() < 0.8,
                workspace=random.choice([0, 0, random.randint(1, 3000)]),
                stored=count == 0 and random.random() < 0.5,
            )
        )
    names = [line.name for line in lines]
    for k in range(forward):
        inputs = {names[-1], random.choice(names)}
        name = f"b{k}"
        lines.append(
            Line(
                name,
                "b",
                random.randint(1, 5000),
                float(random.randint(0, 10**6)),
                tuple(sorted(inputs)),
            )
        )
        names.append(name)
    graph = graph_of(lines, fixed_bytes=random.choice([0, random.randint(1, 1000)]))
    return problem_of(graph, 1).costed


def random_legal_schedule(seed: int, *, io: IoMode | None = None) -> tuple[Schedule, Problem]:
    """A legal schedule of a random graph that pages, recomputes and frees at random.

    `io` None: blocking or ignored transfers. The RAM budget never binds.
    """
    random = Random(seed)
    io = io or random.choice([IoMode.BLOCKING, IoMode.IGNORED])
    costed = random_graph(random)
    problem = problem_of(
        costed, 10**9, paging=random.random() < 0.8, recompute=random.random() < 0.8, io=io
    )
    writer = Writer(problem, random)
    for op in range(len(costed.graph.ops)):
        writer.run(op)
        if problem.switches.paging:
            writer.page_out_some()
        writer.free_some(op)
    return Schedule(tuple(writer.actions)), problem
