"""Layers as the released POET code counts them, and the training graph it makes of their list.

Facts (not code) from ShishirPatil/poet, poet/power_computation.py and its transformer sister.
Its rules are kept even where they are rough, because published figures rest on them: a convolution
is counted over its input whatever the stride, a linear layer without its rows, a view copies.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from solver.graph import (
    Accounting,
    GraphSettings,
    Op,
    Phase,
    Role,
    Shape,
    Tensor,
    Trainable,
    TrainingGraph,
)

ELEMENT_BYTES: Final = 4
"""Every element is a float32."""


@dataclass(frozen=True, slots=True)
class PoetLayer:
    """One forward layer: its class, output shape, FLOP, the layers it reads, and its parameters.

    `inputs` are positions in the list. `parameters` counts elements, `statistics` those among them
    that are running statistics; `macs` are the multiply-adds that `flop` holds.
    """

    kind: str
    shape: Shape
    flop: int
    inputs: tuple[int, ...] = ()
    parameters: int = 0
    statistics: int = 0
    macs: int = 0

    @property
    def bytes(self) -> int:
        """Size of the output."""
        return prod(self.shape) * ELEMENT_BYTES


class LayerList:
    """Forward layers in order. Every method appends one layer and returns its position.

    Inputs are positions too; a layer without an explicit input reads the last one.
    """

    def __init__(self, input_shape: Shape) -> None:
        self.layers: list[PoetLayer] = [PoetLayer("InputLayer", input_shape, 0)]

    @property
    def last(self) -> int:
        """Position of the layer appended last."""
        return len(self.layers) - 1

    def linear(self, features: int) -> int:
        """Dense layer with bias on the last axis; its FLOP leave the number of rows out."""
        rows, width = self._last_shape()
        parameters = (width + 1) * features
        return self._append(
            PoetLayer(
                "LinearLayer",
                (rows, features),
                2 * parameters + features,
                (self.last,),
                parameters,
                macs=width * features,
            )
        )

    def linear_relu(self, features: int) -> int:
        """Dense layer and ReLU in one."""
        rows, width = self._last_shape()
        parameters = (width + 1) * features
        return self._append(
            PoetLayer(
                "LinearLayerReLU",
                (rows, features),
                2 * parameters + features + rows * features,
                (self.last,),
                parameters,
                macs=width * features,
            )
        )

    def conv(
        self, channels: int, kernel: int, *, stride: int, padding: int, source: int | None = None
    ) -> int:
        """Square convolution with bias of layer `source`; counted over its input, stride or not."""
        read = self.last if source is None else source
        batch, width, *image = self.layers[read].shape
        shape = (
            batch,
            channels,
            *((size - kernel + 2 * padding) // stride + 1 for size in image),
        )
        macs = kernel**2 * prod(self.layers[read].shape) * channels
        return self._append(
            PoetLayer(
                "Conv2dLayer",
                shape,
                2 * macs + prod(shape),
                (read,),
                channels * width * kernel**2 + channels,
                macs=macs,
            )
        )

    def batch_norm(self) -> int:
        """Batch normalisation: scale, bias and two running statistics per channel."""
        shape = self._last_shape()
        flop = 2 * prod(shape)
        layer = PoetLayer("BatchNorm2d", shape, flop, (self.last,), 4 * shape[1], 2 * shape[1])
        return self._append(layer)

    def relu(self) -> int:
        """ReLU, one FLOP per element."""
        return self._elementwise("ReLULayer")

    def dropout(self) -> int:
        """Dropout, one FLOP per element, its mask not counted."""
        return self._elementwise("DropoutLayer")

    def max_pool(self, kernel: int, stride: int) -> int:
        """Square max-pool without padding."""
        return self._pool("MaxPool2d", kernel, stride)

    def average_pool(self, kernel: int) -> int:
        """Square average pool of stride 1 without padding."""
        return self._pool("AvgPool2d", kernel, 1)

    def flatten(self) -> int:
        """Flatten to rows: a full copy here."""
        shape = self._last_shape()
        flat = (shape[0], prod(shape[1:]))
        return self._append(PoetLayer("FlattenLayer", flat, prod(flat), (self.last,)))

    def add(self, first: int, second: int) -> int:
        """Sum of two layers, shaped like the first whatever the second."""
        shape = self.layers[first].shape
        return self._append(PoetLayer("SkipAddLayer", shape, prod(shape), (first, second)))

    def query_key_value(self, *, width: int, heads: int) -> int:
        """Make the three projections of attention as one layer without bias."""
        tokens, hidden = self._last_shape()
        weights = 3 * hidden * width * heads
        macs = tokens * weights
        shape = (3 * tokens, width, heads)
        return self._append(
            PoetLayer("QueryKeyValueMatrix", shape, macs, (self.last,), weights, macs=macs)
        )

    def query_key(self, *, tokens: int, width: int, heads: int) -> int:
        """Attention scores, with masking and dropout at one FLOP per element each."""
        shape = (tokens, tokens, heads)
        macs = tokens * width * tokens * heads
        layer = PoetLayer("QKTMatrix", shape, macs + 2 * prod(shape), (self.last,), macs=macs)
        return self._append(layer)

    def weighted_values(self, *, tokens: int, width: int, heads: int) -> int:
        """Scores times values, and putting the heads side by side at the same FLOP again."""
        macs = tokens * tokens * width * heads
        shape = (tokens, width * heads)
        return self._append(PoetLayer("QKTVMatrix", shape, 2 * macs, (self.last,), macs=macs))

    def cross_entropy(self, classes: int) -> int:
        """Loss over `classes`: one number per class, as many FLOP as inputs times classes."""
        flop = prod(self._last_shape()) * classes
        return self._append(PoetLayer("CrossEntropyLoss", (classes,), flop, (self.last,)))

    def _elementwise(self, kind: str) -> int:
        shape = self._last_shape()
        return self._append(PoetLayer(kind, shape, prod(shape), (self.last,)))

    def _pool(self, kind: str, kernel: int, stride: int) -> int:
        batch, channels, *image = self._last_shape()
        shape = (batch, channels, *((size - kernel) // stride + 1 for size in image))
        return self._append(PoetLayer(kind, shape, 2 * kernel**2 * prod(shape), (self.last,)))

    def _last_shape(self) -> Shape:
        return self.layers[-1].shape

    def _append(self, layer: PoetLayer) -> int:
        self.layers.append(layer)
        return self.last


def mirrored_graph(name: str, layers: LayerList) -> TrainingGraph:
    """Training graph of `layers`, the last of which is the loss.

    Backward, one gradient per neighbouring pair of the list: shaped like the later layer, at twice
    the FLOP of the earlier one; it reads both outputs and the gradient before it. The released code
    lets the first one read the loss twice, which would free it twice: here it is read once. Forward
    ops may all run again, the input too (0 FLOP, not in storage at the start); gradients may not.
    """
    forward = tuple(layers.layers)
    names = [f"layer{k}_{layer.kind}" for k, layer in enumerate(forward)]
    trained = [_parameters(label, layer) for label, layer in zip(names, forward, strict=True)]
    roles = [Role.INPUT, *[Role.ACTIVATION] * (len(forward) - 1)]
    tensors = [_tensor(*entry) for entry in zip(names, forward, roles, strict=True)]
    gradients = _gradients(forward, names, trained)
    # One gradient per neighbouring pair, shaped like the later layer of the pair.
    tensors += [
        _tensor(op.name, layer, Role.GRADIENT)
        for op, layer in zip(gradients, reversed(forward[1:]), strict=True)
    ]
    return TrainingGraph(
        name=name,
        ops=(*_forward_ops(forward, names, trained), *gradients),
        tensors=tuple(tensors),
        trainable=tuple(constant for constants in trained for constant in constants),
        loss_tensors=(names[-1],),
        weight_bytes=sum(layer.parameters for layer in forward) * ELEMENT_BYTES,
        trainable_bytes=sum(constant.bytes for constants in trained for constant in constants),
        forward_macs=sum(layer.macs for layer in forward),
        forward_bytes=sum(layer.bytes for layer in forward),
        settings=GraphSettings(accounting=Accounting.POET, batch=1, loss="softmax-ce"),
    )


def _forward_ops(
    forward: Sequence[PoetLayer], names: Sequence[str], trained: Sequence[tuple[Trainable, ...]]
) -> list[Op]:
    return [
        Op(
            label,
            layer.kind,
            Phase.FORWARD,
            tuple(names[i] for i in layer.inputs),
            (label,),
            float(layer.flop),
            trainable=tuple(constant.name for constant in constants),
        )
        for label, layer, constants in zip(names, forward, trained, strict=True)
    ]


def _gradients(
    forward: Sequence[PoetLayer], names: Sequence[str], trained: Sequence[tuple[Trainable, ...]]
) -> list[Op]:
    """Gradient ops, from the last pair of neighbours to the first."""
    found: list[Op] = []
    before = names[-1]
    for k in range(len(forward) - 2, -1, -1):
        label = f"layer{len(forward) + len(found)}_GradientLayer"
        found.append(
            Op(
                label,
                "GradientLayer",
                Phase.BACKWARD,
                tuple(dict.fromkeys((names[k], names[k + 1], before))),
                (label,),
                2.0 * forward[k].flop,
                recomputable=False,
                gradient_of=(names[k + 1], *(constant.name for constant in trained[k + 1])),
            )
        )
        before = label
    return found


def _parameters(label: str, layer: PoetLayer) -> tuple[Trainable, ...]:
    size = (layer.parameters - layer.statistics) * ELEMENT_BYTES
    return (Trainable(f"{label}.parameters", size),) if size else ()


def _tensor(label: str, like: PoetLayer, role: Role) -> Tensor:
    return Tensor(label, like.bytes, label, like.shape, "float32", role)
