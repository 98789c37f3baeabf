"""Layer code for built-in networks: each call adds one ONNX layer and returns its output's name."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from solver.graph import Shape
from solver.network import AttributeValue, Layer, Network, Value


class NetworkBuilder:
    """A network being written, batch first, channels second; float32 throughout.

    Names of layers and of their outputs are the same. Constants are `layer.weight`, `layer.bias`,
    `layer.running_mean`, `layer.running_var`.
    """

    def __init__(self, name: str, batch: int) -> None:
        self._name = name
        self._batch = batch
        self._layers: list[Layer] = []
        self._values: dict[str, Value] = {}
        self._inputs: list[str] = []
        self._constants: set[str] = set()

    def input(self, name: str, shape: Shape) -> str:
        """Add a network input; `shape` is without the batch."""
        self._values[name] = Value(name, (self._batch, *shape))
        self._inputs.append(name)
        return name

    def channels(self, source: str) -> int:
        """Channels (or features) of a value."""
        return self._values[source].shape[1]

    def conv(
        self,
        name: str,
        source: str,
        channels: int,
        *,
        kernel: int,
        stride: int = 1,
        padding: int = 0,
        bias: bool = False,
    ) -> str:
        """Add a square 2-D convolution."""
        batch, fan_in, *size = self._values[source].shape
        inputs = [source, self._constant(f"{name}.weight", (channels, fan_in, kernel, kernel))]
        if bias:
            inputs.append(self._constant(f"{name}.bias", (channels,)))
        window = _window(kernel, stride, padding)
        return self._add(
            name,
            "Conv",
            inputs,
            (batch, channels, *_windows(size, kernel=kernel, stride=stride, padding=padding)),
            window,
        )

    def batch_norm(self, name: str, source: str) -> str:
        """Add a batch normalisation with scale, bias and running statistics."""
        shape = (self.channels(source),)
        words = ("weight", "bias", "running_mean", "running_var")
        constants = [self._constant(f"{name}.{word}", shape) for word in words]
        return self._same(name, "BatchNormalization", [source, *constants], {"training_mode": 1})

    def relu(self, name: str, source: str) -> str:
        """Add a rectifier."""
        return self._same(name, "Relu", [source], {})

    def add(self, name: str, left: str, right: str) -> str:
        """Add a sum of two values of one shape."""
        return self._same(name, "Add", [left, right], {})

    def dropout(self, name: str, source: str, *, ratio: float) -> str:
        """Add a Dropout that is active in training."""
        return self._same(name, "Dropout", [source], {"ratio": ratio, "training_mode": 1})

    def max_pool(
        self, name: str, source: str, *, kernel: int, stride: int, padding: int = 0
    ) -> str:
        """Add a square 2-D maximum pool."""
        batch, channels, *size = self._values[source].shape
        return self._add(
            name,
            "MaxPool",
            [source],
            (batch, channels, *_windows(size, kernel=kernel, stride=stride, padding=padding)),
            _window(kernel, stride, padding),
        )

    def global_average_pool(self, name: str, source: str) -> str:
        """Add a mean over height and width."""
        batch, channels, *size = self._values[source].shape
        return self._add(name, "GlobalAveragePool", [source], (batch, channels, *(1 for _ in size)))

    def flatten(self, name: str, source: str) -> str:
        """Add a view as (batch, features)."""
        batch, *rest = self._values[source].shape
        return self._add(name, "Flatten", [source], (batch, math.prod(rest)), {"axis": 1})

    def linear(self, name: str, source: str, features: int) -> str:
        """Add a fully connected layer with bias; the weight is (out, in) as in torch."""
        batch, fan_in = self._values[source].shape
        weight = self._constant(f"{name}.weight", (features, fan_in))
        bias = self._constant(f"{name}.bias", (features,))
        return self._add(name, "Gemm", [source, weight, bias], (batch, features), {"transB": 1})

    def finish(self, output: str) -> Network:
        """Return the network with one output."""
        return Network(
            self._name,
            tuple(self._inputs),
            (output,),
            tuple(self._layers),
            MappingProxyType(self._values),
            frozenset(self._constants),
            batch=self._batch,
        )

    def _constant(self, name: str, shape: Shape) -> str:
        self._values[name] = Value(name, shape)
        self._constants.add(name)
        return name

    def _same(
        self,
        name: str,
        op_type: str,
        inputs: Sequence[str],
        attributes: Mapping[str, AttributeValue],
    ) -> str:
        return self._add(name, op_type, inputs, self._values[inputs[0]].shape, attributes)

    def _add(
        self,
        name: str,
        op_type: str,
        inputs: Sequence[str],
        shape: Shape,
        attributes: Mapping[str, AttributeValue] = MappingProxyType({}),
    ) -> str:
        frozen = MappingProxyType(dict(attributes))
        self._layers.append(Layer(name, op_type, tuple(inputs), (name,), frozen))
        self._values[name] = Value(name, shape)
        return name


def _window(kernel: int, stride: int, padding: int) -> Mapping[str, AttributeValue]:
    return {
        "kernel_shape": (kernel, kernel),
        "strides": (stride, stride),
        "pads": (padding,) * 4,
    }


def _windows(size: Sequence[int], *, kernel: int, stride: int, padding: int) -> tuple[int, ...]:
    """How many windows fit along each axis."""
    return tuple((length + 2 * padding - kernel) // stride + 1 for length in size)
