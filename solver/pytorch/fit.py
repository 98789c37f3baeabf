"""What a network must be to be traced, told before PyTorch fails over it."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.parameter import UninitializedTensorMixin

from solver.errors import EngineError, Issue


def fitted(network: nn.Module, where: str) -> nn.Module:
    """The network as it can be traced: what torch.compile has wrapped is taken out again.

    Raises EngineError naming what cannot be traced: TorchScript, layers without a size, layers that
    are not on the CPU.
    """
    network = getattr(network, "_orig_mod", network)
    for module in network.modules():
        module._compiled_call_impl = None  # noqa: SLF001 - what module.compile() sets
        for name, child in module.named_children():
            if hasattr(child, "_orig_mod"):
                setattr(module, name, child._orig_mod)  # noqa: SLF001 - torch.compile's name
    issues = list(_issues(network, where))
    if issues:
        raise EngineError(issues)
    return network


def _issues(network: nn.Module, where: str) -> Iterator[Issue]:
    state = [*network.named_parameters(), *network.named_buffers()]
    lazy = [name for name, held in state if isinstance(held, UninitializedTensorMixin)]
    if any(isinstance(module, torch.jit.ScriptModule) for module in network.modules()):
        words = "the network holds TorchScript, which cannot be traced"
        yield Issue(words, where, "return the torch.nn.Module that it was made from")
    elif lazy:
        words = f"{lazy[0]} has no size yet (a lazy layer)"
        yield Issue(words, where, "call the network once on an example in the factory")
    else:
        for name, tensor in state:
            yield from _tensor_issues(name, tensor, where)
        for name, module in network.named_modules():
            if _averages_all_steps(module):
                kind = type(module).__name__
                words = f"{name or kind} averages the statistics of all steps (momentum=None)"
                yield Issue(words, where, "no step is like another then: give it a momentum, 0.1")


def _averages_all_steps(module: nn.Module) -> bool:
    norm = isinstance(module, _BatchNorm) and module.track_running_stats
    return norm and module.momentum is None


def _tensor_issues(name: str, tensor: torch.Tensor, where: str) -> Iterator[Issue]:
    hooks = tensor._backward_hooks, getattr(tensor, "_post_accumulate_grad_hooks", None)  # noqa: SLF001 - their only names
    if any(hooks):
        words = f"{name} has a hook on its gradient, which tracing does not see"
        yield Issue(words, where, "leave it out, or change gradients after the step")
    if tensor.device.type != "cpu":
        words = f"{name} is on the device {tensor.device}"
        yield Issue(words, where, "make it on the CPU: a schedule is of no one device's kernels")
    if tensor.layout is not torch.strided:
        yield Issue(f"{name} is stored as {tensor.layout}", where, "make it dense")
