"""The released multi-layer perceptron, as its own accounting counts it."""

from collections.abc import Sequence
from typing import Final

from solver.graph import TrainingGraph
from solver.zoo.poet_layers import LayerList, mirrored_graph

WIDTHS: Final = (10, 120, 100, 200, 10, 10)


def linear(widths: Sequence[int] = WIDTHS, *, inputs: int = 784) -> TrainingGraph:
    """Dense layers of `widths`, each with a ReLU, on one row of `inputs` numbers.

    The last width is the number of classes.
    """
    layers = LayerList((1, inputs))
    for width in widths:
        layers.linear(width)
        layers.relu()
    layers.cross_entropy(widths[-1])
    return mirrored_graph("linear", layers)
