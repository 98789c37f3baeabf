"""FLOP of ATen calls, from their sizes alone.

Products are counted by PyTorch's own FLOP counter (2 per multiply-add). Everything else is taken
apart by PyTorch's own decompositions, and each primitive counts 1 per element: of its output, or of
its input where it reduces. Views and constants are free.
"""

from typing import Any

import torch
from torch._decomp import decomposition_table
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.flop_counter import flop_registry

_FREE = frozenset({"detach", "alias", "lift_fresh_copy", "empty", "empty_like", "scalar_tensor"})


class Work:
    """Counts calls; equal calls are counted once."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def flop(self, target: Any, args: Any, kwargs: Any, made: Any) -> int:
        """FLOP of `target` for fake arguments; `made` is what it returns for them."""
        key = f"{target} {[_described(leaf) for leaf in tree_leaves((args, kwargs))]}"
        if key not in self._known:
            self._known[key] = self._count(target, args, kwargs, made)
        return self._known[key]

    def _count(self, target: Any, args: Any, kwargs: Any, made: Any) -> int:
        packet = target.overloadpacket
        if packet in flop_registry:
            return int(flop_registry[packet](*args, **kwargs, out_val=made))
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        if not tensors:
            return 0
        table = {op: rule for op, rule in decomposition_table.items() if op is not packet}

        def call(*given: torch.Tensor) -> Any:
            remaining = iter(given)
            own = tree_map_only(torch.Tensor, lambda _: next(remaining), (args, kwargs))
            return target(*own[0], **own[1])

        with FakeTensorMode():  # the tensors of a traced graph are of many modes
            alike = [
                torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
                for tensor in tensors
            ]
            parts = make_fx(call, decomposition_table=table)(*alike)
        parts.graph.eliminate_dead_code()
        return sum(_elements(node) for node in parts.graph.nodes if node.op == "call_function")


def _elements(node: Any) -> int:
    target = node.target
    if not isinstance(target, torch._ops.OpOverload) or target.is_view:  # noqa: SLF001 - its only name
        return 0
    if target.overloadpacket.__name__ in _FREE:
        return 0
    made = [leaf for leaf in tree_leaves(node.meta["val"]) if isinstance(leaf, torch.Tensor)]
    sizes = [made[0].numel()] if made else [0]
    if torch.Tag.reduction in target.tags:
        sizes += [read.meta["val"].numel() for read in node.all_input_nodes]
    return int(max(sizes))


def _described(leaf: object) -> object:
    return (tuple(leaf.shape), leaf.dtype) if isinstance(leaf, torch.Tensor) else leaf
