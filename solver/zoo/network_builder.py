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

    def input(self, name: str, shape: Shape, dtype: str = "float32") -> str:
        """Add a network input; `shape` is without the batch."""
        self._values[name] = Value(name, (self._batch, *shape), dtype)
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
        groups: int = 1,
    ) -> str:
        """Add a square 2-D convolution."""
        batch, fan_in, *size = self._values[source].shape
        weight = (channels, fan_in // groups, kernel, kernel)
        inputs = [source, self._constant(f"{name}.weight", weight)]
        if bias:
            inputs.append(self._constant(f"{name}.bias", (channels,)))
        window = {**_window(kernel, stride, padding), "group": groups}
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

    def relu6(self, name: str, source: str) -> str:
        """Add a rectifier that stops at 6."""
        return self._same(name, "Clip", [source], {"min": 0.0, "max": 6.0})

    def elementwise(self, name: str, op_type: str, source: str) -> str:
        """Add a function without constants or attributes: Gelu, Tanh, ..."""
        return self._same(name, op_type, [source], {})

    def softmax(self, name: str, source: str) -> str:
        """Add a Softmax over the last axis."""
        return self._same(name, "Softmax", [source], {"axis": -1})

    def layer_norm(self, name: str, source: str) -> str:
        """Add a layer normalisation over the last axis with scale and bias."""
        shape = self._values[source].shape[-1:]
        constants = [self._constant(f"{name}.{word}", shape) for word in ("weight", "bias")]
        return self._same(name, "LayerNormalization", [source, *constants], {"axis": -1})

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

    def concat(self, name: str, *sources: str) -> str:
        """Join values along the channels."""
        batch, _, *size = self._values[sources[0]].shape
        channels = sum(self.channels(source) for source in sources)
        return self._add(name, "Concat", sources, (batch, channels, *size), {"axis": 1})

    def upsample(self, name: str, source: str) -> str:
        """Double height and width by bilinear interpolation."""
        batch, channels, *size = self._values[source].shape
        shape = (batch, channels, *(2 * length for length in size))
        return self._add(name, "Resize", [source], shape, {"mode": "linear"})

    def matmul(self, name: str, left: str, right: str) -> str:
        """Add a product of stacks of matrices, alike but for the last two axes."""
        *stack, rows, _ = self._values[left].shape
        columns = self._values[right].shape[-1]
        return self._add(name, "MatMul", [left, right], (*stack, rows, columns))

    def transpose(self, name: str, source: str, order: Sequence[int]) -> str:
        """Add a copy with the axes in another order."""
        shape = self._values[source].shape
        target = tuple(shape[axis] for axis in order)
        return self._add(name, "Transpose", [source], target, {"perm": tuple(order)})

    def reshape(self, name: str, source: str, shape: Shape) -> str:
        """Add a view under another shape, which is the whole of it, batch included."""
        target = f"{name}.shape"
        self._values[target] = Value(target, (len(shape),), "int64", shape)
        self._constants.add(target)
        return self._add(name, "Reshape", [source, target], shape)

    def embedding(self, name: str, indices: str, *, entries: int, features: int) -> str:
        """Add a look-up of trained rows, one per index."""
        table = self._constant(f"{name}.weight", (entries, features))
        shape = (*self._values[indices].shape, features)
        return self._add(name, "Gather", [table, indices], shape, {"axis": 0})

    def first_position(self, name: str, source: str) -> str:
        """Add a copy of the first entry of axis 1, which disappears."""
        index = f"{name}.index"
        self._values[index] = Value(index, (), "int64", (0,))
        self._constants.add(index)
        batch, _, *rest = self._values[source].shape
        return self._add(name, "Gather", [source, index], (batch, *rest), {"axis": 1})

    def flatten(self, name: str, source: str) -> str:
        """Add a view as (batch, features)."""
        batch, *rest = self._values[source].shape
        return self._add(name, "Flatten", [source], (batch, math.prod(rest)), {"axis": 1})

    def linear(self, name: str, source: str, features: int, *, factor: float = 1.0) -> str:
        """Add a fully connected layer with bias; the weight is (out, in) as in torch.

        `factor` multiplies the result (Gemm's own alpha and beta).
        """
        rows, fan_in = self._values[source].shape
        weight = self._constant(f"{name}.weight", (features, fan_in))
        bias = self._constant(f"{name}.bias", (features,))
        attributes = {"transB": 1, "alpha": factor, "beta": factor}
        return self._add(name, "Gemm", [source, weight, bias], (rows, features), attributes)

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
