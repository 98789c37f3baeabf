"""Which operators can be trained: ONNX op_type -> rule.

Operators of another domain than ONNX's own are named with it: "com.microsoft::Gelu".
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.operators import (
    activation,
    arithmetic,
    attention,
    convolution,
    einsum,
    indexing,
    linear,
    logic,
    movement,
    normalisation,
    pooling,
    quantisation,
    randomness,
    recurrent,
    reduction,
    resampling,
)
from solver.operators.base import Rule

_FAMILIES: Final[tuple[Mapping[str, Rule], ...]] = (
    activation.RULES,
    arithmetic.RULES,
    attention.RULES,
    convolution.RULES,
    einsum.RULES,
    indexing.RULES,
    linear.RULES,
    logic.RULES,
    movement.RULES,
    normalisation.RULES,
    pooling.RULES,
    quantisation.RULES,
    randomness.RULES,
    recurrent.RULES,
    reduction.RULES,
    resampling.RULES,
)

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {op_type: rule for family in _FAMILIES for op_type, rule in family.items()}
)
"""A family lists its own operators; another one joins above, nothing else has to know of it."""
