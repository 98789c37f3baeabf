"""Arguments of ATen calls <-> the JSON of a program."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import torch

from solver.errors import EngineError, Issue
from solver.torch_program import FILE_OPERATORS, Argument

_NAMED: Final[Mapping[str, type]] = MappingProxyType({
    "dtype": torch.dtype,
    "layout": torch.layout,
    "memory_format": torch.memory_format,
})  # fmt: skip


def encode(argument: object, name_of: Callable[[object], str | None]) -> Argument:
    """An argument of an FX node as JSON; `name_of` gives the value's name for what is a value.

    Raises EngineError for an argument that no program can hold (a sub-graph, a symbolic size).
    """
    name = name_of(argument)
    if name is not None:
        return {"value": name}
    if argument is None or isinstance(argument, bool | int | str):
        return argument
    if isinstance(argument, float):
        return argument if math.isfinite(argument) else {"float": repr(argument)}
    if isinstance(argument, list | tuple):
        return {"list": [encode(item, name_of) for item in argument]}
    if isinstance(argument, torch.device):
        return {"device": str(argument)}
    for key, kind in _NAMED.items():
        if isinstance(argument, kind):
            return {key: str(argument).removeprefix("torch.")}
    words = f"the traced step has an argument of kind {type(argument).__name__}"
    raise EngineError(Issue(words, "", "no plan holds such an argument"))


def decode(argument: Argument, values: Callable[[str], Any]) -> Any:
    """The argument itself; `values` gives a value by its name."""
    if not isinstance(argument, dict):
        return argument
    ((key, held),) = argument.items()
    match key:
        case "value":
            return values(held)
        case "list":
            return [decode(item, values) for item in held]
        case "float":
            return float(held)
        case "device":
            return torch.device(held)
        case _:
            return named(key, held)


def named(kind: str, name: str) -> Any:
    """The torch constant of that kind and name. Raises EngineError when there is none."""
    found = getattr(torch, name, None)
    if kind not in _NAMED or not isinstance(found, _NAMED[kind]):
        raise EngineError(Issue(f"this PyTorch has no {kind} {name!r}"))
    return found


def operator(target: str) -> Any:
    """The ATen operator "aten.relu.default". Raises EngineError when this PyTorch has none."""
    if not target.startswith("aten.") or target.rpartition(".")[0] in FILE_OPERATORS:
        words = f"{target} is no operator that a traced step may call"
        raise EngineError(Issue(words, "", "only those of ATen that touch no files"))
    found: Any = torch.ops
    for part in target.split("."):
        found = getattr(found, part, None)
        if found is None:
            break
    if not isinstance(found, torch._ops.OpOverload):  # noqa: SLF001 - its only name
        raise EngineError(Issue(f"this PyTorch ({torch.__version__}) has no operator {target}"))
    return found
