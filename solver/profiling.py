"""From timings of ops to a device and a cost table, and whether two profiles agree."""

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from types import MappingProxyType
from typing import Final

from solver.cost_table import CostTable
from solver.device import Device, IoMode, Transfer
from solver.errors import EngineError, Issue
from solver.storage_probe import StorageFigures

AGREEMENT: Final = 0.25
"""Two medians agree when the larger is at most so much above the smaller."""
AGREEING_SHARE: Final = 0.9
"""Of the time, so much must lie in ops that agree."""
ASSUMED_WATT: Final = 5.0
"""A small single-board computer at work; said to be an estimate wherever it is used."""
ASSUMED_STORAGE_WATT: Final = 0.15
"""As the released POET code has for the card of a Raspberry Pi (poet/chipsets.py)."""
MOST_RAM: Final = 2**62


@dataclass(frozen=True, slots=True)
class OpTiming:
    """One op: its work, and seconds of single runs, each a sample."""

    op: str
    kind: str
    flop: float
    samples_s: tuple[float, ...]

    @property
    def median_s(self) -> float:
        """Seconds of one run."""
        return median(self.samples_s)

    @property
    def quartiles_s(self) -> tuple[float, float]:
        """Between these lies the middle half of the samples."""
        if len(self.samples_s) == 1:
            return self.samples_s[0], self.samples_s[0]
        low, _, high = quantiles(self.samples_s, n=4, method="inclusive")
        return low, high


@dataclass(frozen=True, slots=True)
class Board:
    """What is known of a board besides timings; watts None: not given, so assumed.

    `measured_on` says in words on what: threads, library, system; `ram_words` is the source of the
    size of RAM.
    """

    id: str
    ram_bytes: int
    watt: float | None
    storage_watt: float | None
    measured_on: str
    ram_words: str = "measured: what the system reports"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of the time of the ops that both profiles have, the part in ops whose medians agree.

    `worst`: op, earlier and new median of the op in which most time differs. `then_s`, `now_s`:
    sums of the medians; where they differ as the ops do, the machine itself was quicker or slower.
    """

    share: float
    ops: int
    worst: tuple[str, float, float]
    then_s: float
    now_s: float

    @property
    def holds(self) -> bool:
        """Whether enough of the time agrees."""
        return self.share >= AGREEING_SHARE


def flop_rate(timings: Sequence[OpTiming]) -> float:
    """FLOP per second: least squares of seconds = FLOP / rate, weighted by 1 / FLOP.

    With this weight, a variance that grows with the work, the line through zero has the slope
    total seconds / total FLOP; so the sum over all ops with work is met exactly.

    Raises EngineError when no op does any work.
    """
    working = [timing for timing in timings if timing.flop > 0]
    seconds = math.fsum(timing.median_s for timing in working)
    if not seconds:
        raise EngineError(Issue("no op of the model does any work, so there is no rate to measure"))
    return math.fsum(timing.flop for timing in working) / seconds


def board_device(board: Board, timings: Sequence[OpTiming], storage: StorageFigures) -> Device:
    """The device of these measurements, with the source of each number. Raises as `flop_rate`."""
    rate = flop_rate(timings)
    watt = ASSUMED_WATT if board.watt is None else board.watt
    storage_watt = ASSUMED_STORAGE_WATT if board.storage_watt is None else board.storage_watt
    page_out, page_in = storage.page_out, storage.page_in
    power = _power_words(watt, given=board.watt is not None)
    storage_power = _power_words(storage_watt, given=board.storage_watt is not None)
    work = sum(timing.flop > 0 for timing in timings)
    source = {
        "flop_per_s": f"measured: total FLOP of {work} ops over their total time, "
        f"{board.measured_on}",
        "flop_per_j": f"estimate: the measured rate over {power}",
        "ram_bytes": board.ram_words,
        "io": "estimate: nothing is known of transfers beside computing",
        "page_in.latency_s": f"{storage.read_words}; {_fit_words(page_in.largest_error)}",
        "page_in.bytes_per_s": storage.read_words,
        "page_in.power_w": f"estimate: {storage_power}",
        "page_out.latency_s": f"{storage.write_words}; {_fit_words(page_out.largest_error)}",
        "page_out.bytes_per_s": storage.write_words,
        "page_out.power_w": f"estimate: {storage_power}",
    }
    return Device(
        id=board.id,
        name=board.id,
        flop_per_s=rate,
        flop_per_j=rate / watt,
        ram_bytes=min(board.ram_bytes, MOST_RAM),
        io=IoMode.BLOCKING,
        page_in=Transfer(page_in.latency_s, page_in.bytes_per_s, storage_watt),
        page_out=Transfer(page_out.latency_s, page_out.bytes_per_s, storage_watt),
        source=MappingProxyType(source),
    )


def _power_words(watt: float, *, given: bool) -> str:
    return f"{watt:g} W, {'given by the user' if given else 'assumed'}"


def _fit_words(error: float) -> str:
    return f"the fitted line is off by up to {error:.0%}"


def costs_csv(timings: Sequence[OpTiming], watt: float) -> bytes:
    """The cost table of these timings as CSV: joules are seconds times `watt`."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = ["op", "kind", "seconds", "joules", "runs", "lower_quartile_s", "upper_quartile_s"]
    writer.writerow([*head, "share"])
    whole = math.fsum(timing.median_s for timing in timings)
    for timing in timings:
        seconds = timing.median_s
        numbers = [seconds, seconds * watt, len(timing.samples_s), *timing.quartiles_s]
        share = f"{seconds / whole:.4f}" if whole else ""
        writer.writerow([timing.op, timing.kind, *(f"{number:.9g}" for number in numbers), share])
    return text.getvalue().encode()


def agreement(earlier: CostTable, timings: Sequence[OpTiming]) -> Agreement | None:
    """How two profiles of one board compare; None when they have no op in common.

    An op weighs the mean of its two medians.
    """
    before = {row.op: row.seconds for row in earlier.rows if row.op and row.seconds is not None}
    pairs = {
        timing.op: (before[timing.op], timing.median_s) for timing in timings if timing.op in before
    }
    if not pairs:
        return None
    whole = math.fsum(sum(pair) for pair in pairs.values())
    same = math.fsum(
        sum(pair) for pair in pairs.values() if max(pair) <= (1 + AGREEMENT) * min(pair)
    )
    name, (old, new) = max(pairs.items(), key=lambda item: abs(item[1][0] - item[1][1]))
    then_s, now_s = (math.fsum(side) for side in zip(*pairs.values(), strict=True))
    share = same / whole if whole else 1.0
    return Agreement(share, len(pairs), (name, old, new), then_s, now_s)


def by_kind(timings: Sequence[OpTiming]) -> Mapping[str, tuple[int, float]]:
    """Per kind of op, how many there are and their seconds; the longest first."""
    found: dict[str, tuple[int, float]] = {}
    for timing in timings:
        count, seconds = found.get(timing.kind, (0, 0.0))
        found[timing.kind] = (count + 1, seconds + timing.median_s)
    return dict(sorted(found.items(), key=lambda item: -item[1][1]))
