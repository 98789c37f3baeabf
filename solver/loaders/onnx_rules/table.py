"""The one table of shape rules: what the loader knows, per ONNX operator of the default domain."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.loaders.onnx_rules import (
    attention,
    constants,
    elementwise,
    indexing,
    layout,
    matrices,
    normalisation,
    pools,
    quantisation,
    randomness,
    recurrent,
    reduction,
    reference,
    resampling,
    windows,
)
from solver.loaders.onnx_rules.base import Node, Rule

LAYER_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    dict(windows.RULES)
    | dict(elementwise.RULES)
    | dict(normalisation.RULES)
    | dict(matrices.RULES)
    | dict(layout.RULES)
    | dict(indexing.RULES)
    | dict(attention.RULES)
    | dict(randomness.RULES)
    | dict(reduction.RULES)
    | dict(pools.RULES)
    | dict(quantisation.RULES)
    | dict(resampling.RULES)
    | dict(recurrent.RULES)
)
"""Operators that may work on data: they become layers."""

CONSTANT_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    dict(LAYER_RULES)
    | dict(indexing.CONSTANT_RULES)
    | dict(constants.RULES)
    | dict(reference.RULES)
    | dict(quantisation.CONSTANT_RULES)
)
"""Operators that may work on constants: they are folded."""

REFUSED_RULES: Final[Mapping[str, Rule]] = indexing.REFUSED
"""Operators that may work on constants only: on data they say why not."""

SHAPE_READERS: Final = frozenset({"Shape", "Size", "EyeLike"})
"""Operators that read only the size of their input: their output is always constant."""


def is_never_constant(node: Node) -> bool:
    """Whether a node stays a layer although it depends on no input of the network.

    Random numbers are others in every step, and rows of a trained table change with it.
    """
    return node.op_type in randomness.RULES or indexing.looks_up_weights(node)
