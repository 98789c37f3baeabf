"""Ours against theirs, network by network, and the README's table of it.

`python -m tests.witness.comparison` prints the table.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from solver.costs import price
from solver.device_files import load_device
from solver.graph import Phase
from tests.witness.ours import flop, kept_bytes, training_graph
from tests.witness.theirs import recorded

NETWORKS = ("resnet18", "mobilenet", "unet", "encoder", "lstm", "gru")
BEGIN = "<!-- witness: begin (printed by `python -m tests.witness.comparison`) -->"
END = "<!-- witness: end -->"


class Pair(NamedTuple):
    """One figure of a network: ours and PyTorch's, in FLOP or bytes."""

    ours: int
    theirs: int

    @property
    def difference(self) -> float:
        """How far ours is above theirs, as a part of theirs."""
        return self.ours / self.theirs - 1


class Compared(NamedTuple):
    """The four figures of a network."""

    forward_flop: Pair
    backward_flop: Pair
    kept_bytes: Pair
    plain_peak_bytes: Pair


@cache
def compared(network: str) -> Compared:
    """The figures of one network; no price enters them, the device is any."""
    graph, record = training_graph(network), recorded(network)
    return Compared(
        Pair(flop(graph, Phase.FORWARD), record.flop("forward")),
        Pair(flop(graph, Phase.BACKWARD), record.flop("backward")),
        Pair(kept_bytes(graph), record.kept_bytes),
        Pair(price(graph, load_device("rpi4")).plain_peak_bytes, record.plain_peak),
    )


def table() -> str:
    """The table of the README, in Markdown."""
    return "\n".join((BEGIN, *_rows(), END))


def _rows() -> Iterator[str]:
    figures = ("forward FLOP", "backward FLOP", "bytes kept for backward", "plain peak, bytes")
    yield f"| network | {' | '.join(figures)} |"
    yield f"| --- |{' ---: |' * len(figures)}"
    for network in NETWORKS:
        cells = (
            f"{pair.ours:,} / {pair.theirs:,} ({100 * pair.difference:+.1f} %)"
            for pair in compared(network)
        )
        yield f"| {network} | {' | '.join(cells)} |"


if __name__ == "__main__":
    print(table())  # noqa: T201 - what this is for
