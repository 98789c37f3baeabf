"""BERT (Devlin et al., NAACL 2019): embeddings, encoder blocks, pooler and a classifier."""

from typing import Final

from solver.network import Network
from solver.zoo.network_builder import NetworkBuilder

_WORDS: Final = 30522
_POSITIONS: Final = 512
_SEGMENTS: Final = 2
_HIDDEN: Final = 768
_HEADS: Final = 12
_BLOCKS: Final = 12
_CLASSES: Final = 2


def bert(batch: int) -> Network:
    """BERT-base that classifies sequences of 512 words in two: 109,483,778 parameters.

    No padding mask and no Dropout. The four projections of attention and the two of the
    feed-forward part are matrix products over all words of the batch; the scale of the scores is
    part of the first of them. Putting heads in front and back is a copy, as ONNX has it.
    """
    return _classifier("bert", batch, tokens=_POSITIONS)


def bert_128(batch: int) -> Network:
    """The same network on sequences of 128 words."""
    return _classifier("bert_128", batch, tokens=128)


def _classifier(title: str, batch: int, *, tokens: int) -> Network:
    build = NetworkBuilder(title, batch)
    names = ("input_ids", "token_type_ids", "position_ids")
    entries = (_WORDS, _SEGMENTS, _POSITIONS)
    looked_up = [
        build.embedding(
            f"embeddings.{name}",
            build.input(name, (tokens,), "int64"),
            entries=count,
            features=_HIDDEN,
        )
        for name, count in zip(names, entries, strict=True)
    ]
    source = build.add("embeddings.add1", looked_up[0], looked_up[1])
    source = build.add("embeddings.add2", source, looked_up[2])
    source = build.layer_norm("embeddings.norm", source)
    rows = build.reshape("embeddings.rows", source, (batch * tokens, _HIDDEN))
    for k in range(_BLOCKS):
        rows = _block(build, f"block{k}", rows, batch=batch, tokens=tokens)
    source = build.reshape("words", rows, (batch, tokens, _HIDDEN))
    source = build.first_position("first", source)
    source = build.elementwise("pooler.tanh", "Tanh", build.linear("pooler", source, _HIDDEN))
    return build.finish(build.linear("classifier", source, _CLASSES))


def _block(build: NetworkBuilder, name: str, source: str, *, batch: int, tokens: int) -> str:
    """Attention and feed-forward, each added to its input and normalised; rows are words."""
    mixed = _attention(build, f"{name}.attention", source, batch=batch, tokens=tokens)
    source = build.add(f"{name}.attention.add", source, mixed)
    source = build.layer_norm(f"{name}.attention.norm", source)
    wide = build.linear(f"{name}.wide", source, 4 * _HIDDEN)
    wide = build.elementwise(f"{name}.gelu", "Gelu", wide)
    source = build.add(f"{name}.add", source, build.linear(f"{name}.narrow", wide, _HIDDEN))
    return build.layer_norm(f"{name}.norm", source)


def _attention(build: NetworkBuilder, name: str, source: str, *, batch: int, tokens: int) -> str:
    width = _HIDDEN // _HEADS
    heads = []
    for word, factor, order in (
        ("query", width**-0.5, (0, 2, 1, 3)),
        ("key", 1.0, (0, 2, 3, 1)),
        ("value", 1.0, (0, 2, 1, 3)),
    ):
        made = build.linear(f"{name}.{word}", source, _HIDDEN, factor=factor)
        made = build.reshape(f"{name}.{word}.split", made, (batch, tokens, _HEADS, width))
        heads.append(build.transpose(f"{name}.{word}.heads", made, order))
    query, key, value = heads
    weights = build.softmax(f"{name}.softmax", build.matmul(f"{name}.scores", query, key))
    mixed = build.matmul(f"{name}.mix", weights, value)
    mixed = build.transpose(f"{name}.join", mixed, (0, 2, 1, 3))
    mixed = build.reshape(f"{name}.rows", mixed, (batch * tokens, _HIDDEN))
    return build.linear(f"{name}.output", mixed, _HIDDEN)
