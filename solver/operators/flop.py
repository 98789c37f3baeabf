"""The one table of FLOP: arithmetic operations per element, by operator.

A multiply-add counts 2, every other arithmetic operation and elementary function (exp, pow, max,
comparison) 1 per element, a copy 1 per element, a view 0. Convolutions and matrix products are 2
per multiply-add and nothing else: a bias is what the sum starts from. Constant work per channel or
per layer is left out. Windows count every position, padding included.

`forward` is per element of the output, `gradient` per element of the input's gradient.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class Cost(NamedTuple):
    """Operations per element."""

    forward: int
    gradient: int


MULTIPLY_ADD: Final = 2
COPY: Final = 1
ADDITION: Final = 1

ELEMENTWISE: Final[Mapping[str, Cost]] = MappingProxyType({
    "Relu": Cost(1, 1),  # max(x, 0); dy where y > 0
    "Clip": Cost(2, 2),  # min, max; two comparisons
    "Sigmoid": Cost(4, 3),  # -x, exp, + 1, 1 /; dy * y * (1 - y)
    "Tanh": Cost(1, 3),  # tanh; dy * (1 - y * y)
    "Softmax": Cost(5, 4),  # max, -, exp, sum, /; dy * y, sum, -, * y
    "Gelu": Cost(5, 11),  # / sqrt 2, erf, + 1, * x, / 2; the factor again 4, density 5, +, * dy
    "Erf": Cost(1, 5),  # erf; square, -x, exp, * 2 / sqrt pi, * dy
    "Dropout": Cost(2, 2),  # * mask, * 1 / (1 - ratio); the same of dy
    "Add": Cost(1, COPY),
    "Sum": Cost(1, COPY),  # forward: per element and addition
    "Sub": Cost(1, COPY),
    "Mul": Cost(1, 1),
    "Div": Cost(1, 1),
})  # fmt: skip

DROPOUT_MASK: Final = 1  # draw and compare, per element of the mask
DIV_DIVISOR: Final = 3  # -dy * y / b
# Summing a gradient over the axes that its operand was spread along, per element of the output.
BROADCAST: Final = 1

BATCH_STATISTICS: Final = 4  # mean: +; variance: -, square, +; per element of the input
BATCH_APPLY: Final = 4  # - mean, * inverse std, * scale, + bias
BATCH_SCALE: Final = 4  # sum of dy * (x - mean) * inverse std
BATCH_BIAS: Final = 1  # sum of dy
# xhat: 2; sums of dy and dy * xhat: 3; dy - mean - xhat * mean: 3; * (scale * inverse std): 1
BATCH_INPUT: Final = 9

LAYER_NORM: Final = 8  # as the two above, over the last axes
LAYER_SCALE: Final = 4  # as of batch normalisation
LAYER_BIAS: Final = 1
# xhat: 2; dy * scale: 1; sums of it and of its product with xhat: 3; dy - mean - xhat * mean: 3;
# * inverse std: 1
LAYER_INPUT: Final = 10

RESIZE_TAPS: Final[Mapping[str, int]] = MappingProxyType({"nearest": 1, "linear": 2, "cubic": 4})
# Input elements that one output element reads per resized axis.

LRN: Final = Cost(5, 11)
# Forward: square, * alpha / size, + bias, pow, /. Gradient: scale again 3, pow 1, dy * pow 1, y 1,
# dy * y / scale 2, * x and * (2 alpha beta / size) 2, - 1. Besides these the sums over the window:
# `size` additions per element, once forward and twice in the gradient.

POOL_FILL: Final = (
    1  # writing the input gradient of a pool, per element of it; one addition per window position
)

LOSS: Final[Mapping[str, Cost]] = MappingProxyType({
    "softmax-ce": Cost(5, 2),  # as Softmax; (p - t) / positions
    "probabilities": Cost(0, 2),  # of an output that is a Softmax already
    "mse": Cost(3, 2),  # -, square, +; (y - t) * 2 / elements
    "sum": Cost(1, COPY),  # +; ones
})  # fmt: skip
LOSS_PER_POSITION: Final = 2  # log of the probability of the true class, +
