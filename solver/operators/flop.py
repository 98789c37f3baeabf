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

_TRUTH: Final = Cost(1, 0)  # a comparison or an operation of logic, without gradient
_ZERO: Final = Cost(1, COPY)  # a step function: its gradient is written as zeros

ELEMENTWISE: Final[Mapping[str, Cost]] = MappingProxyType({
    "Relu": Cost(1, 1),  # max(x, 0); dy where y > 0
    "Clip": Cost(2, 2),  # min, max; two comparisons
    "Sigmoid": Cost(4, 3),  # -x, exp, + 1, 1 /; dy * y * (1 - y)
    "Tanh": Cost(1, 3),  # tanh; dy * (1 - y * y)
    "Softmax": Cost(5, 4),  # max, -, exp, sum, /; dy * y, sum, -, * y
    "LogSoftmax": Cost(5, 4),  # max, -, exp, sum, -; exp y, sum of dy, *, -
    "Hardmax": Cost(2, COPY),  # max, =; zeros
    "Gelu": Cost(5, 11),  # / sqrt 2, erf, + 1, * x, / 2; the factor again 4, density 5, +, * dy
    # u = c (x + a x^3) 5, tanh, + 1, * x, / 2; u and tanh again 6, (1 + t) / 2: 2, its slope
    # x / 2 * (1 - t t) * c * (1 + 3 a x x): 8, +, * dy
    "Gelu, tanh": Cost(9, 18),
    "Swish": Cost(6, 10),  # * alpha, sigmoid 4, * x; s again 5, dy * s * (1 + alpha x * (1 - s)): 5
    "com.microsoft::FastGelu": Cost(9, 18),  # Gelu by tanh under another name
    "com.microsoft::QuickGelu": Cost(6, 10),  # Swish under another name
    # softplus 3, tanh, * x; t again 4, sigmoid 4, dy * (t + x * s * (1 - t t)) 6
    "Mish": Cost(5, 14),
    "HardSigmoid": Cost(4, 3),  # * alpha, + beta, min, max; two comparisons, * alpha
    "HardSwish": Cost(5, 5),  # / 6, + 1 / 2, min, max, * x; two comparisons, / 3, + 1 / 2, * dy
    "LeakyRelu": Cost(2, 2),  # > 0, * alpha; the same of dy
    "PRelu": Cost(2, 2),  # as LeakyRelu
    "ThresholdedRelu": Cost(1, 1),  # as Relu
    "Shrink": Cost(3, 2),  # two comparisons, + bias; two comparisons
    "Elu": Cost(4, 3),  # > 0, exp, - 1, * alpha; > 0, y + alpha, * dy
    "Selu": Cost(5, 3),  # as Elu, * gamma; > 0, y + gamma alpha (or gamma), * dy
    "Celu": Cost(5, 4),  # > 0, / alpha, exp, - 1, * alpha; > 0, y / alpha, + 1, * dy
    "Softplus": Cost(3, 5),  # exp, + 1, log; dy * sigmoid 4
    "Softsign": Cost(3, 4),  # abs, + 1, /; abs, + 1, square, dy /
    "Erf": Cost(1, 5),  # erf; square, -x, exp, * 2 / sqrt pi, * dy
    "Exp": Cost(1, 1),  # exp; dy * y
    "Log": Cost(1, 1),  # log; dy / x
    "Sqrt": Cost(1, 2),  # sqrt; dy / 2 y
    "Reciprocal": Cost(1, 3),  # 1 /; -dy * y * y
    "Abs": Cost(1, 2),  # abs; dy * sign x
    "Neg": Cost(1, 1),
    "Sin": Cost(1, 2),  # sin; dy * cos x
    "Cos": Cost(1, 3),  # cos; -dy * sin x
    "Tan": Cost(1, 3),  # tan; dy * (1 + y * y)
    "Asin": Cost(1, 4),  # asin; square, 1 -, sqrt, dy /
    "Acos": Cost(1, 5),  # as Asin, negated
    "Atan": Cost(1, 3),  # atan; square, 1 +, dy /
    "Sinh": Cost(1, 2),  # sinh; dy * cosh x
    "Cosh": Cost(1, 2),  # cosh; dy * sinh x
    "Asinh": Cost(1, 4),  # asinh; square, + 1, sqrt, dy /
    "Acosh": Cost(1, 4),  # acosh; square, - 1, sqrt, dy /
    "Atanh": Cost(1, 3),  # atanh; square, 1 -, dy /
    "Sign": _ZERO,
    "Floor": _ZERO,
    "Ceil": _ZERO,
    "Round": _ZERO,
    "Dropout": Cost(2, 2),  # * mask, * 1 / (1 - ratio); the same of dy
    "Add": Cost(1, COPY),
    "Sum": Cost(1, COPY),  # forward: per element and addition
    "Sub": Cost(1, COPY),
    "Mul": Cost(1, 1),
    "Div": Cost(1, 1),
    "Pow": Cost(1, 3),  # pow; pow of the exponent less one, * exponent, * dy
    "Mod": Cost(1, COPY),  # per element and operand after the first, as all below
    "Max": Cost(1, 2),  # max; dy where the operand is the largest
    "Min": Cost(1, 2),
    "Mean": Cost(1, 1),  # + and one division; dy / operands
    "Where": Cost(COPY, COPY),  # the gradient is zero where the other operand was taken
    **dict.fromkeys(
        (
            "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor", "Not",
            "IsNaN", "IsInf", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot",
        ),
        _TRUTH,
    ),
})  # fmt: skip

PRELU_SLOPE: Final = 3  # of the slope of PRelu, per element of the output: > 0, dy * x, +
POW_EXPONENT: Final = 3  # dy * y * log of the base
MOD_DIVISOR: Final = 3  # -dy * whole part of a / b

DROPOUT_MASK: Final = 1  # draw and compare, per element of the mask
DIV_DIVISOR: Final = 3  # -dy * y / b
# Summing a gradient over the axes that its operand was spread along, per element of the output.
BROADCAST: Final = 1

CELL_START: Final = 6  # of an LSTM's first cell: g * g, 1 -, * i, 1 /, * f, * gradient of the sum

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

RMS_NORM: Final = 4  # square, +, * inverse root of the mean, * scale
RMS_SCALE: Final = 3  # sum of dy * x * inverse root
# xhat 1; dy * scale 1; sum of its product with xhat 2; dy - xhat * mean 2; * inverse root 1
RMS_INPUT: Final = 7
LP_NORM: Final = Cost(3, 5)  # power, +, /; dy * y, +, y * sum, dy -, / norm
MEAN_VARIANCE: Final = Cost(6, 7)
# Forward as batch normalisation less * scale, + bias. Gradient: sums of dy and dy * y 3,
# dy - mean - y * mean 3, * inverse std 1.

REDUCE: Final[Mapping[str, Cost]] = MappingProxyType({
    # Per element of the input; one operation per element of the output is left out where the sum
    # is finished by a root, a logarithm or a division.
    "ReduceSum": Cost(1, COPY),
    "ReduceMean": Cost(1, COPY),
    "ReduceMax": Cost(1, 2),  # =, dy where it holds
    "ReduceMin": Cost(1, 2),
    "ReduceProd": Cost(1, 2),  # dy * y / x
    "ReduceL1": Cost(2, 2),  # abs, +; sign, * dy
    "ReduceL2": Cost(2, 2),  # square, +; dy * x / y
    "ReduceSumSquare": Cost(2, 2),  # square, +; 2 * x * dy
    "ReduceLogSum": Cost(1, COPY),  # dy / exp y, spread
    "ReduceLogSumExp": Cost(4, 3),  # max, -, exp, +; dy * exp(x - y)
})  # fmt: skip
ARG_REDUCE: Final = 1  # a comparison per element of the input
CUMULATE: Final[Mapping[str, Cost]] = MappingProxyType({
    "CumSum": Cost(1, 1),
    "CumProd": Cost(1, 3),  # dy * y, its sums from the other end, / x
})  # fmt: skip

RESIZE_TAPS: Final[Mapping[str, int]] = MappingProxyType({"nearest": 1, "linear": 2, "cubic": 4})
# Input elements that one output element reads per resized axis.

LRN: Final = Cost(5, 11)
# Forward: square, * alpha / size, + bias, pow, /. Gradient: scale again 3, pow 1, dy * pow 1, y 1,
# dy * y / scale 2, * x and * (2 alpha beta / size) 2, - 1. Besides these the sums over the window:
# `size` additions per element, once forward and twice in the gradient.

POOL_FILL: Final = (
    1  # writing the input gradient of a pool, per element of it; one addition per window position
)

LP_POOL: Final = Cost(3, 6)  # |x|, pow, +; |x|, / y, pow, * sign, * dy, +; per window position

# Deformable convolution, per sampled element: four neighbours and the mask; back to the four
# neighbours and the mask's factor; the slope along both axes.
DEFORM_SAMPLE: Final = 9
DEFORM_SCATTER: Final = 9
DEFORM_SLOPE: Final = 16

LOSS: Final[Mapping[str, Cost]] = MappingProxyType({
    "softmax-ce": Cost(5, 2),  # as Softmax; (p - t) / positions
    "probabilities": Cost(0, 2),  # of an output that is a Softmax already
    "mse": Cost(3, 2),  # -, square, +; (y - t) * 2 / elements
    "sum": Cost(1, COPY),  # +; ones
})  # fmt: skip
LOSS_PER_POSITION: Final = 2  # log of the probability of the true class, +


class ScatterCost(NamedTuple):
    """Operations of one gradient of a scatter, per element of the data and of the updates."""

    data: int
    updates: int


SCATTER: Final[Mapping[str, tuple[ScatterCost, ScatterCost]]] = MappingProxyType({
    # Gradients of the data and of the updates, by what joins an update with the data.
    "none": (ScatterCost(COPY, COPY), ScatterCost(0, COPY)),  # dy, zeros at the indices; dy there
    "add": (ScatterCost(COPY, 0), ScatterCost(0, COPY)),
    "mul": (ScatterCost(2, 0), ScatterCost(1, 2)),  # dy * y / x; dy * y, taken, / update
    # Who reached the extreme: =, y taken, =, counted; dy / count; * (=), and taken for the updates.
    "max": (ScatterCost(3, 3), ScatterCost(2, 5)),
    "min": (ScatterCost(3, 3), ScatterCost(2, 5)),
})  # fmt: skip

DRAW: Final[Mapping[str, int]] = MappingProxyType({
    "RandomNormal": 3,  # draw, * scale, + mean
    "RandomNormalLike": 3,
    "RandomUniform": 3,  # draw, * width, + low
    "RandomUniformLike": 3,
    "Bernoulli": 1,  # draw and compare, as Dropout's mask
    "Multinomial": 1,
})  # fmt: skip
MULTINOMIAL_WEIGHING: Final = 5  # max, -, exp, running sum, /; per class

QUANTIZE: Final = 7  # / scale, round, + zero point, min, max; - zero point, * scale
DEQUANTIZE: Final = 2  # - zero point, * scale
DYNAMIC_RANGE: Final = 2  # min, max; per element of the input

ROTATION: Final = 3  # * cosine, * sine of the other one of a pair, +

ATTENTION_SCALE: Final = 1  # * scale; this and the next ones per score, a query meeting a key
SOFTCAP: Final = 3  # / limit, tanh, * limit
SOFTCAP_GRADIENT: Final = 3  # dy * (1 - t * t)
ATTENTION_AGAIN: Final = 2  # - log of the sum, exp: probabilities from scores
ATTENTION_SCORES: Final = 3  # dp - line, * p, * scale
ATTENTION_LINES: Final = 2  # sum of dy * y over the width, per element of the output
