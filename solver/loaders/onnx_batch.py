"""A batch size written into constants: rewritten where that is certain, else refused."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    RuleError,
    int64_array,
    text_of,
)
from solver.loaders.onnx_rules.layout import reshape_target

_SIZED: Final = frozenset({"Reshape", "Flatten", "Resize"})
"""Operators that may write the batch of their output as a constant."""

_SPREADING: Final = frozenset({"Add", "Sub", "Mul", "Div", "Sum", "Where", "Min", "Max"})


@dataclass(frozen=True, slots=True, eq=False)
class OtherBatch:
    """The same graph at the batch it was exported with; `facts` by tensor name where known.

    Comparing the two tells which sizes follow the batch: shape inference alone accepts a wrong one
    without a word.
    """

    facts: Mapping[str, Fact]
    own: int
    wanted: int

    def rebatch(self, node: Node, names: tuple[str, ...]) -> Node | None:
        """A Reshape with the wanted batch for the exported one, None where nothing changes.

        In row-major order the batch, when it leads the input, leads the output: a leading constant
        equal to the exported batch is the batch. Raises RuleError where a constant stands in the
        way and it is not certain what it means.
        """
        x, before = node.need(0), self.facts.get(names[0])
        if before is None or before.shape == x.shape:
            return None
        target = reshape_target(node)
        if self._derived(target, names):
            return None
        copies = 0 if not node.integer("allowzero", 0) else None
        if x.shape[:1] == before.shape[:1]:
            self._check_inner(x, before, target, copies)
            return None
        if not target or target[0] in {copies, -1, self.wanted}:
            return None
        if target[0] != self.own:
            raise RuleError(self._refusal(target))
        rewritten = (self.wanted, *target[1:])
        if len(names) < 2:  # noqa: PLR2004 - the shape is an attribute there, not an input
            return replace(node, attributes={**node.attributes, "shape": rewritten})
        fact = Fact((len(rewritten),), "int64", int64_array(rewritten), constant=True)
        return replace(node, inputs=(x, fact))

    def _refusal(self, target: tuple[int, ...]) -> str:
        return (
            f"its shape {target} is fixed for batch {self.own} and does not say what becomes of "
            f"it at batch {self.wanted}; export with a dynamic batch, or keep batch {self.own}"
        )

    def _derived(self, target: tuple[int, ...], names: tuple[str, ...]) -> bool:
        """True where the target was computed from the input's size and so follows the batch."""
        before = self.facts.get(names[1]) if len(names) > 1 else None
        return (
            before is not None
            and before.array is not None
            and tuple(int(item) for item in before.array.ravel()) != target
        )

    def _check_inner(
        self, x: Fact, before: Fact, target: tuple[int, ...], copies: int | None
    ) -> None:
        """The batch is not in front: -1 may take it in, unless a constant may be it as well."""
        follows = [i for i, (a, b) in enumerate(zip(x.shape, before.shape, strict=False)) if a != b]
        copied = all(i < len(target) and target[i] == copies for i in follows)
        if not copied and -1 in target and self.own in target:
            raise RuleError(self._refusal(target))

    def check(self, node: Node, names: tuple[str, ...], result: Inference, output: str) -> None:
        """Raise RuleError where a fixed size lost the batch or a constant of its own batch met."""
        before = self.facts.get(output)
        if before is None:
            return
        after = result.outputs[0]
        if node.op_type in _SIZED:
            source = self.facts.get(names[0])
            leads = source is not None and source.shape[:1] != node.need(0).shape[:1]
            lost = leads and before.shape[:1] == after.shape[:1]
        elif node.op_type in _SPREADING:
            follows = any(
                self._follows(fact, name) for fact, name in zip(node.inputs, names, strict=True)
            )
            lost = follows and not self._scaled(after, before)
        else:
            return
        if lost:
            raise RuleError(
                f"its output {text_of(after.shape)} does not follow the batch from {self.own} to "
                f"{self.wanted}; export with a dynamic batch, or keep batch {self.own}"
            )

    def _follows(self, fact: Fact | None, name: str) -> bool:
        before = self.facts.get(name)
        return fact is not None and before is not None and self._scaled(fact, before)

    def _scaled(self, after: Fact, before: Fact) -> bool:
        return after.elements * self.own == before.elements * self.wanted
