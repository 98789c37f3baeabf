"""Named blocks of a training graph: by scopes in its ops' names, else by cuts of its forward pass.

A block holds the forward ops of some layers and the backward ops that differentiate them. It is a
way to look at a graph, and to schedule it in larger steps (solver.grouping); it changes nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from solver.graph import Op, TrainingGraph

MOST_BLOCKS: Final = 150
"""More lanes than these are no summary."""
OPS_PER_BLOCK: Final = 5
"""Forward ops that a block has on average at least: else it is hardly larger than a layer."""
_PARTS: Final = frozenset({"mask", "stats", "apply"})
_GRADIENT: Final = re.compile(r"^(?P<layer>.+)\.\w+_gradient(\.\d+)?$")
_LOSS: Final = "loss"


class Division(StrEnum):
    """What the blocks come from."""

    NAMES = "names"
    CUTS = "cuts"


@dataclass(frozen=True)
class Blocks:
    """A division of a graph's ops.

    names : one per block, each once, in the order in which the blocks first run.
    of_op : per op of the graph, position in `names`.
    """

    names: tuple[str, ...]
    of_op: tuple[int, ...]
    division: Division

    def of_tensors(self, graph: TrainingGraph) -> tuple[int, ...]:
        """Per tensor of the graph, the block of the op that makes it."""
        return tuple(self.of_op[op] for op in graph.producer)

    @cached_property
    def useful(self) -> bool:
        """Whether there is anything to summarise: two blocks, one of them of several ops."""
        return 1 < len(self.names) < len(self.of_op)


def name_blocks(graph: TrainingGraph) -> Blocks:
    """The blocks of `graph`, the same for the same graph in any process.

    The scopes of names ("/encoder/layer.3/attention/MatMul", "layer1.0.conv1") are cut at the
    greatest depth that still leaves blocks of some size. Where names have no scopes, blocks end
    where a single tensor leads on through the forward pass.
    """
    forward = range(graph.first_backward)
    labels = _by_scope(graph, forward)
    division = Division.NAMES
    if labels is None:
        labels, division = _by_cuts(graph, forward), Division.CUTS
    labels = [*labels, *_backward_labels(graph, labels)]
    names = tuple(dict.fromkeys(labels))
    place = {name: k for k, name in enumerate(names)}
    return Blocks(names, tuple(place[label] for label in labels), division)


def _by_scope(graph: TrainingGraph, forward: Sequence[int]) -> list[str] | None:
    """A label per forward op, None when names do not tell."""
    scopes = [_scope(graph.ops[k]) for k in forward]
    most = max(2, min(MOST_BLOCKS, len(scopes) // OPS_PER_BLOCK))
    best = None
    for depth in range(1, max(map(len, scopes), default=0) + 1):
        found = {scope[:depth] for scope in scopes if scope}
        if len(found) > most:
            break
        if len(found) > 1:
            best = depth
    return None if best is None else _filled(graph, [scope[:best] for scope in scopes])


def _scope(op: Op) -> tuple[str, ...]:
    """The path in front of an op's own name; () for the loss, what reads nothing, and plain names.

    What reads nothing (inputs, labels, masks) belongs to whatever reads it.
    """
    if op.kind == _LOSS or not op.inputs:
        return ()
    mark = "/" if "/" in op.name else "."
    parts = [part for part in op.name.split(mark) if part]
    if mark == "/" and parts and op.kind in _PARTS:
        parts[-1] = parts[-1].rsplit(".", 1)[0]
    elif op.kind in _PARTS and parts and parts[-1] in _PARTS:
        parts.pop()
    return tuple(parts[:-1])


def _filled(graph: TrainingGraph, scopes: Sequence[tuple[str, ...]]) -> list[str]:
    """Labels from scopes: ops without one join what stands before them, sources what follows."""
    first = next(scope for scope in scopes if scope)
    labels: list[tuple[str, ...]] = []
    for k, scope in enumerate(scopes):
        if graph.ops[k].kind == _LOSS:
            labels.append((_LOSS,))
        else:
            labels.append(scope or (labels[-1] if labels else first))
    _join_sources(graph, labels)
    marks = ["/" if "/" in graph.ops[k].name else "." for k in range(len(scopes))]
    mark = max(sorted(set(marks)), key=marks.count)
    return [mark.join(label) for label in labels]


def _join_sources(graph: TrainingGraph, labels: list[tuple[str, ...]]) -> None:
    """Let ops that read nothing belong to the op right after them, which reads what they make."""
    for k in range(len(labels) - 2, -1, -1):
        if not graph.ops[k].inputs:
            labels[k] = labels[k + 1]


def _by_cuts(graph: TrainingGraph, forward: Sequence[int]) -> list[str]:
    """Labels of sections that end where one tensor alone leads on, each of several ops."""
    least = max(OPS_PER_BLOCK, -(-len(forward) // MOST_BLOCKS))
    crossing = _crossing(graph)
    labels: list[str] = []
    begin = 0
    for k in forward:
        last = k == len(forward) - 1
        wide = k + 1 - begin >= least and len(forward) - (k + 1) >= least
        if last or (wide and crossing[k] <= 1):
            labels += [_section_name(graph, begin, k)] * (k + 1 - begin)
            begin = k + 1
    return labels


def _crossing(graph: TrainingGraph) -> list[int]:
    """Per forward op, how many tensors made up to it are read by forward ops after it."""
    change = [0] * (len(graph.ops) + 1)
    for i, readers in enumerate(graph.readers):
        last = max((k for k in readers if k < graph.first_backward), default=graph.producer[i])
        change[graph.producer[i]] += 1
        change[last] -= 1
    found, now = [], 0
    for k in range(graph.first_backward):
        now += change[k]
        found.append(now)
    return found


def _section_name(graph: TrainingGraph, begin: int, end: int) -> str:
    if begin == end:
        return graph.ops[begin].name
    return f"{graph.ops[begin].name} … {graph.ops[end].name}"


def _backward_labels(graph: TrainingGraph, forward: Sequence[str]) -> list[str]:
    """A backward op belongs to the layer in its name, else to the last forward op that it reads.

    A sum of gradients, and what reads no activation, belongs to the op before it.
    """
    by_name = {op.name: label for op, label in zip(graph.ops, forward, strict=False)}
    labels: list[str] = []
    before = forward[-1] if forward else _LOSS
    for k in range(graph.first_backward, len(graph.ops)):
        op = graph.ops[k]
        before = _named(op.name, by_name) or _read(graph, k, forward) or before
        labels.append(before)
    return labels


def _named(name: str, by_name: Mapping[str, str]) -> str | None:
    match = _GRADIENT.match(name)
    if match is None:
        return None
    layer = match["layer"]
    candidates = (layer, *(f"{layer}.{part}" for part in ("apply", "stats")))
    return next((by_name[name] for name in candidates if name in by_name), None)


def _read(graph: TrainingGraph, k: int, forward: Sequence[str]) -> str | None:
    if graph.ops[k].kind == "add_gradient":
        return None
    made = [graph.producer[i] for i in graph.op_inputs[k]]
    latest = max((op for op in made if op < len(forward)), default=None)
    return None if latest is None else forward[latest]
