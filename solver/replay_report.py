"""What a replay of a schedule on real tensors found; made by solver.pytorch, needed without it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from solver.schedule import ActionKind

EAGER_TOLERANCE: Final = 1e-5
"""Of a gradient's largest element: eager mode may add in another order."""
UNSTEADY: Final = (
    "Run twice from one seed, the network itself gives two different gradients: it remembers "
    "earlier runs, or draws numbers that do not come from PyTorch"
)
"""Said where eager backward is no measure."""


def eager_words(error: float | None) -> str:
    """How far eager backward is off, as ReplayReport.eager_error has it where there is no fault."""
    if error is None:
        return "has gradients of other parameters, or where ours are no numbers"
    return f"off by at most {error:.1e} of a gradient's largest" if error else "equal"


@dataclass(frozen=True, slots=True)
class KindTimes:
    """One kind of action: how many, seconds measured here, seconds predicted for the device."""

    count: int
    measured_s: float
    predicted_s: float


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What a replay found.

    fault : the first action that could not be done or made other bytes than plain order, in words;
    empty when there is none. gradients : how many were compared; different : those whose bits are
    not the same as in plain order. eager_error : the largest difference to eager backward, relative
    to the gradient's largest element; None after a fault, and where they cannot be compared.
    peak_bytes, predicted_bytes : the largest sum of live tensors, measured and promised, weights
    apart. loss : None where it is no number. fault_action : the place of that first action, from
    0; None when there is none. unsteady : whether eager backward differs from itself, asked only
    where it differs from ours.
    """

    fault: str
    gradients: int
    different: tuple[str, ...]
    eager_error: float | None
    peak_bytes: int
    predicted_bytes: int
    times: Mapping[ActionKind, KindTimes]
    loss: float | None
    torch: str
    fault_action: int | None = None
    unsteady: bool = False

    @property
    def agrees(self) -> bool:
        """Whether everything that was promised happened."""
        near = self.eager_error is not None and self.eager_error <= EAGER_TOLERANCE
        same = not self.fault and not self.different and self.peak_bytes == self.predicted_bytes
        return same and near
