"""A device profile: what a FLOP and a transferred byte cost on one board, in seconds and joules."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from solver.cost_table import CostTable


class IoMode(StrEnum):
    """How transfers share time with computing: in turn with it, beside it, or taking no time."""

    BLOCKING = "blocking"
    OVERLAPPED = "overlapped"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One direction of paging: latency_s + bytes / bytes_per_s seconds, at power_w watts."""

    latency_s: float
    bytes_per_s: float
    power_w: float

    def seconds(self, size_bytes: int) -> float:
        """Duration of moving `size_bytes`, seconds."""
        return self.latency_s + size_bytes / self.bytes_per_s

    def joules(self, size_bytes: int) -> float:
        """Energy of moving `size_bytes`, joules."""
        return self.seconds(size_bytes) * self.power_w


@dataclass(frozen=True, slots=True)
class Device:
    """A frozen profile of one board.

    `source` says where each number comes from: "measured", "datasheet" or "estimate", and words.
    `profile` holds costs of ops that take the place of FLOP over rate; None where there are none.
    """

    id: str
    name: str
    flop_per_s: float
    flop_per_j: float
    ram_bytes: int
    io: IoMode
    page_in: Transfer
    page_out: Transfer
    element_bytes: int = 4
    source: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    profile: CostTable | None = None
