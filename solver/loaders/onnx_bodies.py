"""Bodies of If, Loop and Scan: found, written out once a round, and what they give handed on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from solver.loaders.onnx_effort import StepCount, element
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_nodes import Body, FileNode, Renaming
from solver.loaders.onnx_rules import randomness
from solver.loaders.onnx_rules.base import RuleError

Visit = Callable[[Inferred, FileNode], None]
"""Walks over one node and adds what it finds."""


def body_of(node: FileNode, key: str) -> Body:
    """The body that a node holds under `key`. Raises RuleError where there is none."""
    body = node.bodies.get(key)
    if body is None:
        raise RuleError(f"its {key} is missing")
    return body


def element_of(state: Inferred, name: str) -> int | None:
    """The only number in a tensor, where it is known (a flag as 0 or 1)."""
    return element(state.look, name)


def hand_on(names: Sequence[str], node: FileNode) -> Iterator[FileNode]:
    """Give tensors the names of the node's outputs."""
    for name, output in zip(names, node.outputs, strict=False):
        if output:
            yield FileNode(f"{node.name}: {output}", "Identity", (name,), (output,))


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """A body that is written out several times.

    Names below the node's are given the count of the round; what does not change from round to
    round (constants and what is made of constants alone) keeps its name and is made once.
    """

    node: FileNode
    body: Body
    fixed: frozenset[str]

    def renaming(self, round_: int) -> Renaming:
        """What the names in the body are called in one round."""
        prefix, changing = f"{self.node.name}/", self.body.local - self.fixed
        nodes = {inner.name for inner in self.body.nodes if not self.fixed & set(inner.outputs)}

        def rename(name: str) -> str:
            if name in changing or name in nodes:
                return f"{self.node.name}[{round_}]/{name.removeprefix(prefix)}"
            return name

        return rename

    def nodes(self, round_: int, rename: Renaming) -> Iterator[FileNode]:
        """The nodes of one round, those of the first with what is made only once."""
        for inner in self.body.nodes:
            if not self.fixed & set(inner.outputs):
                yield inner.renamed(rename)
            elif round_ == 1:
                yield inner


def repeated(state: Inferred, node: FileNode) -> Repeated:
    """The body of a Loop or Scan. Raises ModelError where writing it out takes too many steps."""
    body = body_of(node, "body")
    count = StepCount(state.look, state.choices)
    state.effort.afford(count.of_node(node), node.place)
    state.facts.update(body.stored)
    fixed: set[str] = set()

    def stays(name: str) -> bool:
        fact = state.look(name)
        return name in fixed or (fact is not None and fact.constant)

    for inner in body.nodes:
        if inner.op_type not in randomness.RULES and all(map(stays, inner.reads)):
            fixed.update(name for name in inner.outputs if name)
    return Repeated(node, body, frozenset(fixed))


def stacked(
    node: FileNode, scanned: Sequence[Sequence[str]], first: int, axes: Sequence[int] = ()
) -> Iterator[FileNode]:
    """What each round gives, joined along a new axis."""
    for k, (rows, output) in enumerate(zip(scanned, node.outputs[first:], strict=False)):
        if not output:
            continue
        if not rows:
            raise RuleError(f"it never runs, so nothing tells the shape of {output}")
        axis = axes[k] if axes else 0
        parts = [f"{output}[{i}]" for i in range(1, len(rows) + 1)]
        for row, part in zip(rows, parts, strict=True):
            # As a function of opset 11 would: the axes are an attribute there.
            yield FileNode(part, "Unsqueeze", (row,), (part,), {"axes": (axis,)}, opset=11)
        name = f"{node.name}: {output}"
        yield FileNode(name, "Concat", tuple(parts), (output,), {"axis": axis}, opset=11)
