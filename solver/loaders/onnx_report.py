"""Warnings about an ONNX file: what was changed, what is trained otherwise than exported."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from solver.import_report import names_of
from solver.loaders.onnx_inferred import Inferred
from solver.loaders.onnx_order import Ordered
from solver.loaders.onnx_spelled import spelled_warnings
from solver.loaders.onnx_tensors import leaves_folder
from solver.loaders.onnx_tied import look_tied
from solver.network import Layer
from solver.text import verb

if TYPE_CHECKING:
    import onnx

_TRAINED_BY_MODE: Final = ("BatchNormalization", "Dropout")
_WITH_WEIGHTS: Final = frozenset({"Conv", "Gemm", "MatMul"})


def import_warnings(graph: "onnx.GraphProto", found: Inferred, order: Ordered) -> tuple[str, ...]:
    """Everything that the user should know before trusting figures made from this file."""
    warnings = []
    if not order.sorted_already:
        warnings.append("the nodes of this file were out of order and have been sorted")
    if order.overwritten:
        warnings.append(
            f"the file writes {names_of(order.overwritten)} more than once, which ONNX forbids: "
            "each node reads the last write before it, in the order of the file"
        )
    warnings += found.assumed
    outside = [tensor.name for tensor in graph.initializer if leaves_folder(tensor)]
    if outside:
        warnings.append(
            f"the data of {names_of(outside)} are said to lie outside of the model's folder: "
            "never opened, sizes taken from the file"
        )
    warnings += _batch_warnings(found)
    return (*warnings, *mode_warnings(found.layers), *spelled_warnings(found))


def _batch_warnings(found: Inferred) -> Iterator[str]:
    """Where the file states its own batch, and what was made of it."""
    if found.other is None:
        return
    own, wanted = found.other.own, found.other.wanted
    for kind in sorted(set(found.rewritten.values())):
        names = [name for name, op_type in found.rewritten.items() if op_type == kind]
        nodes = f"{len(names)} {kind} nodes" if len(names) > 1 else kind
        yield (
            f"batch {own} is written into the shape of {nodes} ({names_of(names)}): rewritten to "
            f"{wanted}"
        )
    if found.spread:
        yield (
            f"{names_of(found.spread)} {verb(len(found.spread), 'reads', 'read')} constants that "
            f"the file holds for batch {own}, alike for each sample: read for {wanted}"
        )


def tied_warnings(graph: "onnx.GraphProto", found: Inferred) -> tuple[str, ...]:
    """Weights that are perhaps one, stored twice: each is counted and trained by itself."""
    read = (name for layer in found.layers for name in layer.inputs if name)
    stored = dict.fromkeys(found.copies.get(name, name) for name in read)
    return tuple(
        f"{pair.first} and {pair.second} look tied: they hold the same numbers"
        f"{', one transposed' if pair.transposed else ''}; stored apart, each is counted and "
        "trained by itself here: export them as one tensor if they are one weight"
        for pair in look_tied(graph, tuple(stored))
    )


def straight_through_warnings(simulated: Mapping[str, int]) -> tuple[str, ...]:
    """What is assumed of quantised operators; `simulated` counts them by name."""
    if not simulated:
        return ()
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(simulated.items()))
    text = (
        f"quantised operators are simulated in floats ({kinds}): gradients pass straight through "
        "the rounding, tensors between them count as floats, weights stored as integers are "
        "trained as float copies, and rounding those again in each step is left out"
    )
    return (text,)


def mode_warnings(layers: Sequence[Layer]) -> list[str]:
    """BatchNormalization and Dropout exported for inference, or missing altogether."""
    warnings = []
    for kind in _TRAINED_BY_MODE:
        passive = [
            layer.name
            for layer in layers
            if layer.op_type == kind and not layer.attributes.get("training_mode")
        ]
        how = "batch statistics" if kind == "BatchNormalization" else "a random mask"
        if passive:
            warnings.append(
                f"{kind} was exported in inference mode and is trained as such, with {how}: "
                f"{names_of(passive)}"
            )
    kinds = {layer.op_type for layer in layers}
    if kinds & _WITH_WEIGHTS and not kinds & set(_TRAINED_BY_MODE):
        warnings.append(
            "this file holds no BatchNorm/Dropout; real training memory will be larger "
            "if the export removed them"
        )
    return warnings
