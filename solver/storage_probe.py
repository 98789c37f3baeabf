"""What a transfer to and from storage takes on this machine, measured on a real temporary file."""

import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

import numpy as np

from solver.errors import EngineError, Issue
from solver.units import format_bytes

SIZES: Final = (2**12, 2**15, 2**18, 2**21, 2**23)
_ROUNDS: Final = 9
_FEWEST: Final = 3
_SLOWEST_RATE: Final = 1.0
"""Bytes per second; a device file knows no slower one."""


@dataclass(frozen=True, slots=True)
class TransferFit:
    """seconds = latency_s + bytes / bytes_per_s, and how far the medians lie from it at most."""

    latency_s: float
    bytes_per_s: float
    largest_error: float


@dataclass(frozen=True, slots=True)
class StorageFigures:
    """Both directions, and what they are worth: `write_words`, `read_words` go into a profile."""

    page_out: TransferFit
    page_in: TransferFit
    write_words: str
    read_words: str


def measure_storage(
    folder: Path | None = None,
    *,
    sizes: Sequence[int] = SIZES,
    limit_s: float = 20.0,
    clock: Callable[[], float] = time.perf_counter,
) -> StorageFigures:
    """Write and read a file of each size in `folder` (None: the system's temporary folder).

    A write counts until fsync has returned. Before a read the file's pages are dropped from the
    page cache where the system can do that; where it cannot, `read_words` say so. The files have no
    name where the system knows such files, so that nothing is left when this process is killed.
    Rounds go over all sizes until `limit_s` is used up, at least three.

    Raises EngineError when the folder cannot be written.
    """
    try:
        written, read, cached = _samples(folder, sizes, limit_s, clock)
    except OSError as error:
        where = str(folder or tempfile.gettempdir())
        words = f"storage cannot be measured: {error.strerror or error}"
        raise EngineError(Issue(words, where, "choose another folder: --storage FOLDER")) from error
    rounds = len(written[sizes[0]])
    span = f"{format_bytes(min(sizes))} to {format_bytes(max(sizes))}, medians of {rounds}"
    fresh = "after the page cache was dropped"
    if cached:
        fresh = "from the page cache, which could not be dropped here: storage itself is slower"
    return StorageFigures(
        fit_transfer(_medians(written)),
        fit_transfer(_medians(read)),
        f"measured: files of {span}, each written and synced",
        f"measured: files of {span}, read {fresh}",
    )


def _samples(
    folder: Path | None, sizes: Sequence[int], limit_s: float, clock: Callable[[], float]
) -> tuple[dict[int, list[float]], dict[int, list[float]], bool]:
    """Seconds of each write and of each read by size; whether any read was from the page cache."""
    written: dict[int, list[float]] = {size: [] for size in sizes}
    read: dict[int, list[float]] = {size: [] for size in sizes}
    cached = False
    began = clock()
    for done in range(_ROUNDS):
        if done >= _FEWEST and clock() - began > limit_s:
            break
        for size in sizes:
            with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
                written[size].append(_write(file.fileno(), os.urandom(size), clock))
                cached |= not _drop_pages(file.fileno())
                read[size].append(_read(file.fileno(), size, clock))
    return written, read, cached


def fit_transfer(seconds: Mapping[int, float]) -> TransferFit:
    """The line through (bytes, seconds) that has the least squares of relative errors.

    Neither latency nor slope is below zero: where the free line would have one, the best line
    without it is taken.
    """
    size = np.array(list(seconds), np.float64)
    took = np.array(list(seconds.values()), np.float64)
    columns = np.stack([1 / took, size / took], axis=1)
    one = np.ones(len(took))
    latency, slope = np.linalg.lstsq(columns, one, rcond=None)[0]
    if latency < 0:
        latency, slope = 0.0, float(columns[:, 1] @ one / (columns[:, 1] @ columns[:, 1]))
    if slope <= 0:
        latency, slope = float(columns[:, 0] @ one / (columns[:, 0] @ columns[:, 0])), 0.0
    rate = max(_SLOWEST_RATE, 1 / slope if slope > 0 else float(size.max() / took.min()))
    fitted = latency + size / rate
    return TransferFit(float(latency), float(rate), float(np.max(np.abs(fitted / took - 1))))


def _medians(samples: Mapping[int, Sequence[float]]) -> dict[int, float]:
    return {size: median(listed) for size, listed in samples.items()}


def _write(file: int, data: bytes, clock: Callable[[], float]) -> float:
    began, left = clock(), memoryview(data)
    while left:
        left = left[os.write(file, left) :]
    os.fsync(file)
    return clock() - began


def _read(file: int, size: int, clock: Callable[[], float]) -> float:
    began, place = clock(), 0
    os.lseek(file, 0, os.SEEK_SET)
    while place < size:
        part = len(os.read(file, size - place))
        if not part:
            raise OSError("a file that was just written is cut off")
        place += part
    return clock() - began


def _drop_pages(file: int) -> bool:
    """Drop the file's pages from the page cache; True when they are surely gone.

    Asked for by a read that must not wait (RWF_NOWAIT, Linux): it fails where it would have to.
    """
    if not (hasattr(os, "posix_fadvise") and hasattr(os, "RWF_NOWAIT")):
        return False
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    try:
        os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        return True
    except OSError:  # a file system in memory has no such reads
        return False
    return False
