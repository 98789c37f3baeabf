"""Shapes of attention as one operator: ONNX's own (opset 23) and onnxruntime's."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from solver.graph import Shape
from solver.loaders.onnx_rules.base import (
    Fact,
    Inference,
    Node,
    Rule,
    RuleError,
    broadcast,
    one,
    text_of,
)

_JOINED: Final = 3  # rank of (batch, positions, heads x width)
_STACKED: Final = 4  # rank of (batch, heads, positions, width)


class _Heads(NamedTuple):
    """One operand as (batch, heads, positions, width)."""

    batch: int
    heads: int
    positions: int
    width: int


def _heads(fact: Fact, what: str, count: int | None) -> _Heads:
    if fact.rank == _STACKED:
        return _Heads(*fact.shape)
    if fact.rank != _JOINED:
        raise RuleError(f"its {what} are {text_of(fact.shape)}, not of 3 or 4 dimensions")
    batch, positions, features = fact.shape
    if not count or count < 0 or features % count:
        raise RuleError(f"{features} features of its {what} are not split into {count} heads")
    return _Heads(batch, count, positions, features // count)


def _count(node: Node, name: str) -> int | None:
    return node.integer(name) if name in node.attributes else None


def _operands(node: Node) -> tuple[_Heads, _Heads, _Heads]:
    query = _heads(node.need(0), "queries", _count(node, "q_num_heads"))
    key = _heads(node.need(1), "keys", _count(node, "kv_num_heads"))
    value = _heads(node.need(2), "values", _count(node, "kv_num_heads"))
    _check(query, key, value)
    return query, key, value


def _check(query: _Heads, key: _Heads, value: _Heads) -> None:
    """Raise RuleError unless queries, keys and values belong together."""
    if not query.batch == key.batch == value.batch:
        raise RuleError(f"batches {query.batch}, {key.batch}, {value.batch} of its inputs differ")
    if query.width != key.width:
        raise RuleError(f"queries of width {query.width} meet keys of width {key.width}")
    if (key.heads, key.positions) != (value.heads, value.positions):
        raise RuleError("keys and values differ in heads or positions")
    if not key.heads or query.heads % key.heads:
        raise RuleError(f"{query.heads} heads of queries do not share {key.heads} heads of keys")


def _past(node: Node, key: _Heads) -> int:
    """Positions carried over from earlier steps."""
    past_key, past_value = node.given(4), node.given(5)
    if past_key is None and past_value is None:
        return 0
    if past_key is None or past_value is None:
        raise RuleError("past keys and past values go together, one is missing")
    for fact in (past_key, past_value):
        if fact.rank != _STACKED or fact.shape[:2] != (key.batch, key.heads):
            raise RuleError(f"what it carries over is {text_of(fact.shape)} and does not fit")
    return past_key.shape[2]


def _check_mask(mask: Fact | None, scores: Shape) -> None:
    """Raise RuleError for a mask that does not spread over the scores; its last axis may be less.

    ONNX fills a shorter one up with "not to be seen".
    """
    if mask is None:
        return
    shape = mask.shape
    if shape and 1 < shape[-1] < scores[-1]:
        shape = (*shape[:-1], scores[-1])
    if broadcast((shape, scores)) != scores:
        raise RuleError(f"mask {text_of(mask.shape)} does not fit scores {text_of(scores)}")


def attention(node: Node) -> Inference:
    """Attention: the output as the queries are written; then keys, values and scores as stacks."""
    query, key, value = _operands(node)
    past = _past(node, key)
    keys = past + key.positions
    scores = (query.batch, query.heads, query.positions, keys)
    _check_mask(node.given(3), scores)
    dtype = node.need(0).dtype
    if node.need(0).rank == _STACKED:
        shape: Shape = (query.batch, query.heads, query.positions, value.width)
    else:
        shape = (query.batch, query.positions, query.heads * value.width)
    carried = (key.batch, key.heads, keys)
    outputs = (shape, (*carried, key.width), (*carried, value.width), scores)
    facts = tuple(Fact(item, dtype) for item in outputs)
    return Inference(facts, dict(node.attributes))


def multi_head_attention(node: Node) -> Inference:
    """MultiHeadAttention of com.microsoft: queries, keys and values apart, projected before."""
    if node.given(3) is not None:
        raise RuleError("it adds a bias to queries, keys and values; export that as an Add")
    if any(node.given(position) is not None for position in range(6, len(node.inputs))):
        raise RuleError("it carries keys over from earlier steps; export the model without them")
    if node.given(1) is None or node.given(2) is None:
        raise RuleError("queries, keys and values are packed in one input; export them apart")
    count = node.integer("num_heads")
    query, key, value = (
        _heads(node.need(k), what, count) for k, what in enumerate(("queries", "keys", "values"))
    )
    _check(query, key, value)
    scores = (query.batch, query.heads, query.positions, key.positions)
    _check_mask(node.given(5), scores)
    shape = (query.batch, query.positions, query.heads * value.width)
    return one(shape, node.need(0).dtype, **node.attributes)


def rotary_embedding(node: Node) -> Inference:
    """RotaryEmbedding: queries or keys of the same shape, pairs of their features turned."""
    x = node.need(0)
    if x.rank != _STACKED:
        _heads(x, "features", _count(node, "num_heads"))
    for position in (1, 2):
        node.need(position)
    return one(x.shape, x.dtype, **node.attributes)


def turned_heads(node: Node) -> Inference:
    """RotaryEmbedding of com.microsoft: positions come second, and heads need not be counted."""
    x = node.need(0)
    if node.integer("num_heads", 0) and x.rank != _STACKED:
        _heads(x, "features", node.integer("num_heads", 0))
    for position in (2, 3):
        node.need(position)
    return one(x.shape, x.dtype, **node.attributes)


RULES: Final[Mapping[str, Rule]] = MappingProxyType({
    "Attention": attention,
    "RotaryEmbedding": rotary_embedding,
    "com.microsoft::MultiHeadAttention": multi_head_attention,
    "com.microsoft::RotaryEmbedding": turned_heads,
})  # fmt: skip
