"""A network run as its author would run it: its scores, and its own backward pass.

The network's buffers and the batch are left as they were, so that every run starts from the same.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from solver.pytorch.joint import OWN_LOSS, loss_of, scores_of
from solver.pytorch.trace import users_code
from solver.replay_report import EAGER_TOLERANCE

Gradients = Mapping[str, torch.Tensor]
"""Gradients by the names of their parameters."""


def run_anew(network: torch.nn.Module, batch: Sequence[torch.Tensor]) -> Any:
    """What the network returns for a batch; what it writes into goes to copies."""
    buffers = {name: tensor.clone() for name, tensor in network.named_buffers()}
    return torch.func.functional_call(network, buffers, tuple(each.clone() for each in batch))


def eager_gradients(
    network: torch.nn.Module, batch: Sequence[torch.Tensor], loss: str, seed: int, file: Path
) -> Gradients:
    """Gradients of one step from `seed`, as backward leaves them.

    batch : labels last, for losses that take some. file : whose code the network is.

    Raises EngineError where that code fails.
    """
    given = list(batch)
    labels = given.pop() if loss in {"softmax-ce", "mse"} else None
    with users_code(file, "eager backward failed"), torch.enable_grad():
        torch.manual_seed(seed)
        network.zero_grad(set_to_none=True)  # what was found before stays as it is
        scores = scores_of(run_anew(network, given))
        loss_of(loss if loss != OWN_LOSS else "", scores, labels).backward()
    return {
        key: parameter.grad
        for key, parameter in network.named_parameters()
        if parameter.grad is not None
    }


def largest_error(eager: Gradients, ours: Gradients) -> float | None:
    """The largest difference, relative to the gradient's largest element.

    None where ours lacks one of eager's, or where only one of both is a number.
    """
    if not eager.keys() <= ours.keys():
        return None
    pairs = [(gradient, ours[key]) for key, gradient in eager.items()]
    pairs = [pair for pair in pairs if pair[0].numel()]
    largest = [float(theirs.abs().nan_to_num(0.0, 0.0, 0.0).max()) for theirs, _ in pairs]
    errors: list[float] = []
    for scale, (theirs, own) in zip(largest, pairs, strict=True):
        # A bias before a norm has no gradient but rounding: it is held against the largest of all.
        against = scale if scale > EAGER_TOLERANCE * max(largest) else max(largest)
        same = (theirs == own) | (theirs.isnan() & own.isnan())
        error = float((theirs - own).abs().masked_fill(same, 0.0).max())
        errors.append(error / against if against else error)
    return None if any(map(math.isnan, errors)) else max(errors, default=0.0)
