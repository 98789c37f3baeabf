"""Small networks for tests, one call per layer."""

from types import MappingProxyType

from solver.graph import Op, TrainingGraph
from solver.network import AttributeValue, Layer, Network, Value
from solver.training import TrainingOptions, expand

Shape = tuple[int, ...]


class NetworkOf:
    """Collects layers; a layer's output has the layer's name unless `outputs` says otherwise."""

    def __init__(self, **inputs: Shape) -> None:
        self.inputs = list(inputs)
        self.values = {name: Value(name, shape) for name, shape in inputs.items()}
        self.layers: list[Layer] = []
        self.constants: set[str] = set()
        self.warnings: tuple[str, ...] = ()

    def input(self, name: str, shape: Shape, dtype: str) -> "NetworkOf":
        self.inputs.append(name)
        self.values[name] = Value(name, shape, dtype)
        return self

    def const(self, name: str, shape: Shape, dtype: str = "float32") -> "NetworkOf":
        self.values[name] = Value(name, shape, dtype)
        self.constants.add(name)
        return self

    def layer(
        self,
        name: str,
        op_type: str,
        inputs: str,
        shape: Shape,
        *,
        dtype: str = "float32",
        more: dict[str, Shape] | None = None,
        **attributes: AttributeValue,
    ) -> "NetworkOf":
        """`inputs` are names apart by spaces ("-" = absent); `more` are outputs after the first."""
        self.values[name] = Value(name, shape, dtype)
        for other, size in (more or {}).items():
            self.values[other] = Value(other, size, dtype)
        names = tuple("" if item == "-" else item for item in inputs.split())
        frozen = MappingProxyType(dict(attributes))
        self.layers.append(Layer(name, op_type, names, (name, *(more or {})), frozen))
        return self

    def network(self, *outputs: str) -> Network:
        return Network(
            "test",
            tuple(self.inputs),
            outputs or (self.layers[-1].outputs[0],),
            tuple(self.layers),
            MappingProxyType(dict(self.values)),
            frozenset(self.constants),
            warnings=self.warnings,
        )


def trained(name: str, shape: Shape, net: NetworkOf) -> str:
    """A value `name` of `shape` that depends on a trained constant: an input plus `name.bias`.

    The bias lies along the channels (axis 1, or the only axis), which must be more than one.
    """
    net.input(f"{name}.input", shape, "float32")
    channels = shape if len(shape) == 1 else (shape[1],) + (1,) * (len(shape) - 2)
    net.const(f"{name}.bias", channels if len(shape) != 2 else (shape[1],))
    net.layer(name, "Add", f"{name}.input {name}.bias", shape)
    return name


def one_layer(
    op_type: str,
    variables: dict[str, Shape],
    shape: Shape,
    *,
    constants: dict[str, Shape] | None = None,
    order: str = "",
    **attributes: AttributeValue,
) -> Network:
    """A layer `it` that reads trained variables and constants, in `order` or as they are given."""
    net = NetworkOf()
    for name, size in variables.items():
        trained(name, size, net)
    for name, size in (constants or {}).items():
        net.const(name, size)
    inputs = order or " ".join((*variables, *(constants or {})))
    return net.layer("it", op_type, inputs, shape, **attributes).network()


def graph_of_layer(network: Network) -> TrainingGraph:
    """The training graph under a loss of sum: nothing but the layers' own ops and copies."""
    return expand(network, TrainingOptions(loss="sum"))


def op_named(graph: TrainingGraph, name: str) -> Op:
    return graph.ops[graph.op_index[name]]


def kept(graph: TrainingGraph, *, layer: str = "it") -> set[str]:
    """Forward tensors that the gradients of a layer read."""
    forward = {name for op in graph.ops[: graph.first_backward] for name in op.outputs}
    return {
        name
        for op in graph.ops[graph.first_backward :]
        if op.name.startswith(f"{layer}.")
        for name in op.inputs
        if name in forward
    }
