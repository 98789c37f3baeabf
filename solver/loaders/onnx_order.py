"""One order for the nodes of a file: producers before readers, cycles and lost tensors named."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from solver.errors import Issue, ModelError
from solver.loaders.onnx_nodes import FileNode

_OUTSIDE: Final = -1
"""Stands for the position of what no node makes: inputs and stored tensors."""


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """Nodes with producers before readers, ties by place in the file.

    `sorted_already` : they stood so. `overwritten` : tensors that the file writes more than once;
    each write has a name of its own here. `outputs` : the graph's, under their names here.
    """

    nodes: tuple[FileNode, ...]
    outputs: tuple[str, ...]
    sorted_already: bool
    overwritten: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Needed:
    """Which of the sorted `nodes` lead where; `outputs`: the graph's, with their names there."""

    nodes: Sequence[FileNode]
    outputs: Mapping[str, str]

    def split(self, outputs: Iterable[str]) -> tuple[list[FileNode], list[FileNode]]:
        """The nodes that these outputs need, and the others."""
        wanted = {self.outputs[name] for name in outputs}
        needed, others = [], []
        for node in reversed(self.nodes):
            if wanted.isdisjoint(node.outputs):
                others.append(node)
            else:
                wanted.update(node.reads)
                needed.append(node)
        return needed[::-1], others[::-1]


def order_nodes(
    nodes: Sequence[FileNode], known: Iterable[str], outputs: Sequence[str], file: str
) -> Ordered:
    """Sort `nodes`. `known` are the tensors that nothing has to make.

    A tensor may be written again (in place, as old exporters did) where the file lists its nodes
    in the order in which they run: each reader then sees the last write before it. Raises
    ModelError for tensors that nothing makes, tensors made twice out of order, and cycles.
    """
    outside = set(known)
    twice = _written_again(nodes, outside)
    if twice and _runs_as_listed(nodes, outside):
        nodes, outputs = _one_name_per_write(nodes, outside, outputs)
    elif twice:
        _refuse_second_writes(nodes, outside, file)
    made = dict.fromkeys(outside, _OUTSIDE)
    made |= {name: k for k, node in enumerate(nodes) for name in node.outputs if name}
    _refuse_lost(nodes, made, outputs, file)
    needs = [{made[name] for name in node.reads} - {_OUTSIDE} for node in nodes]
    order = _order(needs)
    if len(order) < len(nodes):
        cycle = " -> ".join(nodes[k].name for k in _cycle(needs, set(order)))
        raise ModelError(Issue(f"the nodes {cycle} form a cycle", file))
    return Ordered(
        tuple(nodes[k] for k in order),
        tuple(outputs),
        sorted_already=order == list(range(len(nodes))),
        overwritten=twice,
    )


def body_in_order(nodes: Sequence[FileNode], where: str) -> list[FileNode]:
    """The nodes of a body, producers before readers, ties by place; `where` names the body.

    Raises ModelError for a cycle. What no node of the body makes comes from around it.
    """
    made = {name: k for k, node in enumerate(nodes) for name in node.outputs if name}
    needs = [{made[name] for name in node.reads if name in made} for node in nodes]
    order = _order(needs)
    if len(order) < len(nodes):
        cycle = " -> ".join(nodes[k].name for k in _cycle(needs, set(order)))
        raise ModelError(Issue(f"the nodes {cycle} form a cycle", where))
    return [nodes[k] for k in order]


def _written_again(nodes: Sequence[FileNode], outside: set[str]) -> tuple[str, ...]:
    seen, twice = set(outside), dict[str, None]()
    for node in nodes:
        for name in filter(None, node.outputs):
            if name in seen:
                twice[name] = None
            seen.add(name)
    return tuple(twice)


def _runs_as_listed(nodes: Sequence[FileNode], outside: set[str]) -> bool:
    """Whether each node reads only what stands before it, and writes no name twice itself."""
    seen = set(outside)
    for node in nodes:
        written = [name for name in node.outputs if name]
        if not seen.issuperset(node.reads) or len(set(written)) < len(written):
            return False
        seen.update(written)
    return True


def _one_name_per_write(
    nodes: Sequence[FileNode], outside: set[str], outputs: Sequence[str]
) -> tuple[list[FileNode], tuple[str, ...]]:
    """Give every later write of a tensor a new name, and its readers with it."""
    taken = outside | {name for node in nodes for name in node.outputs}
    written, now = set(outside), dict[str, str]()
    renamed = []
    for node in nodes:
        reading = node.renamed(lambda name: now.get(name, name))
        for name in filter(None, node.outputs):
            if name in written:
                now[name] = unique_name(name, taken)
            written.add(name)
        writing = tuple(now.get(name, name) for name in node.outputs)
        renamed.append(replace(reading, name=node.name, outputs=writing))
    return renamed, tuple(now.get(name, name) for name in outputs)


def unique_name(wanted: str, taken: set[str]) -> str:
    """`wanted`, or with the first number that is not in `taken`; the answer joins `taken`."""
    name, count = wanted, 1
    while name in taken:
        count += 1
        name = f"{wanted} {count}"
    taken.add(name)
    return name


def _refuse_second_writes(nodes: Sequence[FileNode], outside: set[str], file: str) -> None:
    made = dict.fromkeys(outside, "the graph's own inputs")
    issues = []
    for node in nodes:
        for name in filter(None, node.outputs):
            if name in made:
                message = f"tensor {name} is made twice, first by {made[name]}"
                issues.append(Issue(message, f"{file}: {node.place}"))
            else:
                made[name] = node.name
    raise ModelError(issues)


def _refuse_lost(
    nodes: Sequence[FileNode], made: dict[str, int], outputs: Sequence[str], file: str
) -> None:
    issues = [
        Issue(f"reads {name}, which nothing makes", f"{file}: {node.place}")
        for node in nodes
        for name in node.reads
        if name not in made
    ]
    issues += [
        Issue(f"output {name} is made by nothing", file) for name in outputs if name not in made
    ]
    if issues:
        raise ModelError(issues)


def _order(needs: Sequence[set[int]]) -> list[int]:
    """Positions in topological order, the least first among those that are ready."""
    readers: list[list[int]] = [[] for _ in needs]
    for k, sources in enumerate(needs):
        for source in sources:
            readers[source].append(k)
    waiting = [len(sources) for sources in needs]
    ready = [k for k, count in enumerate(waiting) if not count]
    order = []
    while ready:
        k = heapq.heappop(ready)
        order.append(k)
        for reader in readers[k]:
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    return order


def _cycle(needs: Sequence[set[int]], done: set[int]) -> list[int]:
    """One cycle among the nodes that never became ready, along the data, first node repeated."""
    k = min(set(range(len(needs))) - done)
    seen: dict[int, int] = {}
    path: list[int] = []
    while k not in seen:
        seen[k] = len(path)
        path.append(k)
        k = min(needs[k] - done)
    loop = path[seen[k] :][::-1]
    start = loop.index(min(loop))
    loop = loop[start:] + loop[:start]
    return [*loop, loop[0]]
