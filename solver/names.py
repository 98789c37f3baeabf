"""Names in files of unknown origin: those that nothing could show."""

from collections.abc import Iterator
from typing import Final

from solver.graph import TrainingGraph

LONGEST_NAME: Final = 10_000
"""Characters; laying out a text without end holds up whatever shows it."""


def endless_names(graph: TrainingGraph) -> Iterator[str]:
    """What has a name, kind or dtype longer than LONGEST_NAME, in sentences; the model first."""
    if len(graph.name) > LONGEST_NAME:
        yield f"the model's name has {_lengths(graph.name)}"
    for position, op in enumerate(graph.ops):
        for what, text in (("name", op.name), ("kind", op.kind)):
            if len(text) > LONGEST_NAME:
                yield f"the {what} of op {position} has {_lengths(text)}"
    for position, tensor in enumerate(graph.tensors):
        for what, text in (("name", tensor.name), ("dtype", tensor.dtype or "")):
            if len(text) > LONGEST_NAME:
                yield f"the {what} of tensor {position} has {_lengths(text)}"


def _lengths(text: str) -> str:
    return f"{len(text):,} characters, and at most {LONGEST_NAME:,} can be shown"
