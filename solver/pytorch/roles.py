"""What the outputs of ATen operators are for, and which operators only look at what they read."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from solver.graph import Phase, Role

_LIKE_VIEWS: Final = frozenset({"aten._unsafe_view.default"})
"""Operators that copy nothing although their schema does not say so."""
_MASKS: Final = frozenset({("native_dropout", 1)})
_INDICES: Final = frozenset({
    ("max_pool2d_with_indices", 1), ("max_pool3d_with_indices", 1), ("adaptive_max_pool2d", 1),
    ("adaptive_max_pool3d", 1), ("topk", 1), ("sort", 1),
})  # fmt: skip
_STATISTICS: Final = frozenset(
    (name, place)
    for name in ("_native_batch_norm_legit_functional", "native_layer_norm", "native_group_norm")
    for place in (1, 2, 3, 4)
)
_MEANINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "_native_batch_norm_legit_functional":
        ("mean", "inverse_std", "running_mean", "running_var"),
    "native_layer_norm": ("mean", "inverse_std"),
    "native_group_norm": ("mean", "inverse_std"),
    "native_dropout": ("mask",),
    "max_pool2d_with_indices": ("indices",),
    "max_pool3d_with_indices": ("indices",),
    "adaptive_max_pool2d": ("indices",),
    "adaptive_max_pool3d": ("indices",),
})  # fmt: skip
"""What the outputs after the first are, where the schema gives them no names."""
UNSIZED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "embedding_sparse_backward": (
            "the network makes a sparse gradient, whose bytes follow the data",
            "sparse=False in its embedding",
        ),
        **dict.fromkeys(
            ("_embedding_bag", "_embedding_bag_forward_only"),
            (
                "PyTorch traces bags of embeddings (EmbeddingBag) with other sizes than it makes",
                "nn.Embedding, and the mean, sum or max of what it gives",
            ),
        ),
    }
)
"""Operators whose outputs have other bytes than tracing says, in words, and what to do."""
_MULTIPLY: Final = frozenset({"convolution", "mm", "addmm", "bmm", "baddbmm"})


def packet(target: str) -> str:
    """The operator without its overload: "relu" for "aten.relu.default"."""
    return target.split(".")[1]


def kind_of(target: str) -> str:
    """The kind of an op in the training graph: "relu", "add.Tensor"."""
    return target.removeprefix("aten.").removesuffix(".default")


def multiplies(target: str) -> bool:
    """Whether the operator's work is multiply-accumulates of activations and weights."""
    return packet(target) in _MULTIPLY


def is_view(target: Any) -> bool:
    """Whether an OpOverload's result has the bytes of what it reads."""
    return str(target) in _LIKE_VIEWS or bool(target.is_view)


def meaning(target: Any, place: int) -> str:
    """What an OpOverload's further output is: "mean", "mask", else as its schema names it."""
    found = _MEANINGS.get(packet(str(target)), ())
    if place <= len(found):
        return found[place - 1]
    returns = target._schema.returns  # noqa: SLF001 - its only name
    named = returns[place].name if place < len(returns) else ""
    return named or str(place + 1)


def role_of(phase: Phase, target: str, place: int) -> Role:
    """The role of an operator's output at `place`, weight gradients apart."""
    if phase is Phase.BACKWARD:
        return Role.GRADIENT
    key = packet(target), place
    for found, role in (
        (_MASKS, Role.MASK),
        (_INDICES, Role.INDICES),
        (_STATISTICS, Role.STATISTICS),
    ):
        if key in found:
            return role
    return Role.ACTIVATION
