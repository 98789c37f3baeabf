"""The one table of shape rules: what the loader knows, per ONNX operator of the default domain."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.loaders.onnx_rules import (
    constants,
    elementwise,
    layout,
    matrices,
    normalisation,
    pools,
    recurrent,
    reduction,
    resampling,
    windows,
)
from solver.loaders.onnx_rules.base import Rule

LAYER_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    dict(windows.RULES)
    | dict(elementwise.RULES)
    | dict(normalisation.RULES)
    | dict(matrices.RULES)
    | dict(layout.RULES)
    | dict(reduction.RULES)
    | dict(pools.RULES)
    | dict(resampling.RULES)
    | dict(recurrent.RULES)
)
"""Operators that may work on data: they become layers."""

CONSTANT_RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    dict(LAYER_RULES) | dict(constants.RULES)
)
"""Operators that may work on constants: they are folded."""

SHAPE_READERS: Final = frozenset({"Shape", "Size"})
"""Operators that read only the size of their input: their output is always constant."""
