"""BERT (Devlin et al., NAACL 2019): embeddings, encoder blocks, pooler and a classifier."""

from dataclasses import dataclass
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
_DROPPED: Final = 0.1


def bert(batch: int) -> Network:
    """BERT-base that classifies sequences of 512 words in two: 109,483,778 parameters.

    No padding mask. As the paper trains it, a tenth is dropped of the embeddings, of each block's
    attention weights, of what attention and the feed-forward part add, and of the pooled sentence.
    The four projections of attention and the two of the feed-forward part are matrix products over
    all words of the batch; the scale of the scores is part of the first of them. Putting heads in
    front and back is a copy, as ONNX has it.
    """
    return _classifier(_Encoder(NetworkBuilder("bert", batch), batch, _POSITIONS, _DROPPED))


def bert_128(batch: int) -> Network:
    """The same network on sequences of 128 words, without Dropout, as it is exported."""
    return _classifier(_Encoder(NetworkBuilder("bert_128", batch), batch, tokens=128, dropped=0.0))


def transformer(batch: int) -> Network:
    """One block of BERT-base on 512 embedded words, Dropout included: 7,087,872 parameters."""
    build = NetworkBuilder("transformer", batch)
    encoder = _Encoder(build, batch, _POSITIONS, _DROPPED)
    words = build.input("embedded", (_POSITIONS, _HIDDEN))
    rows = encoder.block("block", encoder.rows("rows", words))
    return build.finish(build.reshape("words", rows, (batch, _POSITIONS, _HIDDEN)))


def _classifier(encoder: "_Encoder") -> Network:
    build, tokens = encoder.build, encoder.tokens
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
    source = encoder.drop("embeddings", build.layer_norm("embeddings.norm", source))
    rows = encoder.rows("embeddings.rows", source)
    for k in range(_BLOCKS):
        rows = encoder.block(f"block{k}", rows)
    source = build.reshape("words", rows, (encoder.batch, tokens, _HIDDEN))
    source = build.first_position("first", source)
    source = build.elementwise("pooler.tanh", "Tanh", build.linear("pooler", source, _HIDDEN))
    source = encoder.drop("pooler", source)
    return build.finish(build.linear("classifier", source, _CLASSES))


@dataclass(frozen=True, slots=True)
class _Encoder:
    """Blocks of one width; their values are rows, one per word of the batch.

    `dropped` is the ratio of Dropout, 0 for none.
    """

    build: NetworkBuilder
    batch: int
    tokens: int
    dropped: float

    def rows(self, name: str, source: str) -> str:
        """All words of the batch below one another: a view."""
        return self.build.reshape(name, source, (self.batch * self.tokens, _HIDDEN))

    def drop(self, name: str, source: str) -> str:
        """Dropout, where there is any."""
        if not self.dropped:
            return source
        return self.build.dropout(f"{name}.dropout", source, ratio=self.dropped)

    def block(self, name: str, source: str) -> str:
        """Attention and feed-forward, each added to its input and normalised."""
        build = self.build
        mixed = self.drop(f"{name}.attention", self._attention(f"{name}.attention", source))
        source = build.add(f"{name}.attention.add", source, mixed)
        source = build.layer_norm(f"{name}.attention.norm", source)
        wide = build.linear(f"{name}.wide", source, 4 * _HIDDEN)
        wide = build.elementwise(f"{name}.gelu", "Gelu", wide)
        narrow = self.drop(name, build.linear(f"{name}.narrow", wide, _HIDDEN))
        return build.layer_norm(f"{name}.norm", build.add(f"{name}.add", source, narrow))

    def _attention(self, name: str, source: str) -> str:
        build, width = self.build, _HIDDEN // _HEADS
        heads = []
        for word, factor, order in (
            ("query", width**-0.5, (0, 2, 1, 3)),
            ("key", 1.0, (0, 2, 3, 1)),
            ("value", 1.0, (0, 2, 1, 3)),
        ):
            made = build.linear(f"{name}.{word}", source, _HIDDEN, factor=factor)
            shape = (self.batch, self.tokens, _HEADS, width)
            made = build.reshape(f"{name}.{word}.split", made, shape)
            heads.append(build.transpose(f"{name}.{word}.heads", made, order))
        query, key, value = heads
        weights = build.softmax(f"{name}.softmax", build.matmul(f"{name}.scores", query, key))
        weights = self.drop(f"{name}.weights", weights)
        mixed = build.matmul(f"{name}.mix", weights, value)
        mixed = self.rows(f"{name}.rows", build.transpose(f"{name}.join", mixed, (0, 2, 1, 3)))
        return build.linear(f"{name}.output", mixed, _HIDDEN)
