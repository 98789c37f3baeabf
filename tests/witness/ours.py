"""Our side of the witness: the same networks through our importer and our differentiation."""

from collections import Counter
from functools import cache

from solver.graph import Phase, TrainingGraph
from solver.loaders.onnx_file import load_onnx
from solver.loaders.options import LoadOptions
from solver.training import expand
from tests.witness.theirs import RECORDS

Kept = Counter[tuple[str, int]]


@cache
def training_graph(network: str) -> TrainingGraph:
    """The training graph of PyTorch's ONNX export of a network."""
    return expand(load_onnx(RECORDS / f"{network}.onnx", LoadOptions()))


def flop(graph: TrainingGraph, phase: Phase) -> int:
    """FLOP of one half of the step."""
    return int(sum(op.flop for op in graph.ops if op.phase is phase))


def _layer_kinds(graph: TrainingGraph) -> dict[str, str]:
    """Layer -> kind of its forward op; the parts of a layer stand behind a dot."""
    return {op.name: op.kind for op in graph.ops if op.phase is Phase.FORWARD}


def kind_of(graph: TrainingGraph, position: int) -> str:
    """The kind of an op; of a gradient with the kind of the forward op that it belongs to."""
    op = graph.ops[position]
    if op.phase is Phase.FORWARD:
        return op.kind
    layer = op.name.rsplit(".", 1)[0]
    if layer.endswith("gradient"):  # the second input's
        layer = layer.rsplit(".", 1)[0]
    kinds = _layer_kinds(graph)
    return f"{kinds.get(layer) or kinds.get(layer + '.apply') or ''}.{op.kind}"


def flop_by_kind(graph: TrainingGraph, phase: Phase) -> Counter[str]:
    """FLOP by kind of op."""
    found: Counter[str] = Counter()
    for k, op in enumerate(graph.ops):
        if op.phase is phase:
            found[kind_of(graph, k)] += int(op.flop)
    return found


def kept(graph: TrainingGraph) -> Kept:
    """(kind of the op that made it, bytes) -> how many such tensors backward ops read."""
    found: Kept = Counter()
    for tensor, producer, readers in zip(graph.tensors, graph.producer, graph.readers, strict=True):
        if producer < graph.first_backward and any(k >= graph.first_backward for k in readers):
            found[graph.ops[producer].kind, tensor.bytes] += 1
    return found


def kept_bytes(graph: TrainingGraph) -> int:
    """What is made before the first backward op and read by one."""
    return sum(size * count for (_, size), count in kept(graph).items())


_PRODUCTS = ("Conv", "ConvTranspose", "MatMul", "Gemm", "LSTM", "GRU")


def products(graph: TrainingGraph, phase: Phase) -> int:
    """FLOP of convolutions, matrix products and recurrent layers; gradients of biases are none.

    A recurrent op is one with the arithmetic of its gates, which is in the figure.
    """
    return int(
        sum(
            op.flop
            for k, op in enumerate(graph.ops)
            if op.phase is phase
            and kind_of(graph, k).split(".", maxsplit=1)[0] in _PRODUCTS
            and not op.name.endswith("bias_gradient")
        )
    )
