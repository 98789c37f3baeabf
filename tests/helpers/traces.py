"""Traces for the tests of the window: one worked out by hand, a big legal one, the odd ones."""

from collections.abc import Iterable, Iterator

from solver.device import IoMode
from solver.graph import Op, Phase, Tensor, TrainingGraph
from solver.problem import Problem
from solver.schedule import Action, ActionKind, Schedule
from solver.simulate import Trace, simulate
from tests.helpers.builders import Line, chain, graph_of, problem_of

_KINDS = {
    "c": ActionKind.COMPUTE,
    "r": ActionKind.RECOMPUTE,
    "o": ActionKind.PAGE_OUT,
    "i": ActionKind.PAGE_IN,
    "x": ActionKind.FREE,
}


def trace_of(problem: Problem, script: Iterable[tuple[str, str]]) -> Trace:
    """Simulate a script: c compute, r recompute, o page-out, i page-in, x free."""
    graph = problem.costed.graph
    actions = []
    for letter, name in script:
        kind = _KINDS[letter]
        index = graph.op_index if kind.runs_op else graph.tensor_index
        actions.append(Action(kind, index[name]))
    return simulate(Schedule(tuple(actions)), problem)


def words(text: str) -> list[tuple[str, str]]:
    """Script of one line: "c:f1 o:f1 x:f1"."""
    return [(part[0], part[2:]) for part in text.split()]


STORY = words(
    # action 0    1    2    3    4    5    6      7    8      9
    "c:f1 c:f2 o:f1 x:f1 c:f3 x:f2 c:loss c:b3 x:loss x:f3 "
    # 10  11   12   13   14   15   16   17   18
    "i:f1 r:f2 c:b2 x:b3 x:f2 c:b1 x:f1 x:b2 x:b1"
)
"""A chain of three, f1 paged and f2 recomputed; RAM per action (1000 B per tensor, loss 4):

1000 2000 2000 1000 2000 1000 1004 2004 2000 1000 | 2000 3000 4000 3000 2000 3000 2000 1000 0
steps, from 1: f1 1, f2 2, out 3, f3 4, loss 5, b3 6, in 7, f2 again 8, b2 9, b1 10.
"""


def story(
    *, ram_bytes: int = 4000, runtime_s: float | None = None, paging: bool = True,
    recompute: bool = True, fixed_bytes: int = 0
) -> Trace:  # fmt: skip
    """f1 is paged, f2 recomputed; a forward op takes 1 s and 1 J, a backward op 2 s and 2 J.

    A transfer takes 10 ms and 10 mJ (1000 B at 100 kB/s and 1 W).
    """
    graph = chain(3)
    if fixed_bytes:
        graph = TrainingGraph("test", graph.ops, graph.tensors, fixed_bytes=fixed_bytes)
    problem = problem_of(graph, ram_bytes, runtime_s=runtime_s, paging=paging, recompute=recompute)
    return trace_of(problem, STORY)


def empty_trace() -> Trace:
    """A graph without ops and a schedule without actions."""
    return trace_of(problem_of(graph_of([]), 1000), [])


def one_action_trace() -> Trace:
    """One op, one action."""
    return trace_of(problem_of(graph_of([Line("only", "f", 100, 1e6)]), 1000), [("c", "only")])


def all_zero_trace() -> Trace:
    """Ops of no FLOP that make tensors of no bytes: no time, no energy, no memory."""
    lines = [Line("a", "f", 0, 0.0), Line("b", "f", 0, 0.0, ("a",))]
    return trace_of(problem_of(graph_of(lines), 0), words("c:a c:b x:a"))


def many_outputs_trace() -> Trace:
    """`split` makes two tensors (300 B and 100 B), `update` none and needs 50 B of workspace."""
    ops = (
        Op("split", "test", Phase.FORWARD, (), ("left", "right"), 4e6),
        Op("join", "test", Phase.FORWARD, ("left", "right"), ("sum",), 1e6),
        Op("update", "weight_gradient", Phase.BACKWARD, ("sum",), (), 2e6, workspace_bytes=50),
    )
    tensors = (
        Tensor("left", 300, "split"),
        Tensor("right", 100, "split"),
        Tensor("sum", 10, "join"),
    )
    problem = problem_of(TrainingGraph("test", ops, tensors, fixed_bytes=7), 1000)
    return trace_of(problem, words("c:split c:join x:left x:right c:update x:sum"))


def big_trace(*, depth: int = 1000, stride: int = 100) -> Trace:
    """A legal schedule of a long chain: checkpoints are paged, all between recomputed every time.

    About depth * stride actions (100,000 by default), 2 * depth + 1 lanes.
    """
    problem = problem_of(chain(depth), 10**9)
    return trace_of(problem, _checkpointed(depth, stride))


def _checkpointed(depth: int, stride: int) -> Iterator[tuple[str, str]]:
    yield "c", "f1"
    for k in range(2, depth + 1):
        yield "c", f"f{k}"
        if (k - 2) % stride == 0:
            yield "o", f"f{k - 1}"
        yield "x", f"f{k - 1}"
    yield "c", "loss"
    yield "c", f"b{depth}"
    yield "x", "loss"
    yield "x", f"f{depth}"
    here = None
    for k in range(depth - 1, 0, -1):
        checkpoint = (k - 1) // stride * stride + 1
        if checkpoint != here:
            if here is not None:
                yield "x", f"f{here}"
            yield "i", f"f{checkpoint}"
            here = checkpoint
        for j in range(checkpoint + 1, k + 1):
            yield "r", f"f{j}"
            if j - 1 != checkpoint:
                yield "x", f"f{j - 1}"
        yield "c", f"b{k}"
        yield "x", f"b{k + 1}"
        if k != checkpoint:
            yield "x", f"f{k}"


def beside_trace() -> Trace:
    """Transfers that overlap: `a` is written while b runs and comes back beside c.

    1 MFLOP/s, 1e5 B/s: a 0..1 ms; b 1..4, 6 B of workspace; page-out of a 1..2; a freed at 4;
    c 4..6; page-in of a 4..5; g 6..8. RAM: 100, 146, 146, 40, 50, 150, 160 B.
    """
    lines = [
        Line("a", "f", 100, 1000),
        Line("b", "f", 40, 3000, ("a",), workspace=6),
        Line("c", "f", 10, 2000, ("b",)),
        Line("g", "b", 10, 2000, ("c", "a")),
    ]
    problem = problem_of(graph_of(lines), 200, io=IoMode.OVERLAPPED)
    return trace_of(problem, words("c:a c:b o:a x:a c:c i:a c:g"))
