"""Loop written out: its body as often as it runs."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from solver.import_report import OpenSize
from solver.loaders.onnx_bodies import Visit, element_of, hand_on, repeated, stacked
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_nodes import FileNode, question
from solver.loaders.onnx_rules.base import Fact, RuleError, int64_array

_LOOP_INPUTS: Final = 2  # trip count and condition, before what is carried
_FLAG: Final = Fact((), "bool", np.array(True), constant=True)


def loop(state: Inferred, node: FileNode, visit: Visit) -> None:
    """Walk over the rounds of a Loop and what they give, or ask how many there are.

    Raises RuleError for a node that breaks the rules of Loop.
    """
    part = repeated(state, node)
    body, inputs = part.body, (*node.inputs, "", "")
    carried = [state.resolve(name) for name in node.inputs[_LOOP_INPUTS:]]
    if len(body.inputs) != _LOOP_INPUTS + len(carried) or len(body.outputs) < 1 + len(carried):
        raise RuleError("its body does not fit its inputs")
    if len(node.outputs) > len(body.outputs) - 1:
        raise RuleError(f"it has {len(node.outputs)} outputs, its body {len(body.outputs) - 1}")
    scanned: list[list[str]] = [[] for _ in body.outputs[1 + len(carried) :]]
    count = _Count(state, node, inputs[0])
    condition, done = inputs[1], 0
    while count.goes_on(done, condition):
        state.effort.spend(node.place)
        done += 1
        rename = part.renaming(done)
        iteration, going = map(rename, body.inputs[:_LOOP_INPUTS])
        state.facts[iteration] = Fact((), "int64", int64_array([done - 1]).reshape(()), True)
        state.facts[going] = _FLAG
        state.aliases |= dict(zip(map(rename, body.inputs[_LOOP_INPUTS:]), carried, strict=True))
        for inner in part.nodes(done, rename):
            visit(state, inner)
        outputs = [state.resolve(rename(name)) for name in body.outputs]
        condition, carried = outputs[0], outputs[1 : 1 + len(carried)]
        for rows, name in zip(scanned, outputs[1 + len(carried) :], strict=True):
            rows.append(name)
    if count.open:
        return
    for inner in (*hand_on(carried, node), *stacked(node, scanned, len(carried))):
        visit(state, inner)


@dataclass(eq=False)
class _Count:
    """How often a Loop runs: its count, its condition, or the user's answer.

    `open` is True once it turned out that only the user can tell.
    """

    state: Inferred
    node: FileNode
    limit_name: str
    open: bool = False

    def goes_on(self, done: int, condition: str) -> bool:
        """Whether there is another round after `done` of them. Asks the user where nobody knows."""
        state, name = self.state, question(self.node)
        if not all(state.is_known(state.resolve(item)) for item in (self.limit_name, condition)):
            self.open = True  # what it depends on has failed, and was told
            return False
        limit = element_of(state, self.limit_name) if self.limit_name else None
        flag = element_of(state, condition) if condition else 1
        if flag == 0 or (limit is not None and done >= limit):
            return False
        if flag is not None and (limit is not None or not self.limit_name):
            return True
        state.answered.add(name)
        if name not in state.choices:
            self.open = True
            state.asks.append(OpenSize(name, (f"{self.node.place}: how often its body runs",)))
            return False
        return done < state.choices[name]
