"""What the walk over a file's nodes has found so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from solver.errors import Issue, ModelError
from solver.import_report import OpenSize
from solver.loaders.onnx_batch import OtherBatch
from solver.loaders.onnx_nodes import FileNode
from solver.loaders.onnx_rules.base import Fact
from solver.network import Layer

MOST_STEPS: Final = 50_000
"""Nodes and rounds of loops, written out: more than any network has, seconds to walk over."""

_ENDLESS: Final = 10**18  # more says nothing to anybody


@dataclass(eq=False)
class Effort:
    """What may still be walked over: loops and branches in each other grow without measure."""

    file: str
    left: int = field(default_factory=lambda: MOST_STEPS)

    def spend(self, place: str) -> None:
        """Count one step. Raises ModelError where there were too many."""
        self.left -= 1
        self.afford(0, place)

    def afford(self, steps: int, place: str) -> None:
        """Raise ModelError where so many more steps would be too many."""
        if self.left < steps:
            much = f", {steps:,} at least" if MOST_STEPS < steps < _ENDLESS else ""
            message = f"written out, its loops and lists take more than {MOST_STEPS:,} steps{much}"
            raise ModelError(Issue(message, f"{self.file}: {place}", "export it without the loop"))


@dataclass(eq=False)
class Inferred:
    """What the walk found: facts by tensor, layers in order, and everything that stood in the way.

    facts : what is known of each tensor. aliases : another name -> the tensor itself.
    sequences : lists of tensors by name, as the names of their members.
    copies : constant -> the one whose numbers it holds in another order or shape.
    walked : the nodes in order, with branches, loops and lists written out.
    unsupported : op_type -> the nodes without a rule. rewritten : node whose target sizes were
    given another batch -> op_type. spread : nodes that read constants of the file's own batch,
    once more for each further sample.
    choices : what the user answers to questions of control flow, by name ("loop.trips").
    answered : the names in `choices` that were needed. asks : questions that are still open.
    taken : questions that were settled without the user. assumed : sentences about those.
    effort : what is left to spend. branches : If, by name and outputs -> whether each branch can be
    imported and the bytes that its layers make; what stands in a branch is so looked at once, not
    once more for each branch around it. Both are shared with copies.
    """

    facts: dict[str, Fact]
    opset: int
    file: str
    other: OtherBatch | None = None
    choices: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    layers: list[Layer] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    sequences: dict[str, tuple[str, ...]] = field(default_factory=dict)
    copies: dict[str, str] = field(default_factory=dict)
    walked: list[FileNode] = field(default_factory=list)
    issues: list[Issue] = field(default_factory=list)
    unsupported: dict[str, list[str]] = field(default_factory=dict)
    rewritten: dict[str, str] = field(default_factory=dict)
    spread: list[str] = field(default_factory=list)
    answered: set[str] = field(default_factory=set)
    asks: list[OpenSize] = field(default_factory=list)
    taken: list[OpenSize] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    branches: dict[tuple[str, ...], list[tuple[bool, int]]] = field(default_factory=dict)
    effort: Effort = field(init=False)

    def __post_init__(self) -> None:
        self.effort = Effort(self.file)

    def resolve(self, name: str) -> str:
        """The tensor itself where `name` is only another name of it."""
        return self.aliases.get(name, name)

    def look(self, name: str) -> Fact | None:
        """What is known of the tensor that `name` is a name of."""
        return self.facts.get(self.resolve(name))

    def is_known(self, name: str) -> bool:
        """Whether something is known of the tensor or list `name`; of an absent input, yes."""
        return not name or name in self.facts or name in self.sequences

    @property
    def blocked(self) -> bool:
        """Whether there is anything that no answer of the user can help."""
        return bool(self.issues or self.unsupported)

    @property
    def stopped(self) -> bool:
        """Whether anything stood in the way."""
        return self.blocked or bool(self.asks)

    def copy(self) -> "Inferred":
        """The same knowledge, for a walk that may be given up: nothing it finds comes back."""
        other = replace(
            self,
            facts=dict(self.facts),
            layers=list(self.layers),
            aliases=dict(self.aliases),
            sequences=dict(self.sequences),
            copies=dict(self.copies),
            walked=list(self.walked),
            issues=list(self.issues),
            unsupported={kind: list(names) for kind, names in self.unsupported.items()},
            rewritten=dict(self.rewritten),
            spread=list(self.spread),
            answered=set(self.answered),
            asks=list(self.asks),
            taken=list(self.taken),
            assumed=list(self.assumed),
        )
        other.effort = self.effort
        return other
