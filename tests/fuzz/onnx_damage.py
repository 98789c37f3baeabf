"""ONNX models, damaged: as messages (sizes, names, attributes, operators) and as bytes."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

import onnx
from google.protobuf.message import DecodeError
from onnx import helper, serialization

from tests.fuzz.byte_damage import damage_bytes
from tests.fuzz.onnx_operators import reoperate, trained

_LARGEST_BYTES: Final = 20_000
_SIZES: Final = (
    0, 1, 2, 3, 7, 64, -1, -2, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63),
)  # fmt: skip
_FLOATS: Final = (0.0, -1.0, 0.5, 1e30, float("inf"), float("nan"))
_TEXTS: Final = ("", "x", "VALID", "SAME_UPPER", "constant", "linear", "sum", "i,j->ij", "a" * 300)

Edit = Callable[[random.Random, onnx.ModelProto, onnx.ModelProto], None]


def models() -> tuple[bytes, ...]:
    """Small sound models: those of the package onnx for one operator each, and the tests' own.

    Each as it is, which often trains nothing, and behind a weight.
    """
    package = Path(onnx.__file__).parent / "backend" / "test" / "data"
    own = Path(__file__).parent.parent / "data"
    files = [*package.glob("simple/*/*.onnx"), *package.glob("pytorch-*/*/*.onnx")]
    files += [*own.glob("**/*.onnx")]
    found = (path.read_bytes() for path in sorted(files) if path.stat().st_size < _LARGEST_BYTES)
    sound = [data for data in found if _is_model(data)]
    return (*sound, *(more for data in sound if (more := trained(data)) is not None))


def damaged_onnx(draw: random.Random, sound: tuple[bytes, ...]) -> bytes:
    """The bytes of one damaged file."""
    data, other = draw.choice(sound), draw.choice(sound)
    if draw.random() < 0.75:
        data = _edited(draw, data, other)
    if draw.random() < 0.1:
        data = _as_text(draw, data)
    return damage_bytes(draw, data, other) if draw.random() < 0.3 else data


def _as_text(draw: random.Random, data: bytes) -> bytes:
    """The model in one of protobuf's text forms."""
    form = draw.choice(("textproto", "json"))
    try:
        model = onnx.ModelProto.FromString(data)
        written: bytes = serialization.registry.get(form).serialize_proto(model)
    except (DecodeError, UnicodeDecodeError, ValueError):
        return data  # names that are no text
    return written


def _is_model(data: bytes) -> bool:
    try:
        return bool(onnx.ModelProto.FromString(data).graph.node)
    except DecodeError:
        return False


def _edited(draw: random.Random, data: bytes, other: bytes) -> bytes:
    model, foreign = onnx.ModelProto.FromString(data), onnx.ModelProto.FromString(other)
    for _ in range(draw.choice((1, 1, 2, 4))):
        if model.graph.node:
            draw.choice(_EDITS)(draw, model, foreign)
    return model.SerializeToString()


def _resize(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    """Another size of an input, or of a stored tensor, whose numbers stay as they are."""
    graph = model.graph
    entries = [*graph.input, *graph.output]
    dims = [dim for entry in entries for dim in entry.type.tensor_type.shape.dim]
    if dims and draw.random() < 0.5:
        draw.choice(dims).dim_value = draw.choice(_SIZES)
    elif dims and draw.random() < 0.3:
        draw.choice(dims).dim_param = draw.choice(("N", "", "batch", "N*2"))
    elif graph.initializer:
        tensor = draw.choice(graph.initializer)
        place = draw.randrange(len(tensor.dims) + 1)
        tensor.dims[place : place + draw.randrange(2)] = [draw.choice(_SIZES)]


def _thin(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    """A stored tensor of which only some numbers are stored, at places that may not be there."""
    if not model.graph.initializer:
        return
    position = draw.randrange(len(model.graph.initializer))
    tensor, count = model.graph.initializer[position], draw.randrange(4)
    rank = draw.choice((1, len(tensor.dims), 2))
    shape = [count] if rank == 1 else [count, rank]
    places = [draw.choice((0, 1, 2, 5, -1, 2**40)) for _ in range(count * max(1, rank))]
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor(tensor.name, onnx.TensorProto.FLOAT, [count], [1.0] * count),
            onnx.TensorProto(
                name="places", data_type=onnx.TensorProto.INT64, dims=shape, int64_data=places
            ),
            list(tensor.dims),
        )
    )
    del model.graph.initializer[position]


def _retype(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    graph, kind = model.graph, draw.randrange(28)
    if graph.initializer and draw.random() < 0.5:
        draw.choice(graph.initializer).data_type = kind
    elif graph.input:
        draw.choice(graph.input).type.tensor_type.elem_type = kind


def _refill(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    """Other numbers in a stored tensor, often too many or too few."""
    tensors = [*model.graph.initializer, *(a.t for n in model.graph.node for a in n.attribute)]
    if not tensors:
        return
    tensor = draw.choice(tensors)
    if draw.random() < 0.5:
        tensor.raw_data = damage_bytes(draw, tensor.raw_data or b"\x01\0\0\0\0\0\0\0")
    else:
        tensor.ClearField("raw_data")
        tensor.int64_data.extend(draw.choice(_SIZES) for _ in range(draw.randrange(5)))


def _rename(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    """Another edge: cycles, missing tensors, tensors written twice, absent inputs."""
    node = draw.choice(model.graph.node)
    names = [name for n in model.graph.node for name in (*n.input, *n.output)]
    side = node.input if draw.random() < 0.6 else node.output
    name = draw.choice([*names, "", "nowhere"])
    if side and draw.random() < 0.7:
        side[draw.randrange(len(side))] = name
    else:
        side.append(name)


def _lose(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    """A node, an input, an output, a stored tensor or an attribute less."""
    graph = model.graph
    node = draw.choice(graph.node)
    fields = [graph.node, graph.input, graph.output, graph.initializer, node.attribute]
    fields += [node.input, node.output, model.opset_import]
    field = draw.choice([field for field in fields if field])
    del field[draw.randrange(len(field))]


def _repeat(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    graph = model.graph
    for _ in range(draw.choice((1, 1, 3, 50))):
        graph.node.add().CopyFrom(draw.choice(graph.node))


def _reorder(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    nodes = list(model.graph.node)
    draw.shuffle(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _reattribute(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    """Other numbers, another type, or one more attribute."""
    node = draw.choice(model.graph.node)
    if foreign.graph.node and draw.random() < 0.3:
        given = draw.choice(foreign.graph.node).attribute
        node.attribute.extend(given[:2])
    if not node.attribute:
        return
    attribute = draw.choice(node.attribute)
    match draw.randrange(5):
        case 0:
            attribute.i = draw.choice(_SIZES)
        case 1:
            attribute.f = draw.choice(_FLOATS)
        case 2:
            attribute.s = draw.choice(_TEXTS).encode()
        case 3:
            place = draw.randrange(len(attribute.ints) + 1)
            attribute.ints[place : place + draw.randrange(2)] = [draw.choice(_SIZES)]
        case _:
            attribute.type = draw.randrange(15)


def _reversion(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    for entry in model.opset_import:
        entry.version = draw.choice((*range(1, 28), 999, 0, -1))
    model.ir_version = draw.choice((1, 3, 4, 8, 11, 2**40))


def _graft(draw: random.Random, model: onnx.ModelProto, foreign: onnx.ModelProto) -> None:
    """A foreign model behind this one, joined at one edge."""
    graph, other = model.graph, foreign.graph
    if not other.node or not graph.node[-1].output:
        return
    joint = graph.node[-1].output[0]
    for node in other.node:
        copy = graph.node.add()
        copy.CopyFrom(node)
        copy.input[:] = [f"f/{name}" if name else name for name in node.input]
        copy.output[:] = [f"f/{name}" if name else name for name in node.output]
    for tensor in other.initializer:
        graph.initializer.add().CopyFrom(tensor)
        graph.initializer[-1].name = f"f/{tensor.name}"
    first = graph.node[-len(other.node)]
    if first.input:
        first.input[0] = joint
    for output in other.output:
        graph.output.add().CopyFrom(output)
        graph.output[-1].name = f"f/{output.name}"


_EDITS: Final[tuple[Edit, ...]] = (
    _resize, _retype, _refill, _rename, _lose, _repeat, _reorder, _reattribute, _reversion, _graft,
    reoperate, reoperate, reoperate, _thin,
)  # fmt: skip
