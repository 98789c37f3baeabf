"""The objects of poet.sweep, field by field in the order in which they are written."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, structs

from solver.codec.documents import (
    ActionObject,
    Count,
    DeviceObject,
    ModelObject,
    ResultDocument,
    SettingsObject,
)
from solver.problem import Budgets


class PointDocument(ResultDocument, frozen=True, kw_only=True):
    """A poet.result; `actions` and `problem` are left out unless the sweep is a full one."""

    # Left out, not empty: an empty list says that there is no schedule.
    actions: list[ActionObject] | UnsetType = UNSET  # type: ignore[assignment] # wider than the base

    @property
    def budgets(self) -> Budgets:
        """Its two limits."""
        return Budgets(self.budget.ram_bytes, self.budget.runtime_s)

    @property
    def is_full(self) -> bool:
        """True when its schedule and its graph are there."""
        return self.actions is not UNSET and self.problem is not UNSET


class SweepDocument(Struct, frozen=True, kw_only=True):
    """poet.sweep version 1: results for one model on one device under many budgets.

    `settings` are those of the first strategy; each point has its own.
    """

    format: Literal["poet.sweep"]
    version: Literal[1]
    axis: Literal["ram", "runtime", "map"]
    model: ModelObject
    device: DeviceObject
    settings: SettingsObject
    floor_bytes: Count
    plain_peak_bytes: Count
    points: list[PointDocument]


def point_of(result: ResultDocument, *, full: bool) -> PointDocument:
    """The result as a point of a sweep."""
    fields = structs.asdict(result)
    if not full:
        fields |= {"actions": UNSET, "problem": UNSET}
    return PointDocument(**fields)


def result_of(point: PointDocument) -> ResultDocument:
    """A full point as the result that it is. Raises ValueError when it is not full."""
    if not point.is_full:
        raise ValueError("the point holds no schedule")
    return ResultDocument(**structs.asdict(point))
