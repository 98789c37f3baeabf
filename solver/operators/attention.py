"""Fused attention, whose probabilities are made again and never kept, and turned positions."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple

from solver.graph import Role
from solver.network import Value
from solver.operators import flop
from solver.operators.base import Extra, Gradient, Ref, Rule, Site

_STACKED: Final = 4  # rank of (batch, heads, positions, width); rank 3 joins heads and width


class Slots(NamedTuple):
    """Where an operator has the inputs that may have gradients."""

    query: int
    key: int
    value: int
    bias: int
    past_key: int
    past_value: int


@dataclass(frozen=True, slots=True)
class _Sizes:
    """`scores`: elements of queries times keys; multiply-adds of the two products; `out` elements.

    `lines` is the shape of one number per query: (batch, heads, queries).
    """

    scores: int
    score_macs: int
    mix_macs: int
    out: int
    lines: tuple[int, ...]


class Attention(Rule):
    """softmax(q k' * scale + bias) v for all heads in one op, without writing the scores.

    As in FlashAttention (Dao et al., NeurIPS 2022) and PyTorch's scaled_dot_product_attention,
    operands, output and one float32 per query, the logarithm of the softmax's sum, are kept. One
    op makes all gradients; it makes the probabilities again from the scores. Scores that a causal
    mask hides are counted like the others.
    """

    slots: ClassVar[Slots] = Slots(query=0, key=1, value=2, bias=3, past_key=4, past_value=5)
    masks: ClassVar[tuple[int, ...]] = (3,)  # what is added to the scores
    heads: ClassVar[str] = "q_num_heads"

    def flop(self, site: Site) -> int:
        """2 per multiply-add of two products; 6 to 10 per score; 1 per element carried over.

        Per score: scale, bias and limit where there are, Softmax.
        """
        sizes = self._sizes(site)
        softmax = flop.ELEMENTWISE["Softmax"].forward
        carried = sum(
            site.input(slot).elements
            for slot in (self.slots.past_key, self.slots.past_value)
            if site.has_input(slot)
        )
        products = flop.MULTIPLY_ADD * (sizes.score_macs + sizes.mix_macs)
        return products + (self._per_score(site) + softmax) * sizes.scores + flop.COPY * carried

    def kept_extras(self, site: Site) -> tuple[Extra, ...]:
        """The logarithm of each query's sum of exponentials."""
        return (Extra("logsumexp", self._sizes(site).lines, "float32", Role.STATISTICS),)

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """Queries, keys, values, the bias of the scores, and what earlier steps carried over."""
        return tuple(sorted(self.slots))

    def joint_gradient(self, site: Site, slots: tuple[int, ...]) -> Gradient:
        """Read operands, output, one number per query: one op, 2 per multiply-add of five products.

        And 6 to 14 per score: scores and probabilities are made again, then each of the two
        products gives two, where they are wanted; for the values alone the output is not read.
        """
        sizes, wanted, at = self._sizes(site), set(slots), self.slots
        scores_too = wanted - {at.value, at.past_value}
        score_product = flop.MULTIPLY_ADD * sizes.score_macs
        mix_product = flop.MULTIPLY_ADD * sizes.mix_macs
        per_score = self._per_score(site) + flop.ATTENTION_AGAIN
        total = score_product
        if wanted & {at.value, at.past_value}:
            total += mix_product
        if scores_too:
            per_score += flop.ATTENTION_SCORES + (flop.SOFTCAP_GRADIENT if _cap(site) else 0)
            total += mix_product + flop.ATTENTION_LINES * sizes.out
        if at.query in wanted:
            total += score_product
        if wanted & {at.key, at.past_key}:
            total += score_product
        if at.bias in wanted:
            per_score += flop.BROADCAST
        return Gradient(
            total + per_score * sizes.scores, self._reads(site, output=bool(scores_too))
        )

    def _reads(self, site: Site, *, output: bool) -> tuple[Ref, ...]:
        operands = sorted({*self.slots, *self.masks})
        names = tuple(site.input(slot).name for slot in operands if site.has_input(slot))
        made = (site.output().name,) if output else ()
        return (*names, *made, *self.kept_extras(site))

    def _per_score(self, site: Site) -> int:
        """Operations on one score before the Softmax."""
        masked = flop.ADDITION * sum(site.has_input(slot) for slot in self.masks)
        return flop.ATTENTION_SCALE + masked + (flop.SOFTCAP if _cap(site) else 0)

    def _sizes(self, site: Site) -> _Sizes:
        at = self.slots
        query, key = site.input(at.query), site.input(at.key)
        if len(query.shape) == _STACKED:
            heads, queries = query.shape[1:3]
        else:
            heads, queries = site.integer(self.heads, 1), query.shape[1]
        keys = _positions(key) + _past_positions(site, at.past_key)
        batch, out = query.shape[0], site.output().elements
        return _Sizes(
            scores=batch * heads * queries * keys,
            score_macs=query.elements * keys,
            mix_macs=out * keys,
            out=out,
            lines=(batch, heads, queries),
        )


class MultiHeadAttention(Attention):
    """onnxruntime's own operator of the same kind (com.microsoft), without a projection bias."""

    slots: ClassVar[Slots] = Slots(query=0, key=1, value=2, bias=5, past_key=6, past_value=7)
    masks: ClassVar[tuple[int, ...]] = (4, 5)
    heads: ClassVar[str] = "num_heads"


def _positions(value: Value) -> int:
    return value.shape[2] if len(value.shape) == _STACKED else value.shape[1]


def _past_positions(site: Site, slot: int) -> int:
    return _positions(site.input(slot)) if site.has_input(slot) else 0


def _cap(site: Site) -> bool:
    return site.number("softcap", 0.0) != 0.0


class RotaryEmbedding(Rule):
    """Pairs of features turned by an angle of their position: the gradient is turned back.

    Cosines and sines are settings, as are the positions that pick them.
    """

    def flop(self, site: Site) -> int:
        """3 per element that is turned, 1 per other one."""
        source = site.input(0)
        heads = site.integer("num_heads", 0)
        if heads and len(source.shape) != _STACKED:
            width = source.shape[-1] // heads
        else:
            width = source.shape[-1]
        turned = (
            source.elements // max(width, 1) * (site.integer("rotary_embedding_dim", 0) or width)
        )
        return flop.ROTATION * turned + flop.COPY * (source.elements - turned)

    def differentiable(self, site: Site) -> tuple[int, ...]:  # noqa: ARG002 - one shape for all
        """What is turned."""
        return (0,)

    def gradient(self, site: Site, slot: int) -> Gradient:  # noqa: ARG002 - one shape for all
        """Read cosines, sines and positions where they are no constants: as the op."""
        settings = tuple(site.input(k).name for k in site.slots() if k > 0)
        return Gradient(self.flop(site), settings)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Attention": Attention(),
    "RotaryEmbedding": RotaryEmbedding(),
    "com.microsoft::MultiHeadAttention": MultiHeadAttention(),
    "com.microsoft::RotaryEmbedding": RotaryEmbedding(),
})  # fmt: skip
