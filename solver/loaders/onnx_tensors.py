"""Tensors of an ONNX file: sizes from their headers, numbers only of small ones."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from solver.graph import element_bits
from solver.loaders.onnx_rules.base import (
    DATA_LIMIT,
    INTEGERS,
    MAX_RANK,
    Elements,
    Fact,
    RuleError,
    text_of,
)

if TYPE_CHECKING:
    import onnx

_DTYPES: Final[Mapping[int, str]] = MappingProxyType({
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
    8: "string", 9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64",
    14: "complex64", 15: "complex128", 16: "bfloat16", 17: "float8e4m3fn", 18: "float8e4m3fnuz",
    19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4", 23: "float4e2m1",
    24: "float8e8m0", 25: "uint2", 26: "int2",
})  # fmt: skip

_LISTS: Final[Mapping[str, str]] = MappingProxyType({
    "float32": "float_data", "float64": "double_data", "int64": "int64_data",
    "uint32": "uint64_data", "uint64": "uint64_data", "string": "string_data",
    **dict.fromkeys(
        ("int32", "int16", "int8", "uint16", "uint8", "bool", "float16", "bfloat16"), "int32_data"
    ),
})  # fmt: skip
"""Where a tensor may list its numbers one by one; smaller types share an entry there."""

READABLE: Final = INTEGERS | {"float16", "float32", "float64"}
"""Element types whose numbers numpy holds by itself."""

_EXTERNAL: Final = 1  # TensorProto.EXTERNAL
_LONGEST: Final = 100
"""Characters shown of what a file says about a place."""


def dtype_of(number: int) -> str | None:
    """The numpy name of an ONNX element type, None for an unknown one."""
    return _DTYPES.get(number)


def checked_shape(dims: list[int]) -> tuple[int, ...]:
    """Sizes of a stored tensor. Raises RuleError on a negative one and on absurdly many."""
    if len(dims) > MAX_RANK:
        raise RuleError(f"a shape of {len(dims)} dimensions")
    if min(dims, default=0) < 0:
        raise RuleError(f"a size below zero in shape {tuple(dims)}")
    return tuple(dims)


def read_tensor(tensor: "onnx.TensorProto", folder: Path) -> Fact:
    """What is known of a stored tensor; its elements when there are few and their type is numpy's.

    `folder` is the model's: numbers kept in a file beside the model are read from there and nowhere
    else. Raises RuleError for a tensor that contradicts itself.
    """
    dtype = dtype_of(tensor.data_type)
    if dtype is None:
        raise RuleError(f"element type {tensor.data_type} is not known")
    fact = Fact(checked_shape(list(tensor.dims)), dtype, constant=True)
    external = tensor.data_location == _EXTERNAL
    if not external:
        _check_stored(tensor, fact)
    if fact.elements > DATA_LIMIT or dtype not in READABLE:
        return fact
    if not external:
        return Fact(fact.shape, dtype, _inside(tensor, fact), constant=True)
    found = _outside(tensor, fact, folder)
    if isinstance(found, str):
        return Fact(fact.shape, dtype, constant=True, unread=found)
    return Fact(fact.shape, dtype, found, constant=True)


def _check_stored(tensor: "onnx.TensorProto", fact: Fact) -> None:
    """Raise RuleError where more or fewer numbers are stored than the shape has.

    None at all are no fault: a file stripped of its numbers is still a network.
    """
    if tensor.HasField("raw_data") and fact.dtype != "string":
        expected = -(-fact.elements * element_bits(fact.dtype) // 8)
        if len(tensor.raw_data) not in {0, expected}:
            raise RuleError(
                f"its shape needs {expected} B, {len(tensor.raw_data)} B are stored: damaged"
            )
    listed = len(getattr(tensor, _LISTS[fact.dtype])) if fact.dtype in _LISTS else 0
    if listed not in {0, fact.elements}:
        raise RuleError(f"its shape needs {fact.elements} numbers, {listed} are stored: damaged")


def read_sparse(sparse: "onnx.SparseTensorProto", folder: Path) -> Fact:
    """What is known of a tensor of which only some numbers are stored: its dense size.

    As read_tensor; the numbers between those that are stored are 0.
    """
    values = read_tensor(sparse.values, folder)
    fact = Fact(checked_shape(list(sparse.dims)), values.dtype, constant=True)
    if values.rank != 1 or values.elements > fact.elements:
        raise RuleError(
            f"{text_of(values.shape)} stored values do not fit its shape {text_of(fact.shape)}"
        )
    places = read_tensor(sparse.indices, folder)
    if places.shape not in {values.shape, (*values.shape, fact.rank)}:
        raise RuleError(f"its indices {text_of(places.shape)} do not name a place for each value")
    if fact.elements > DATA_LIMIT or values.array is None or places.array is None:
        return fact
    array = np.zeros(fact.elements, dtype=values.array.dtype)
    array[_flat(places.array, fact)] = values.array
    return Fact(fact.shape, fact.dtype, array.reshape(fact.shape), constant=True)


def _flat(places: Elements, fact: Fact) -> Elements:
    """Places counted through in row-major order. Raises RuleError for one outside the tensor."""
    if not places.size:
        return places.reshape(-1).astype(np.int64)
    sizes = np.array(fact.shape if places.ndim > 1 else (fact.elements,))
    if places.dtype.kind != "i" or (places < 0).any() or (places >= sizes).any():
        raise RuleError(f"an index of it lies outside of its shape {text_of(fact.shape)}: damaged")
    return places if places.ndim == 1 else np.ravel_multi_index(tuple(places.T), fact.shape)


def _inside(tensor: "onnx.TensorProto", fact: Fact) -> Elements | None:
    from onnx import numpy_helper  # noqa: PLC0415 - onnx is loaded only when a file needs it

    try:
        return np.asarray(numpy_helper.to_array(tensor)).reshape(fact.shape)
    except (ValueError, TypeError):
        # A file stripped of its numbers is still a network: sizes are known, elements are not.
        return None


def _outside(tensor: "onnx.TensorProto", fact: Fact, folder: Path) -> Elements | str:
    """Numbers beside the model, from a plain file in the model's own folder; else why not."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if not location:
        return "the file does not say where its numbers lie"
    fault = _foreign(location, folder)
    if fault:
        return f"{location[:_LONGEST]} {fault}"
    length = fact.elements * element_bits(fact.dtype) // 8
    stated = entries.get("length", str(length))
    if stated != str(length):
        return f"it needs {length} B, of {location} {stated[:_LONGEST]} B are said to be its"
    content = _content(folder / location, entries.get("offset", "0"), length)
    if len(content) != length:
        return f"{location} ends before it, or cannot be opened there"
    little = np.dtype(fact.dtype).newbyteorder("<")
    return np.frombuffer(content, dtype=little).astype(fact.dtype).reshape(fact.shape)


def _content(source: Path, offset: str, length: int) -> bytes:
    """So many bytes from a place on, fewer where the file ends before, none on any fault."""
    if not offset.isascii() or not offset.isdigit():
        return b""
    try:
        with source.open("rb") as stream:
            stream.seek(int(offset))
            return stream.read(length)
    except (OSError, OverflowError, ValueError):  # ValueError: a place beyond any file
        return b""


def _foreign(location: str, folder: Path) -> str:
    """What keeps `location` from being read, "" for a regular file below `folder`.

    Links are none of the model's own (CVE-2024-27318, CVE-2026-27489).
    """
    source = folder / location
    if not source.is_relative_to(folder) or ".." in Path(location).parts:
        return "may lie outside of the model's folder, where nothing is opened"
    parts = source.relative_to(folder).parts
    steps = [folder.joinpath(*parts[: i + 1]) for i in range(len(parts))]
    try:
        if not source.is_file():
            return "is no file beside the model"
        linked = any(step.is_symlink() for step in steps) or source.stat().st_nlink > 1
    except (OSError, ValueError):  # ValueError: a zero byte in the path
        return "cannot be opened"
    return "is a link, which is not followed" if linked else ""


def leaves_folder(tensor: "onnx.TensorProto") -> bool:
    """True where a tensor claims to lie outside of the model's folder: it is never opened."""
    location = {entry.key: entry.value for entry in tensor.external_data}.get("location", "")
    return (
        tensor.data_location == _EXTERNAL
        and bool(location)
        and (Path(location).is_absolute() or ".." in Path(location).parts)
    )
