"""The joint forward-backward graph of a network and a loss, from PyTorch's own autograd.

AOTAutograd traces one training step on fake tensors: no data is computed. In-place operators are
made functional by it, nothing is decomposed. oneDNN's fused recurrent layer is turned off: it is
one call that hides what it keeps.
"""

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final

import torch
from torch import nn
from torch._functorch.aot_autograd import aot_export_module
from torch._higher_order_ops import effects
from torch._subclasses.fake_tensor import FakeTensorMode

from solver.errors import EngineError, Issue
from solver.pytorch.places import Place, noted

OWN_LOSS: Final = "own"
LOSSES: Final = ("softmax-ce", "mse", "sum")
_CHECK: Final = "aten::_linalg_check_errors"
_IMAGE_RANK: Final = 4
_SEQUENCE_RANK: Final = 3


@dataclass(frozen=True, slots=True)
class Joint:
    """FX graph, AOTAutograd's signature of it, and how many of the batch's tensors are labels.

    places : node name -> where it comes from; empty where that is not known.
    """

    graph: torch.fx.GraphModule
    signature: Any
    labels: int
    places: Mapping[str, Place]


class _WithLoss(nn.Module):  # type: ignore[misc]  # torch has no types here
    """The network and its loss as one module; the last of `batch` are the labels.

    A tensor that the network has under several names (tied weights) is one parameter here, as it is
    for an optimiser: autograd adds up what its readers say, and there is one gradient.
    """

    def __init__(self, network: nn.Module, loss: str) -> None:
        super().__init__()
        self.network = network
        self.loss = loss
        self._tied = _tied(network)

    def named_parameters(self, *args: Any, **_: Any) -> Iterator[tuple[str, nn.Parameter]]:
        yield from super().named_parameters(*args, remove_duplicate=True)

    def named_buffers(self, *args: Any, **_: Any) -> Iterator[tuple[str, torch.Tensor]]:
        yield from super().named_buffers(*args, remove_duplicate=True)

    def forward(self, *batch: torch.Tensor) -> tuple[torch.Tensor]:
        labels = batch[-1] if self.loss in {"softmax-ce", "mse"} else None
        given = batch if labels is None else batch[:-1]
        before = [other[name] for other, name, _, _ in self._tied]
        for other, name, first, key in self._tied:
            other[name] = first[key]
        try:
            return (loss_of(self.loss, scores_of(self.network(*given)), labels),)
        finally:
            for (other, name, _, _), tensor in zip(self._tied, before, strict=True):
                other[name] = tensor


_Tensors = dict[str, torch.Tensor | None]
"""Parameters or buffers of one module by their own names."""


def _tied(network: nn.Module) -> list[tuple[_Tensors, str, _Tensors, str]]:
    """Where a tensor stands again (the module's own, its name), and where it stood first."""
    first: dict[int, tuple[_Tensors, str]] = {}
    found = []
    for module in network.modules():
        for held in (module._parameters, module._buffers):  # noqa: SLF001 - no other way to set one
            for name, tensor in held.items():
                if tensor is not None and id(tensor) in first:
                    found.append((held, name, *first[id(tensor)]))
                elif tensor is not None:
                    first[id(tensor)] = held, name
    return found


def scores_of(answer: object) -> torch.Tensor:
    """The first float tensor that a network returns. Raises EngineError when there is none."""
    if is_dataclass(answer):
        answer = [getattr(answer, each.name) for each in fields(answer)]
    found = [
        leaf
        for leaf in torch.utils._pytree.tree_leaves(answer)  # noqa: SLF001 - its only name
        if isinstance(leaf, torch.Tensor) and leaf.dtype.is_floating_point
    ]
    if not found:
        raise EngineError(Issue("the network returns no float tensor to take a loss of"))
    return found[0]


def loss_of(loss: str, scores: torch.Tensor, labels: torch.Tensor | None) -> torch.Tensor:
    """The loss named `loss` of scores; labels are class numbers for softmax-ce."""
    match loss:
        case "softmax-ce":
            ordered = scores.movedim(-1, 1) if scores.dim() == _SEQUENCE_RANK else scores
            return nn.functional.cross_entropy(ordered, labels)
        case "mse":
            return nn.functional.mse_loss(scores, labels)
        case "sum":
            return scores.sum()
        case _:
            return scores


def labels_for(loss: str, scores: torch.Tensor) -> torch.Tensor | None:
    """Labels of the right shape for scores, all zero; None where the loss needs none."""
    if loss == "mse":
        return torch.zeros(tuple(scores.shape), dtype=scores.dtype)
    if loss != "softmax-ce":
        return None
    shape = tuple(scores.shape)
    if len(shape) < 2:  # noqa: PLR2004 - a batch and its classes
        words = f"the scores have the shape {shape}"
        raise EngineError(
            Issue(words, "--loss", "softmax-ce needs classes in a dimension: mse, sum")
        )
    classes_last = len(shape) == _SEQUENCE_RANK
    return torch.zeros(shape[:-1] if classes_last else (shape[0], *shape[2:]), dtype=torch.int64)


def _refuse_lost_dropout(network: nn.Module) -> None:
    """PyTorch's decomposition of recurrent layers compares the wrong way round and drops it."""
    for name, module in network.named_modules():
        if isinstance(module, nn.RNNBase) and module.dropout and module.num_layers > 1:
            kind = type(module).__name__
            words = f"PyTorch loses the dropout between the layers of {name or kind} ({kind}) here"
            hint = "write layers of their own with nn.Dropout between them, or dropout=0"
            raise EngineError(Issue(words, "", hint))


def trace_joint(network: nn.Module, batch: Sequence[torch.Tensor], loss: str) -> Joint:
    """Trace one training step of `network` for tensors like `batch`, whose data are not read.

    A tensor of `batch` may be on the device "meta": then it stands for one on the CPU.

    `loss` : one of LOSSES, or OWN_LOSS where the network returns its loss.

    Raises EngineError where nothing can be trained or the network cannot be traced.
    """
    _refuse_lost_dropout(network)
    with _without_onednn():
        # Tensors without data from the start: AOTAutograd's second pass runs on what it is given.
        mode = FakeTensorMode(allow_non_fake_inputs=True)
        fakes = tuple(_fake(mode, tensor) for tensor in batch)
        scores, used = _tried(network, fakes, loss, mode)
        with mode:
            labels = labels_for(loss, scores)
        fakes += () if labels is None else (labels,)
        with (
            _only_used(network, used), _faked(network, mode), _checking_apart(),
            noted(network) as notes,
        ):  # fmt: skip
            graph, signature = aot_export_module(
                _WithLoss(network, loss).train(),
                fakes,
                trace_joint=True,
                output_loss_index=0,
            )
    return Joint(graph, signature, len(fakes) - len(batch), notes.places(graph))


def _fake(mode: FakeTensorMode, tensor: torch.Tensor) -> torch.Tensor:
    """A tensor without data in place of one that has some, or has a shape alone ("meta")."""
    if not tensor.is_meta:
        return mode.from_tensor(tensor)
    with mode:
        return torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu")


def _tried(
    network: nn.Module, fakes: Sequence[torch.Tensor], loss: str, mode: FakeTensorMode
) -> tuple[torch.Tensor, set[str]]:
    """Scores as a fake tensor, and the parameters that lead to the loss."""
    with mode:
        state = {
            name: mode.from_tensor(tensor).detach().requires_grad_(tensor.requires_grad)
            for name, tensor in network.named_parameters()
        }
        state |= {name: mode.from_tensor(tensor) for name, tensor in network.named_buffers()}
        network.train()
        scores = scores_of(torch.func.functional_call(network, state, tuple(fakes)))
        wanted = {name: tensor for name, tensor in state.items() if tensor.requires_grad}
        found: Sequence[Any] = [None] * len(wanted)
        if scores.requires_grad:
            value = loss_of(loss, scores, labels_for(loss, scores))
            if value.dim():
                shape = tuple(value.shape)
                raise EngineError(Issue(f"the loss has the shape {shape}, it must be one number"))
            found = torch.autograd.grad(value, list(wanted.values()), allow_unused=True)
    used = {name for name, gradient in zip(wanted, found, strict=True) if gradient is not None}
    if not used:
        raise EngineError(Issue("no parameter of the network leads to the loss: nothing to train"))
    return scores, used


@contextmanager
def _faked(network: nn.Module, mode: FakeTensorMode) -> Iterator[None]:
    """Runs with parameters and buffers that have no data; a tensor of two names stays one."""
    before: list[tuple[_Tensors, str, torch.Tensor]] = []
    fakes: dict[int, torch.Tensor] = {}
    for module in network.modules():
        for held in (module._parameters, module._buffers):  # noqa: SLF001 - no other way to set one
            before += [(held, name, tensor) for name, tensor in held.items() if tensor is not None]
    try:
        for held, name, tensor in before:
            held[name] = fakes.setdefault(id(tensor), mode.from_tensor(tensor))
        yield
    finally:
        for held, name, tensor in before:
            held[name] = tensor


@contextmanager
def _without_onednn() -> Iterator[None]:
    """Runs without oneDNN and without PyTorch's remarks, on other processors and on its errors."""
    log = logging.getLogger("torch._subclasses.fake_tensor")  # what it logs, it raises as well
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "TF32 acceleration")
            with torch.backends.mkldnn.flags(enabled=False):
                yield
    finally:
        log.setLevel(before)


@contextmanager
def _checking_apart() -> Iterator[None]:
    """Runs with the checks of linear algebra as calls without a result, which a step leaves out.

    PyTorch (2.13) orders them by values handed on from one to the next; AOTAutograd's second pass
    does not know of those and fails. Versions that cannot say so do nothing of the kind.
    """
    if not hasattr(effects, "_get_effect"):
        yield
        return
    before = effects._get_effect(_CHECK)  # noqa: SLF001 - its only name
    effects._register_effectful_op(_CHECK, None)  # noqa: SLF001 - its only name
    try:
        yield
    finally:
        effects._register_effectful_op(_CHECK, before)  # noqa: SLF001 - its only name


@contextmanager
def _only_used(network: nn.Module, used: set[str]) -> Iterator[None]:
    """Parameters without a gradient are constants meanwhile: AOTAutograd refuses them otherwise."""
    idle = [
        parameter
        for name, parameter in network.named_parameters()
        if name not in used and parameter.requires_grad
    ]
    for parameter in idle:
        parameter.requires_grad_(requires_grad=False)
    try:
        yield
    finally:
        for parameter in idle:
            parameter.requires_grad_(requires_grad=True)
