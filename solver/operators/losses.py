"""What the step minimises: softmax cross-entropy, mean squared error, or the output's sum."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from solver.errors import Issue, ModelError
from solver.graph import Role, Shape
from solver.network import Value
from solver.operators import flop
from solver.operators.base import Extra

SOFTMAX_CE: Final = "softmax-ce"
_LAST_AXIS_RANK = 3  # (batch, position, class), as sequence models write it


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss of one output: what it reads, makes and costs, and its gradient.

    labels : what the output is compared with; None where the loss has none.
    probabilities : the second output of the loss op, where its gradient reads one.
    reads_output, reads_labels : whether the gradient reads the network's output, the labels.
    absorbs_softmax : the gradient is that of the final Softmax's input; the Softmax has no
        gradient op of its own.
    """

    name: str
    flop: int
    gradient_flop: int
    labels: Value | None = None
    probabilities: Extra | None = None
    reads_output: bool = False
    reads_labels: bool = False
    absorbs_softmax: bool = False


def class_axis(rank: int) -> int:
    """Axis of the classes: 1, but the last for rank 3 and for a single vector."""
    return rank - 1 if rank in {1, _LAST_AXIS_RANK} else 1


def _class_labels(output: Value) -> Value:
    """One class number per position, int64 as training frameworks take them."""
    if not output.shape:
        raise ModelError(
            Issue(
                "cross-entropy needs a class axis, the output is a single number",
                f"output {output.name}",
                "use --loss sum or --loss mse",
            )
        )
    axis = class_axis(len(output.shape))
    shape: Shape = output.shape[:axis] + output.shape[axis + 1 :]
    return Value("labels", shape, "int64")


def softmax_cross_entropy(output: Value) -> Loss:
    """Of scores: the loss op also makes the probabilities, and p - t is the gradient."""
    labels, cost = _class_labels(output), flop.LOSS["softmax-ce"]
    return Loss(
        SOFTMAX_CE,
        cost.forward * output.elements + flop.LOSS_PER_POSITION * labels.elements,
        cost.gradient * output.elements,
        labels,
        Extra("probabilities", output.shape, output.dtype, Role.ACTIVATION),
        reads_labels=True,
    )


def cross_entropy_of_probabilities(output: Value) -> Loss:
    """Of an output that is a Softmax already: y - t is the gradient of the Softmax's input."""
    labels, cost = _class_labels(output), flop.LOSS["probabilities"]
    return Loss(
        SOFTMAX_CE,
        cost.forward * output.elements + flop.LOSS_PER_POSITION * labels.elements,
        cost.gradient * output.elements,
        labels,
        reads_output=True,
        reads_labels=True,
        absorbs_softmax=True,
    )


def mean_squared_error(output: Value) -> Loss:
    """Labels look like the output; the gradient reads both."""
    cost = flop.LOSS["mse"]
    return Loss(
        "mse",
        cost.forward * output.elements,
        cost.gradient * output.elements,
        Value("labels", output.shape, output.dtype),
        reads_output=True,
        reads_labels=True,
    )


def total(output: Value) -> Loss:
    """The sum of the output: no labels, and a gradient of ones that reads nothing."""
    cost, elements = flop.LOSS["sum"], math.prod(output.shape)
    return Loss("sum", cost.forward * elements, cost.gradient * elements)


LOSSES: Final[Mapping[str, Callable[[Value], Loss]]] = MappingProxyType(
    {SOFTMAX_CE: softmax_cross_entropy, "mse": mean_squared_error, "sum": total}
)
