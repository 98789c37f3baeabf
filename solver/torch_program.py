"""What replaying a traced PyTorch step needs: every call of the joint graph, in order.

A program stands beside the training graph made from it. Each call that makes storage is one op of
that graph, of the same name; each storage made is one tensor of it. Calls that make views cost
nothing and are done where their value is wanted. Nothing here imports PyTorch.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

Argument: TypeAlias = Any
"""An argument as JSON: null, true, numbers and texts are themselves, and objects of one key stand
for the rest: {"value": NAME}, {"list": [...]}, {"dtype": "float32"}, {"device": "cpu"},
{"layout": "strided"}, {"memory_format": "preserve_format"}, {"float": "inf"}."""

FILE_OPERATORS: Final = frozenset({"aten.save", "aten.from_file"})
"""Operators of ATen that open files: no traced step has them, and none from a file is called."""

Count = Annotated[int, msgspec.Meta(ge=0)]


class Call(Struct, frozen=True):
    """One call of an ATen operator.

    name : unique among the calls. target : "aten.convolution.default". outputs : the value of each
    tensor returned, null where nobody reads it. view : whether it only looks at another storage.
    random : whether it draws random numbers, so that a second run would be another call.
    """

    name: str
    target: str
    args: list[Argument]
    kwargs: dict[str, Argument]
    outputs: list[str | None]
    view: bool
    random: bool

    def reads(self) -> Iterator[str]:
        """Names of the values among the arguments, in order, repeated ones again."""
        yield from _values(self.args)
        yield from _values(list(self.kwargs.values()))


class InputValue(Struct, frozen=True):
    """A value that a batch brings: its name, the op of the graph, shape, and a torch dtype name.

    below : whole numbers are drawn from 0 .. below - 1; 0 where the factory brings the tensor.
    """

    value: str
    op: str
    shape: list[Count]
    dtype: str
    below: Count


class Constant(Struct, frozen=True):
    """A small tensor that the program was written with; `data` row-major."""

    value: str
    shape: list[Count]
    dtype: str
    data: list[Argument]


class Source(Struct, frozen=True):
    """Where parameters, buffers and the batch come from.

    kind "factory": `file` is the user's module, `factory` the function that makes the network.
    kind "pt2": `file` is an exported program. sha256 : of the file as traced. loss : a loss of
    ours, or "own" where the network returns its loss. seed : of parameters and batch.
    """

    kind: Literal["factory", "pt2"]
    file: str
    sha256: str
    factory: str | None
    loss: str
    seed: int


class Program(Struct, frozen=True, dict=True):
    """The joint forward-backward graph of one training step.

    parameters, buffers : value -> name in the network's state. storage : value -> tensor of the
    training graph (or the value of a parameter, buffer or constant) whose storage it looks at.
    gradients : parameter name -> value. updates : buffer name -> value that becomes the buffer
    after the step. torch : the version that traced it.
    """

    version: Literal[1]
    torch: str
    source: Source
    inputs: list[InputValue]
    parameters: dict[str, str]
    buffers: dict[str, str]
    constants: list[Constant]
    calls: list[Call]
    storage: dict[str, str]
    loss: str
    gradients: dict[str, str]
    updates: dict[str, str]

    @cached_property
    def maker(self) -> Mapping[str, Call]:
        """Value -> the call that returns it."""
        return {name: call for call in self.calls for name in call.outputs if name is not None}

    @cached_property
    def by_name(self) -> Mapping[str, Call]:
        """Op name -> call, views left out."""
        return {call.name: call for call in self.calls if not call.view}

    def views_for(self, call: Call) -> list[Call]:
        """The view calls that must be done, in order, before `call` finds its arguments."""
        found: dict[str, Call] = {}
        stack = list(call.reads())
        while stack:
            view = self.maker.get(stack.pop())
            if view is not None and view.view and view.name not in found:
                found[view.name] = view
                stack.extend(view.reads())
        return sorted(found.values(), key=lambda view: self._place[view.name])

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {call.name: place for place, call in enumerate(self.calls)}


def _values(arguments: list[Argument]) -> Iterator[str]:
    for argument in arguments:
        if isinstance(argument, dict):
            if "value" in argument:
                yield argument["value"]
            elif "list" in argument:
                yield from _values(argument["list"])
