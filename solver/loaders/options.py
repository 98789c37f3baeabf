"""What the user chooses about a file before it is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from solver.graph import Weights


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Sizes that a file leaves open, and what traced programs are trained with.

    batch : the leading dimension of the inputs; None keeps the file's own, or 1 where it has none.
    dims : values of named dimensions ("N", "sequence"); some may be 0 (words carried over).
    ask_batch : an open batch is asked for like any other open size, instead of taken to be 1.
    output : the one output of which the loss will be taken; None is not chosen yet.
    straight_through : quantised operators are simulated in floats, instead of refused.
    weights : whether weights count in RAM; loss : None is the default. Both are for programs that
    are traced as they are read; networks are differentiated later.
    """

    batch: int | None = None
    dims: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    ask_batch: bool = False
    straight_through: bool = False
    output: str | None = None
    weights: Weights = Weights.NOT_COUNTED
    loss: str | None = None
