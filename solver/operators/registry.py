"""Which operators can be trained: ONNX op_type -> rule."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.operators.activation import PARAMETERLESS, Dropout
from solver.operators.arithmetic import Add, Div, Mul, Sum
from solver.operators.base import Rule
from solver.operators.linear import Conv, Gemm, MatMul
from solver.operators.movement import Copy, CopyFirst, Gather, Resize, View
from solver.operators.normalisation import LRN, BatchNormalization, LayerNormalization
from solver.operators.pooling import AveragePool, MaxPool

RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Conv": Conv(), "Gemm": Gemm(), "MatMul": MatMul(),
    "BatchNormalization": BatchNormalization(), "LRN": LRN(),
    "LayerNormalization": LayerNormalization(),
    **PARAMETERLESS, "Dropout": Dropout(),
    "MaxPool": MaxPool(), "GlobalMaxPool": MaxPool(),
    "AveragePool": AveragePool(), "GlobalAveragePool": AveragePool(),
    "Add": Add(), "Sum": Sum(), "Sub": Sum(), "Mul": Mul(), "Div": Div(),
    "Concat": Copy(), "Split": CopyFirst(), "Pad": CopyFirst(), "Transpose": Copy(), "Cast": Copy(),
    "Gather": Gather(), "Resize": Resize(),
    "Reshape": View(), "Flatten": View(), "Squeeze": View(), "Unsqueeze": View(),
    "Identity": View(),
})  # fmt: skip
"""Later families join this table; nothing else has to know of them."""
