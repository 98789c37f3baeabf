"""A network as its file describes it: layers between values, nothing differentiated yet."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from solver.graph import Shape, element_bits
from solver.import_report import ImportReport

AttributeValue = int | float | str | bytes | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]


_FLOATS: Final = frozenset({
    "float64", "float32", "float16", "bfloat16",
    "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor that flows between layers, or a constant: shape in elements, dtype a numpy name.

    `data` holds the elements (row-major) of small integer constants that decide shapes (Reshape's
    target, Slice's bounds), else None: a weight is a size here, its numbers are never read.
    """

    name: str
    shape: Shape
    dtype: str = "float32"
    data: tuple[int, ...] | None = None

    @property
    def elements(self) -> int:
        """Number of elements; 1 for a scalar (shape ())."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        """Size in bytes; sub-byte types are rounded up per tensor."""
        return -(-self.elements * element_bits(self.dtype) // 8)

    @property
    def is_float(self) -> bool:
        """True where a gradient can exist; float8e8m0 holds scales, powers of two, and has none."""
        return self.dtype in _FLOATS


@dataclass(frozen=True, slots=True)
class Layer:
    """One operator of the network: an ONNX op_type with its attributes.

    `inputs` are names of values or constants in ONNX order, "" where an optional input is absent.
    `outputs` likewise. `name` is unique in the network (made from the outputs where the file has
    none).
    """

    name: str
    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, AttributeValue] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Network:
    """What a loader or the zoo returns: layers in topological order, every shape known.

    `values` holds inputs, layer outputs and constants by name; `constants` names those that depend
    on no input. `outputs` are the network's outputs in order. `opset` is that of the default ONNX
    domain. `batch` is the leading dimension really used, None where the file does not have one to
    choose; `dims` are the symbolic dimensions bound by the user. `warnings` are sentences that the
    user should know; `report` says what became of the file, None for a network made here. `copies`
    maps a constant that holds the numbers of another one in another order or shape (a weight that
    is read transposed elsewhere) to that one: trained, the two are one parameter.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    layers: tuple[Layer, ...]
    values: Mapping[str, Value]
    constants: frozenset[str]
    opset: int = 21
    batch: int | None = 1
    dims: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    warnings: tuple[str, ...] = ()
    report: ImportReport | None = None
    copies: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def parameter(self, constant: str) -> Value:
        """The constant whose numbers are trained where `constant` is read as a weight."""
        return self.values[self.copies.get(constant, constant)]
