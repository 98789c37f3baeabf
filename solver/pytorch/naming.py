"""Names of ops and tensors of a traced step: module, operator, and what an output is.

Forward ops are named by the module that calls them and their operator ("layer1.0.bn1.batch_norm");
the tensor that an op is for bears its name, further ones say what they are (".mean", ".mask").
Backward ops are named by what they make, as everywhere in this program: "conv1.weight_gradient" for
a parameter, "relu1.relu.input_gradient" for what the gradient of a forward op yields,
"add_gradient:relu1.relu" where the partial gradients of a tensor are summed.
"""

import operator as python_operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from solver.graph_writer import Names
from solver.pytorch.places import Place
from solver.pytorch.roles import meaning, packet

_OUTSIDE: Final = "loss"
"""What is called outside of the network."""
_NOWHERE: Final = Place(None)
_ANYWHERE: Final = Place("")
_AFFIXES: Final = re.compile(r"^_*(native_)?|(_legit)?(_functional)?(_forward)?(_with_indices)?$")


@dataclass(frozen=True, slots=True)
class CallNames:
    """The op of a call, and its outputs, in their order; None is an output that is no tensor."""

    op: str
    outputs: tuple[str | None, ...]


class Naming:
    """Gives every call of a joint graph its names; no name is given twice.

    parameters : node -> parameter name. gradients : what owns the bytes of a gradient -> the name
    of its parameter.
    """

    def __init__(
        self,
        names: Names,
        places: Mapping[str, Place],
        parameters: Mapping[str, str],
        gradients: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._names, self._places = names, places
        self._parameters, self._gradients = parameters, gradients
        self._ops: dict[str, str] = {}  # of the calls named so far, by node

    def forward(self, node: Any, outputs: Sequence[str | None]) -> CallNames:
        """Of a call in the forward pass; `outputs` are the values that it returns."""
        target = str(node.target)
        module = self._module(node)
        word = _AFFIXES.sub("", packet(target)) or packet(target)
        op = self._names.fresh(f"{module}.{word}" if module else word)
        self._ops[node.name] = op
        return CallNames(op, tuple(
            None if value is None
            else op if place == 0
            else self._names.fresh(f"{op}.{meaning(node.target, place)}")
            for place, value in enumerate(outputs)
        ))  # fmt: skip

    def backward(self, node: Any, outputs: Sequence[str | None]) -> CallNames:
        """Of a call in the backward pass."""
        wanted = [None if value is None else self._gradient(node, value) for value in outputs]
        made = tuple(None if name is None else self._names.fresh(name) for name in wanted)
        given = [name for name in made if name is not None]
        if len(given) == 1:
            return CallNames(given[0], made)
        of = self._ops.get(self._places.get(node.name, _NOWHERE).gradient_of)
        word = packet(str(node.target))
        return CallNames(self._names.fresh(f"{of}.gradient" if of else f"gradient_{word}"), made)

    def _gradient(self, node: Any, value: str) -> str:
        if value in self._gradients:
            return f"{self._gradients[value]}_gradient"
        place = self._places.get(node.name, _NOWHERE)
        if place.gradient_of in self._ops:
            return f"{self._ops[place.gradient_of]}.input_gradient"
        of = next(
            (self._ops[found.gradient_of] for reader in _readers(node)
             if (found := self._places.get(reader)) and found.gradient_of in self._ops),
            "",
        )  # fmt: skip
        word = packet(str(node.target))
        if word == "add" and of:
            return f"add_gradient:{of}"
        return f"{place.module}.gradient_{word}" if place.module else f"gradient_{word}"

    def _module(self, node: Any) -> str:
        """The module that calls; where the network itself does, the one whose weights are read."""
        place = self._places.get(node.name, _ANYWHERE)
        if place.module is None:
            return _OUTSIDE
        keys = (self._parameters.get(read.name, "") for read in _through_views(node))
        return place.module or next((key.rpartition(".")[0] for key in keys if key), "")


def _through_views(node: Any) -> Iterator[Any]:
    """The nodes that a node reads, each behind the views of it."""
    for read in node.all_input_nodes:
        while getattr(read.target, "is_view", False):
            read = read.all_input_nodes[0]  # noqa: PLW2901 - a walk to where the bytes are
        yield read


def _readers(node: Any) -> list[str]:
    """Nodes that read what a node makes, also through views, nearest first."""
    found, waiting = [], [node]
    while waiting:
        for user in waiting.pop(0).users:
            found.append(user.name)
            if user.target is python_operator.getitem or getattr(user.target, "is_view", False):
                waiting.append(user)
    return found
