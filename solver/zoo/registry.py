"""The built-in networks: which exist, and who makes each under which accounting."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, cast

from solver.errors import Issue, UsageError
from solver.graph import Accounting, TrainingGraph
from solver.network import Network
from solver.plugins import named_object
from solver.suggest import near_or_all

_POET: Final[Mapping[str, str]] = MappingProxyType({
    "linear": "solver.zoo.poet_linear:linear",
    "vgg16": "solver.zoo.poet_vgg:vgg16",
    "vgg16_cifar": "solver.zoo.poet_vgg:vgg16_cifar",
    "resnet18": "solver.zoo.poet_resnet:resnet18",
    "resnet18_cifar": "solver.zoo.poet_resnet:resnet18_cifar",
    "resnet50": "solver.zoo.poet_resnet:resnet50",
    "bert": "solver.zoo.poet_bert:bert",
    "transformer": "solver.zoo.poet_bert:transformer",
})  # fmt: skip

_AUTODIFF: Final[Mapping[str, str]] = MappingProxyType({
    "vgg16": "solver.zoo.vgg:vgg16",
    "vgg16_cifar": "solver.zoo.vgg:vgg16_cifar",
    "resnet18": "solver.zoo.resnet:resnet18",
    "resnet18_cifar": "solver.zoo.resnet:resnet18_cifar",
    "resnet50": "solver.zoo.resnet:resnet50",
    "bert": "solver.zoo.encoder:bert",
    "transformer": "solver.zoo.encoder:transformer",
    "bert_128": "solver.zoo.encoder:bert_128",
    "mobilenet_v2": "solver.zoo.mobilenet:mobilenet_v2",
    "unet": "solver.zoo.unet:unet",
})  # fmt: skip

_NAMES: Final = tuple(dict.fromkeys((*_POET, *_AUTODIFF)))


def builtin_names() -> tuple[str, ...]:
    """Names of the built-in networks: those of the released code first, smallest family first."""
    return _NAMES


def accountings_of(name: str) -> tuple[Accounting, ...]:
    """Accountings that a built-in network can be had under, our own first; none for other names."""
    ways = ((Accounting.AUTODIFF, _AUTODIFF), (Accounting.POET, _POET))
    return tuple(accounting for accounting, networks in ways if name in networks)


def build_poet_graph(name: str) -> TrainingGraph:
    """Training graph of a built-in network as the released POET code counts it, batch 1.

    Raises
    ------
    UsageError
        No built-in network has that name (the nearest one is suggested), or the released code does
        not have that network.
    """
    _check_known(name)
    if name not in _POET:
        hint = f"leave it out, or use one of: {', '.join(_POET)}"
        raise UsageError(Issue(f"the released code does not have {name}", "--accounting", hint))
    return cast("TrainingGraph", _make(_POET[name])())


def build_network(name: str, batch: int) -> Network:
    """Layers of a built-in network as its paper defines it, to be differentiated.

    Parameters
    ----------
    batch
        Samples per step, at least 1.

    Raises
    ------
    UsageError
        An unknown name, a batch below 1, or a network that exists under accounting "poet" only.
    """
    _check_known(name)
    if name not in _AUTODIFF:
        hint = f"use --accounting poet, or one of: {', '.join(_AUTODIFF)}"
        raise UsageError(Issue(f"{name} exists under accounting poet only", "--accounting", hint))
    if batch < 1:
        raise UsageError(Issue(f"the batch is {batch}", "--batch", "a whole number from 1 on"))
    return cast("Network", _make(_AUTODIFF[name])(batch))


def _check_known(name: str) -> None:
    if name in _NAMES:
        return
    message = f"no built-in network is called {name!r}"
    raise UsageError(Issue(message, "MODEL", near_or_all(name, _NAMES)))


def _make(address: str) -> Callable[..., object]:
    return cast("Callable[..., object]", named_object(address))
