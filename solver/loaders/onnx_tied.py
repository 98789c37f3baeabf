"""Matrices that a file seems to hold twice: a head that was stored apart from its embedding."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from solver.graph import element_bits
from solver.loaders.onnx_tensors import dtype_of

if TYPE_CHECKING:
    import onnx

_SAMPLE: Final = 4096
"""Numbers that are compared of each matrix."""
_DISTINCT: Final = 16
"""So many of them must differ: matrices of zeros, as stripped files hold, tell nothing."""
_MOST_BYTES: Final = 2**26
"""Bytes of matrices that are looked at, 64 MiB: protobuf copies each, some 50 ms in all."""
_STRIDE: Final = 2_654_435_761  # a prime: positions spread over any matrix
_FLOATS: Final[Mapping[str, int]] = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}


@dataclass(frozen=True, slots=True)
class Twice:
    """Two stored matrices of the same numbers; `transposed`: with rows for columns."""

    first: str
    second: str
    transposed: bool


def look_tied(graph: "onnx.GraphProto", names: Sequence[str]) -> tuple[Twice, ...]:
    """Pairs among the matrices `names` that agree in every number that is looked at.

    A sample is compared, not the whole; numbers beside the model are not opened.
    """
    wanted, left = set(names), _MOST_BYTES
    alike: dict[tuple[str, int, int], list[onnx.TensorProto]] = {}
    for tensor in graph.initializer:
        dtype = dtype_of(tensor.data_type) or ""
        if tensor.name in wanted and dtype in _FLOATS and len(tensor.dims) == 2:  # noqa: PLR2004 - rows and columns
            rows, columns = sorted(tensor.dims)
            alike.setdefault((dtype, rows, columns), []).append(tensor)
    found: list[Twice] = []
    for (dtype, rows, columns), tensors in alike.items():
        left -= rows * columns * element_bits(dtype) // 8 * len(tensors)
        if len(tensors) > 1 and left >= 0:
            found += _pairs(tensors, dtype)
    return tuple(found)


def _pairs(tensors: Sequence["onnx.TensorProto"], dtype: str) -> Iterator[Twice]:
    seen: dict[bytes, tuple[str, bool]] = {}
    for tensor in tensors:
        matrix = _matrix(tensor, dtype)
        if matrix is None:
            continue
        wide = matrix.shape[0] <= matrix.shape[1]
        prints = [(_print(matrix if wide else matrix.T), not wide)]
        if matrix.shape[0] == matrix.shape[1]:
            prints.append((_print(matrix.T), True))
        known = [(seen[mark], turned) for mark, turned in prints if mark in seen]
        if known and known[0][0]:
            (first, before), turned = known[0]
            yield Twice(first, tensor.name, transposed=before != turned)
        elif prints[0][0]:
            seen[prints[0][0]] = tensor.name, prints[0][1]


def _matrix(tensor: "onnx.TensorProto", dtype: str) -> NDArray[Any] | None:
    """The bits of its numbers, None where they are not there. Any: of some width."""
    content, size = tensor.raw_data, _FLOATS[dtype]
    rows, columns = tensor.dims
    if len(content) != rows * columns * size or not content:
        return None
    return np.frombuffer(content, dtype=f"<u{size}").reshape(rows, columns)


def _print(matrix: NDArray[Any]) -> bytes:
    """Some of the numbers, always at the same places; empty where they hardly differ."""
    count = min(matrix.size, _SAMPLE)
    places = np.arange(count, dtype=np.int64) * (_STRIDE if matrix.size > _SAMPLE else 1)
    rows, columns = np.divmod(places % matrix.size, matrix.shape[1])
    numbers = matrix[rows, columns]
    return numbers.tobytes() if len(np.unique(numbers)) >= _DISTINCT else b""
