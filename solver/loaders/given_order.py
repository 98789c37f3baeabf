"""Whether the ops of a graph file can run in the order of the file: names, order, cycles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from solver.errors import Issue
from solver.suggest import near


@dataclass(frozen=True, slots=True)
class GivenOp:
    """An op or view as the file lists it; `where` names its place ("graph.json: node conv").

    `inputs` and `outputs` are tensor names; a view reads its base and makes its own name.
    """

    name: str
    where: str
    backward: bool
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


def order_issues(ops: Sequence[GivenOp]) -> list[Issue]:
    """Every reason why `ops` cannot run one after the other, in the order of the ops."""
    makers: dict[str, int] = {}
    for position, op in enumerate(ops):
        for tensor in op.outputs:
            makers.setdefault(tensor, position)
    issues: list[Issue] = []
    names: set[str] = set()
    made: set[str] = set()
    backward_op: GivenOp | None = None
    late = False
    for position, op in enumerate(ops):
        if op.name in names:
            issues.append(Issue(f"{op.name} is defined twice", op.where, "names must be unique"))
        if backward_op is not None and not op.backward:
            words = f"a forward op stands behind the backward op {backward_op.name}"
            issues.append(Issue(words, op.where, "list all forward ops first"))
        backward_op = op if op.backward and backward_op is None else backward_op
        for tensor in op.inputs:
            issue = None if tensor in made else _unmade(tensor, op, position, makers, ops)
            late |= issue is not None and tensor in makers
            issues += [issue] if issue else []
        issues += _made_twice(op, made, names)
        names.add(op.name)
        made.update(op.outputs)
    return [*issues, *(_cycles(ops, makers) if late else ())]


def _unmade(
    tensor: str,
    op: GivenOp,
    position: int,
    makers: Mapping[str, int],
    ops: Sequence[GivenOp],
) -> Issue:
    if tensor not in makers:
        return Issue(f"reads {tensor}, which no op makes", op.where, near(tensor, makers))
    maker = makers[tensor]
    if maker == position:
        return Issue(f"reads {tensor}, which it makes itself", op.where)
    words = f"reads {tensor} before {ops[maker].name} makes it"
    return Issue(words, op.where, "list the ops in the order in which they run")


def _made_twice(op: GivenOp, made: set[str], names: set[str]) -> Iterator[Issue]:
    own: set[str] = set()
    for tensor in op.outputs:
        # A node that stands twice under one name makes its tensor twice: that is said once.
        if tensor in own or (tensor in made and not (tensor == op.name and op.name in names)):
            yield Issue(f"{tensor} is made twice", op.where, "names must be unique")
        own.add(tensor)


def _cycles(ops: Sequence[GivenOp], makers: Mapping[str, int]) -> Iterator[Issue]:
    import networkx as nx  # noqa: PLC0415  # only a broken file needs it

    edges = nx.DiGraph()
    edges.add_edges_from(
        (makers[tensor], position)
        for position, op in enumerate(ops)
        for tensor in op.inputs
        if makers.get(tensor, position) != position
    )
    for group in sorted(map(sorted, nx.strongly_connected_components(edges))):
        if len(group) > 1:
            steps = nx.find_cycle(edges.subgraph(group), group[0])
            words = " -> ".join(ops[step[0]].name for step in [*steps, steps[0]])
            yield Issue(f"the ops depend on each other in a circle: {words}", ops[group[0]].where)
