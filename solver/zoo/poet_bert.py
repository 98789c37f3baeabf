"""BERT-base and one block of it as the released POET code builds and counts them."""

from typing import Final

from solver.graph import TrainingGraph
from solver.zoo.poet_layers import LayerList, mirrored_graph

TOKENS: Final = 512
HIDDEN: Final = 768
HEADS: Final = 12
HEAD_WIDTH: Final = 64


def bert() -> TrainingGraph:
    """BERT-base: 12 blocks; embedding look-up, layer norms and softmax are left out there."""
    return _encoder("bert", blocks=12)


def transformer() -> TrainingGraph:
    """One block of BERT-base."""
    return _encoder("transformer", blocks=1)


def _encoder(name: str, *, blocks: int) -> TrainingGraph:
    layers = LayerList((TOKENS, HIDDEN))
    for _ in range(blocks):
        entry = layers.last
        layers.query_key_value(width=HEAD_WIDTH, heads=HEADS)
        layers.query_key(tokens=TOKENS, width=HEAD_WIDTH, heads=HEADS)
        layers.weighted_values(tokens=TOKENS, width=HEAD_WIDTH, heads=HEADS)
        attention = layers.linear(HIDDEN)
        layers.add(entry, attention)
        layers.linear_relu(4 * HIDDEN)
        layers.linear(HIDDEN)
        # The second skip starts at the attention's output, before the first addition: as released.
        layers.add(attention, layers.last)
    layers.cross_entropy(TOKENS)
    return mirrored_graph(name, layers)
