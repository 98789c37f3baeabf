"""A batch size written into constants: rewritten where that is certain, else refused."""

import math
from collections.abc import Mapping, Sequence
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
from solver.loaders.onnx_rules.layout import reshape, reshape_target

_SIZED: Final = frozenset({"Reshape", "Flatten", "Resize"})
"""Operators that may write the batch of their output as a constant."""

_CUTTING: Final = frozenset({"Slice", "Resize", "Upsample"})
_PICKING: Final = frozenset({"Gather", "GatherElements", "GatherND"})
_SPREADING: Final = frozenset({"Add", "Sub", "Mul", "Div", "Sum", "Where", "Min", "Max"})


class BatchError(RuleError):
    """A node that does not fit the wanted batch, told with what to do about it."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherBatch:
    """The same graph at the batch it was exported with; `facts` by tensor name where known.

    Comparing the two tells which sizes follow the batch: shape inference alone accepts a wrong one
    without a word.
    """

    facts: Mapping[str, Fact]
    own: int
    wanted: int

    def misfit(self, error: RuleError, outputs: Sequence[str]) -> RuleError:
        """`error` of the node that makes `outputs`, with what to do where it fits its own batch."""
        if isinstance(error, BatchError) or self.facts.keys().isdisjoint(outputs):
            return error
        return BatchError(
            f"{error}; at batch {self.own} it fits, so a size before it is fixed for that: export "
            f"with a dynamic batch, or keep batch {self.own}"
        )

    def rebatch(self, node: Node, names: tuple[str, ...]) -> Node | None:
        """A Reshape with the wanted batch for the exported one, None where nothing changes.

        In row-major order the batch stands behind as many elements in the output as in the input:
        a constant there that equals the exported batch is the batch. Raises BatchError where it is
        not certain what a constant means.
        """
        x, before = node.need(0), self.facts.get(names[0])
        if before is None or before.shape == x.shape:
            return None
        target = reshape_target(node)
        if self._derived(target, names):
            return None
        copies = 0 if not node.integer("allowzero", 0) else None
        if x.shape[:1] == before.shape[:1]:
            rewritten = self._inner(node, before, target, copies)
        else:
            rewritten = self._leading(target, copies)
        if rewritten is None:
            return None
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

    def _leading(self, target: tuple[int, ...], copies: int | None) -> tuple[int, ...] | None:
        """The target for a batch in front, which may be one dimension with what follows it."""
        if not target or target[0] in {copies, -1, self.wanted}:
            return None
        return (self._scaled_size(target, 0), *target[1:])

    def _scaled_size(self, target: tuple[int, ...], place: int) -> int:
        """The size at `place` for the wanted batch: the batch, or rows that the file made of it.

        At batch 1 rows of samples look like anything else. Raises BatchError.
        """
        size = target[place]
        if size != self.own and (self.own == 1 or size % self.own):
            raise BatchError(self._refusal(target))
        return size // self.own * self.wanted

    def _inner(
        self, node: Node, before: Fact, target: tuple[int, ...], copies: int | None
    ) -> tuple[int, ...] | None:
        """The target for a batch behind other dimensions.

        In row-major order as much stands before the batch in the output as in the input.
        """
        sizes = list(zip(node.need(0).shape, before.shape, strict=False))
        follows = [i for i, (now, then) in enumerate(sizes) if now != then]
        if all(i < len(target) and target[i] == copies for i in follows):
            return None
        exported = reshape(replace(node, inputs=(before, *node.inputs[1:]))).outputs[0].shape
        front, rows = math.prod(before.shape[: follows[0]]), before.shape[follows[0]]
        places = [
            i
            for i, size in enumerate(exported)
            if math.prod(exported[:i]) == front and rows and size % rows == 0
        ]
        alike = [i for i in places if exported[i] == rows]
        places = alike or places
        if len(follows) > 1 or len(places) != 1:
            raise BatchError(self._refusal(target))
        (place,) = places
        if target[place] == -1:
            return None
        return (*target[:place], self._scaled_size(target, place), *target[place + 1 :])

    def check(self, node: Node, names: tuple[str, ...], result: Inference, output: str) -> None:
        """Raise BatchError where a fixed size lost the batch or a constant of its own batch met."""
        before = self.facts.get(output)
        if before is None:
            return
        after = result.outputs[0]
        if node.op_type in _SIZED:
            source = self.facts.get(names[0])
            leads = source is not None and source.shape[:1] != node.need(0).shape[:1]
            same = before.shape[:1] == after.shape[:1]
            lost = leads and same and not self._behind(node.need(0), names[0], after, before)
        elif node.op_type in _CUTTING:
            lost = self._cut(node.need(0), names[0], after, before)
        elif node.op_type in _SPREADING:
            follows = any(
                self._follows(fact, name) for fact, name in zip(node.inputs, names, strict=True)
            )
            lost = follows and not self._scaled(after, before)
        elif node.op_type in _PICKING:
            lost = self._picked(node, names[0], result, before)
        else:
            return
        if lost:
            raise BatchError(
                f"its output {text_of(after.shape)} does not follow the batch from {self.own} to "
                f"{self.wanted}; export with a dynamic batch, or keep batch {self.own}"
            )

    def _behind(self, x: Fact, name: str, after: Fact, before: Fact) -> bool:
        """Whether rows of the input, steps of each sample, became steps and the batch behind."""
        pairs = zip(before.shape, after.shape, strict=False)  # a computed rank may differ
        changed = [i for i, (then, now) in enumerate(pairs) if then != now]
        if len(changed) != 1 or self.own == before.shape[0]:
            return False
        end = changed[0] + 1
        return (
            (before.shape[end - 1], after.shape[end - 1]) == (self.own, self.wanted)
            and math.prod(before.shape[:end]) == self.facts[name].shape[0]
            and math.prod(after.shape[:end]) == x.shape[0]
        )

    def _picked(self, node: Node, name: str, result: Inference, before: Fact) -> bool:
        """Whether constants pick samples of the exported batch: more samples are left out.

        One position alone (a number) is one row of any batch.
        """
        source, places = self.facts.get(name), node.need(1)
        if source is None or not places.constant or not places.rank:
            return False
        axis = node.integer("axis", 0) if node.op_type != "GatherND" else 0
        changed = source.rank == node.need(0).rank and (
            source.shape[axis] != node.need(0).shape[axis]
        )
        return changed and result.outputs[0].shape == before.shape

    def _cut(self, x: Fact, name: str, after: Fact, before: Fact) -> bool:
        """Whether a dimension that was whole at the exported batch, and follows it, is no more."""
        source = self.facts.get(name)
        if source is None or not x.rank == source.rank == after.rank == before.rank:
            return False
        sizes = zip(source.shape, before.shape, x.shape, after.shape, strict=True)
        return any(old == kept and old != now != out for old, kept, now, out in sizes)

    def _follows(self, fact: Fact | None, name: str) -> bool:
        before = self.facts.get(name)
        return fact is not None and before is not None and self._scaled(fact, before)

    def _scaled(self, after: Fact, before: Fact) -> bool:
        return after.elements * self.own == before.elements * self.wanted
