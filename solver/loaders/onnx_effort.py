"""How many steps nodes take at least once loops are written out: told before any of them is."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from solver.loaders.onnx_nodes import Body, FileNode, question
from solver.loaders.onnx_rules.base import Fact

Look = Callable[[str], Fact | None]
"""What is known of a tensor, by name."""

ENDLESS: Final = 10**30
"""Stands for the rounds of a loop that has neither a count nor a condition that ends it."""

_CONDITION: Final = 1
_STATES: Final = 2  # count and condition, before what a Loop carries


class StepCount:
    """Counts steps from below: what cannot be told yet counts as nothing.

    look : what is known of tensors. choices : the user's answers to questions of control flow.
    """

    def __init__(self, look: Look, choices: Mapping[str, int]) -> None:
        self._look = look
        self._choices = choices

    def of(self, nodes: Iterable[FileNode]) -> int:
        """Steps of all the nodes together."""
        return sum(map(self.of_node, nodes))

    def of_node(self, node: FileNode) -> int:
        """Steps of one node: 1, and those of its bodies as often as they run."""
        if node.op_type == "If" and node.bodies:
            return 1 + min(self._inside(body, body.nodes) for body in node.bodies.values())
        body = node.bodies.get("body")
        if body is None:
            return 1
        # A round is a step itself, and repeats no node that is the same in all of them.
        return 1 + self.rounds(node) * (1 + self._inside(body, _changing(body)))

    def rounds(self, node: FileNode) -> int:
        """How often the body of a Loop or Scan runs at least."""
        if node.op_type == "Scan":
            return self._slices(node)
        return self._turns(node) if node.op_type == "Loop" else 0

    def _inside(self, body: Body, nodes: Iterable[FileNode]) -> int:
        return StepCount(self._around(body), self._choices).of(nodes)

    def _around(self, body: Body) -> Look:
        """What is known inside of a body."""
        return lambda name: body.stored.get(name) or self._look(name)

    def _turns(self, node: FileNode) -> int:
        count, condition = (*node.inputs, "", "")[:_STATES]
        limit = element(self._look, count) if count else ENDLESS
        flag = element(self._look, condition) if condition else 1
        asked = self._choices.get(question(node), 0)
        if flag == 0:
            return 0
        ends = None if flag is None else self._end(node.bodies["body"])
        if ends is None:  # it depends on the data: the user says
            return min(asked, ENDLESS if limit is None else max(0, limit))
        return min(ends, asked if limit is None else max(0, limit))

    def _end(self, body: Body) -> int | None:
        """The round after which the condition ends a loop, None where that is not plain to see."""
        if len(body.inputs) < _STATES or not body.outputs:
            return None
        made = {name: node for node in body.nodes for name in node.outputs}
        name = body.outputs[0]
        while name in made and made[name].op_type == "Identity" and made[name].inputs:
            name = made.pop(name).inputs[0]
        look = self._around(body)
        if name == body.inputs[_CONDITION] or element(look, name):
            return ENDLESS
        node = made.get(name)
        if node is None or node.op_type != "Less" or node.inputs[:1] != body.inputs[:1]:
            return None
        last = element(look, node.inputs[-1])
        return None if last is None else max(0, last) + 1  # 0 < last, 1 < last, ... last < last

    def _slices(self, node: FileNode) -> int:
        count, axes = node.attributes.get("num_scan_inputs"), node.attributes.get("scan_input_axes")
        if not isinstance(count, int) or not 0 < count <= len(node.inputs):
            return 0
        fact = self._look(node.inputs[-count])
        axis = axes[0] if isinstance(axes, tuple) and axes else 0
        if fact is None or not isinstance(axis, int) or not -fact.rank <= axis < fact.rank:
            return 0
        return fact.shape[axis]


def element(look: Look, name: str) -> int | None:
    """The one number of a constant of one element, None where it is not known."""
    fact = look(name)
    if fact is None or not fact.constant or fact.array is None or fact.elements != 1:
        return None
    return int(fact.array.ravel()[0])


def _changing(body: Body) -> Iterator[FileNode]:
    """The nodes that depend on what changes from round to round, as far as they are in order."""
    local = set(body.inputs)
    for node in body.nodes:
        if not local.isdisjoint(node.reads):
            local.update(node.outputs)
            yield node
