"""Functions that a file spells as several operators, where a fused one would keep fewer bytes.

Exporters write Gelu, SiLU and norms as arithmetic where the operator set has no operator for them.
They are counted as written; the user is told, since frameworks run them as one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from solver.import_report import names_of
from solver.loaders.onnx_inferred import Inferred
from solver.network import Layer, Value
from solver.text import counted

_SCALING: Final = frozenset({"Mul", "Div"})
_ARITHMETIC: Final = frozenset({"Mul", "Div", "Add", "Pow"})
_VIEWS: Final = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"})
_PAIR: Final = 2
_LONGEST: Final = 8
"""Operators between the argument of a tanh and the number that Gelu is taken of."""


@dataclass(frozen=True, slots=True, eq=False)
class Spelled:
    """One function: its name, and the layers that it is spelled as, the last one last."""

    name: str
    parts: tuple[Layer, ...]


def spelled_warnings(found: Inferred) -> tuple[str, ...]:
    """One sentence on all functions that the file spells, none where there are none."""
    spelled = find_spelled(found)
    if not spelled:
        return ()
    kinds: dict[str, list[Spelled]] = {}
    for item in spelled:
        kinds.setdefault(item.name, []).append(item)
    words = [
        f"{len(items)} {name} as {counted(_most(items), 'operator')} each "
        f"({names_of([item.parts[-1].name for item in items])})"
        for name, items in sorted(kinds.items())
    ]
    inner = sum(_inner_bytes(found, item) for item in spelled)
    text = (
        f"this file spells {', '.join(words)}: counted as written; where each runs as one "
        f"operator, up to {inner:,} B less are kept"
    )
    return (text,)


def _most(items: Sequence[Spelled]) -> int:
    return max(len(item.parts) for item in items)


def _inner_bytes(found: Inferred, item: Spelled) -> int:
    """Bytes of what the layers but the last make."""
    facts = [found.facts[part.outputs[0]] for part in item.parts[:-1] if part.op_type not in _VIEWS]
    return sum(Value("", fact.shape, fact.dtype).bytes for fact in facts)


def find_spelled(found: Inferred) -> list[Spelled]:
    """The functions in the order of their last layers; what others read inside of them is none."""
    walk = _Walk(found)
    order = {id(layer): k for k, layer in enumerate(found.layers)}
    spelled = [
        item
        for layer in found.layers
        for item in (
            _gated(walk, layer),
            _gelu(walk, layer),
            _norm(walk, layer),
            _group(walk, layer),
        )
        if item is not None and walk.is_closed(item)
    ]
    return sorted(spelled, key=lambda item: order[id(item.parts[-1])])


class _Walk:
    """The layers by what they make and read."""

    def __init__(self, found: Inferred) -> None:
        self._found = found
        self._makers = {name: layer for layer in found.layers for name in layer.outputs if name}
        self._readers: dict[str, list[Layer]] = {}
        for layer in found.layers:
            for name in dict.fromkeys(layer.inputs):
                self._readers.setdefault(name, []).append(layer)

    def maker(self, name: str, *kinds: str) -> Layer | None:
        """The layer that makes a tensor, if it is of one of these kinds."""
        layer = self._makers.get(name)
        return layer if layer is not None and layer.op_type in kinds else None

    def reader(self, layer: Layer | None, *kinds: str) -> Layer | None:
        """The one layer that reads what `layer` makes, if it is of one of these kinds."""
        readers = self._readers.get(layer.outputs[0], []) if layer is not None else []
        return readers[0] if len(readers) == 1 and readers[0].op_type in kinds else None

    def is_constant(self, name: str) -> bool:
        """Whether a tensor depends on no input."""
        return bool(name) and self._found.facts[name].constant

    def of_constant(self, layer: Layer | None) -> str | None:
        """What a layer of two operands reads beside a constant; None where there is none."""
        if layer is None or len(layer.inputs) != _PAIR:
            return None
        data = [name for name in layer.inputs if not self.is_constant(name)]
        return data[0] if len(data) == 1 else None

    def is_closed(self, item: Spelled) -> bool:
        """Whether nothing but its own layers reads what the layers but the last make."""
        own = {id(part) for part in item.parts}
        return all(
            id(reader) in own
            for part in item.parts[:-1]
            for name in part.outputs
            for reader in self._readers.get(name, [])
        )


def _orders(layer: Layer) -> Iterator[tuple[str, str]]:
    """Both operands of a layer of two, either first."""
    if len(layer.inputs) == _PAIR:
        yield layer.inputs[0], layer.inputs[1]
        yield layer.inputs[1], layer.inputs[0]


def _gated(walk: _Walk, layer: Layer) -> Spelled | None:
    """SiLU, HardSwish and Mish: a number times what a saturated function makes of it."""
    if layer.op_type != "Mul":
        return None
    for x, gate in _orders(layer):
        for name, kind in (("SiLU", "Sigmoid"), ("HardSwish", "HardSigmoid")):
            function = walk.maker(gate, kind)
            if function is not None and function.inputs[0] == x:
                return Spelled(name, (function, layer))
        tanh = walk.maker(gate, "Tanh")
        soft = walk.maker(tanh.inputs[0], "Softplus") if tanh is not None else None
        if tanh is not None and soft is not None and soft.inputs[0] == x:
            return Spelled("Mish", (soft, tanh, layer))
        parts = _hard_gate(walk, x, gate)
        if parts:
            return Spelled("HardSwish", (*parts, layer))
    return None


def _hard_gate(walk: _Walk, x: str, gate: str) -> tuple[Layer, ...]:
    """The layers of clip(x + 3) / 6; none where the gate is something else."""
    scaled = walk.maker(gate, *_SCALING)
    clip = walk.maker(walk.of_constant(scaled) or "", "Clip")
    shifted = walk.maker(clip.inputs[0], "Add") if clip is not None else None
    if scaled is None or clip is None or shifted is None or walk.of_constant(shifted) != x:
        return ()
    return shifted, clip, scaled


def _gelu(walk: _Walk, layer: Layer) -> Spelled | None:
    """Gelu: x / 2 times 1 + erf(x / sqrt 2), or 1 + tanh of a polynomial of x."""
    if layer.op_type not in {"Erf", "Tanh"}:
        return None
    shifted = walk.reader(layer, "Add")
    product = walk.reader(shifted, "Mul")
    if shifted is None or product is None or walk.of_constant(shifted) is None:
        return None
    for other, sum_ in _orders(product):
        if sum_ != shifted.outputs[0]:
            continue
        half = walk.maker(other, *_SCALING)
        for x, halved in ((other, None), (walk.of_constant(half), half)):
            argument = _polynomial(walk, layer.inputs[0], x) if x else ()
            if not argument:
                continue
            last = walk.reader(product, *_SCALING) if halved is None else None
            ends = (last,) if last is not None and walk.of_constant(last) else ()
            middle = (halved,) if halved is not None else ()
            return Spelled("Gelu", (*argument, layer, shifted, *middle, product, *ends))
    return None


def _polynomial(walk: _Walk, name: str, x: str) -> tuple[Layer, ...]:
    """The layers between `x` and a polynomial of it alone; none where it is something else."""
    parts: dict[int, Layer] = {}
    open_ = [name]
    while open_:
        source = open_.pop()
        if source == x or walk.is_constant(source):
            continue
        layer = walk.maker(source, *_ARITHMETIC)
        if layer is None or len(parts) >= _LONGEST:
            return ()
        parts[id(layer)] = layer
        open_ += layer.inputs
    return tuple(reversed(parts.values()))


def _norm(walk: _Walk, layer: Layer) -> Spelled | None:
    """RMSNormalization and LayerNormalization: divided by the root of the mean of squares."""
    if layer.op_type != "Sqrt":
        return None
    shifted = walk.maker(layer.inputs[0], "Add")
    mean = walk.maker(walk.of_constant(shifted) or "", "ReduceMean")
    square = walk.maker(mean.inputs[0], "Pow", "Mul") if mean is not None else None
    if shifted is None or mean is None or square is None:
        return None
    x = square.inputs[0]
    if square.op_type == "Mul" and set(square.inputs) != {x}:
        return None
    parts = [square, mean, shifted, layer]
    inverse = walk.reader(layer, "Reciprocal") or walk.reader(layer, "Div")
    if inverse is not None and x not in inverse.inputs:
        parts.append(inverse)
        inverse = walk.reader(inverse, "Mul")
    if inverse is None or x not in inverse.inputs:
        return None
    parts.append(inverse)
    name = "RMSNormalization"
    centred = walk.maker(x, "Sub")
    average = walk.maker(centred.inputs[1], "ReduceMean") if centred is not None else None
    if centred is not None and average is not None and average.inputs[0] == centred.inputs[0]:
        parts, name = [average, centred, *parts], "LayerNormalization"
    scaled = walk.reader(parts[-1], "Mul")
    if scaled is not None and walk.of_constant(scaled):
        parts.append(scaled)
        added = walk.reader(scaled, "Add")
        if added is not None and walk.of_constant(added):
            parts.append(added)
    return Spelled(name, tuple(parts))


def _group(walk: _Walk, layer: Layer) -> Spelled | None:
    """GroupNormalization: groups as channels of an InstanceNormalization, scaled behind it."""
    before = walk.maker(layer.inputs[0], "Reshape") if layer.inputs else None
    after = walk.reader(layer, "Reshape")
    scaled = walk.reader(after, "Mul")
    if layer.op_type != "InstanceNormalization" or before is None or after is None:
        return None
    if scaled is None or walk.of_constant(scaled) is None:
        return None
    added = walk.reader(scaled, "Add")
    ends = (added,) if added is not None and walk.of_constant(added) else ()
    return Spelled("GroupNormalization", (layer, after, scaled, *ends))
