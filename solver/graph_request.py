"""What a user asks for on opening a model: the file or name and every choice for its graph."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from solver.graph import Accounting, Quantized, WeightGradients, Weights


@dataclass(frozen=True, slots=True)
class GraphRequest:
    """A model and the settings that turn it into one training graph.

    `model` is a path or a built-in name. `accounting` None means: autodiff for networks, given for
    graph files. `batch`, `dims`, `loss` and `output` are None or empty where the file or the
    contract's default decides. `ask_batch`: a batch that the file leaves open is asked for like any
    other open size (an error whose issue names it), where a command line takes 1.
    """

    model: str
    accounting: Accounting | None = None
    weights: Weights = Weights.NOT_COUNTED
    weight_gradients: WeightGradients = WeightGradients.APPLIED
    batch: int | None = None
    dims: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    loss: str | None = None
    output: str | None = None
    ask_batch: bool = False
    quantized: Quantized = Quantized.REFUSED
