"""Where each call of a joint graph comes from: a module of the network, and an op of the forward.

AOTAutograd traces twice: a first graph keeps what was noted while the network ran, the joint graph
made from it does not. Both call the same operators in the same order, so the notes are carried
over; where they should not, the calls are named without their modules.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import torch
from torch import nn
from torch.fx import traceback as fx_traceback
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

_KEY: Final = "poet_module"
_BETWEEN: Final = frozenset({"detach", "alias"})
"""Autograd adds some of these when the first graph is traced again."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call comes from.

    module : path of the innermost module, "" for the network itself; None outside of it (the loss).
    gradient_of : node of the forward call whose gradient it works on; "" where that is not known.
    """

    module: str | None
    gradient_of: str = ""


@dataclass(slots=True)
class Notes:
    """What is noted while a network is traced; `places` is for the graph that comes out."""

    first: list[torch.fx.GraphModule] = field(default_factory=list)

    def places(self, joint: torch.fx.GraphModule) -> Mapping[str, Place]:
        """Node name -> place. Empty where the two graphs do not call the same."""
        ours = _calls(joint)
        for graph in reversed(self.first):
            theirs = _calls(graph)
            if [node.target for node in theirs] == [node.target for node in ours]:
                return MappingProxyType(_carried(theirs, ours))
        return MappingProxyType({})


@contextmanager
def noted(network: nn.Module) -> Iterator[Notes]:
    """Notes the module of every call that is traced meanwhile."""
    names = {module: name for name, module in network.named_modules()}
    notes, open_notes = Notes(), []

    def enter(module: nn.Module, _: Any) -> None:
        if module in names:
            note = fx_traceback.annotate({_KEY: names[module]})
            note.__enter__()
            open_notes.append(note)
        elif isinstance(module, torch.fx.GraphModule):
            notes.first.append(module)

    def leave(module: nn.Module, *_: Any) -> None:
        if module in names and open_notes:
            open_notes.pop().__exit__(None, None, None)

    hooks = (
        register_module_forward_pre_hook(enter),
        register_module_forward_hook(leave, always_call=True),
    )
    try:
        with fx_traceback.preserve_node_meta():
            yield notes
    finally:
        for hook in hooks:
            hook.remove()


def _calls(graph: torch.fx.GraphModule) -> list[Any]:
    return [
        node
        for node in graph.graph.nodes
        if isinstance(node.target, torch._ops.OpOverload)  # noqa: SLF001 - its only name
        and node.target.overloadpacket.__name__ not in _BETWEEN
    ]


def _carried(theirs: list[Any], ours: list[Any]) -> dict[str, Place]:
    """The places of our nodes, from what was noted for theirs."""
    first: dict[int, str] = {}
    last: dict[int, str] = {}
    found: dict[str, Place] = {}
    for noted_node, node in zip(theirs, ours, strict=True):
        meta = noted_node.meta
        number, module = meta.get("seq_nr", -1), meta.get("custom", {}).get(_KEY)
        # Autograd numbers the calls that it records, and their gradients with the same number; what
        # is computed in place has the next one.
        if meta.get("partitioner_tag") != "is_backward":
            if not node.target.is_view:
                first.setdefault(number, node.name)
                last[number] = node.name
            found[node.name] = Place(module)
        else:
            own = first.get(number) or last.get(number + 1) or ""
            own = "" if meta.get("is_gradient_acc") else own
            found[node.name] = Place(found[own].module if own else module, own)
    return found
