"""Claim: storage is measured on real files; the fit is a line that never runs below zero."""

import os
import time
from itertools import count
from pathlib import Path

import pytest

from solver.errors import EngineError
from solver.storage_probe import fit_transfer, measure_storage


def test_that_points_on_a_line_give_the_line() -> None:
    # 2 ms + bytes at 1 MB/s
    fit = fit_transfer({1000: 0.003, 10_000: 0.012, 100_000: 0.102})
    assert fit.latency_s == pytest.approx(0.002)
    assert fit.bytes_per_s == pytest.approx(1e6)
    assert fit.largest_error == pytest.approx(0, abs=1e-9)


def test_that_a_latency_below_zero_becomes_zero() -> None:
    # A line through both points would begin at -1 s. Through zero: the slope x that makes the
    # relative errors least, (1000 x - 1)^2 + (3000 x / 5 - 1)^2, is 1600 / (1000^2 + 600^2).
    fit = fit_transfer({1000: 1.0, 3000: 5.0})
    assert fit.latency_s == 0
    assert 1 / fit.bytes_per_s == pytest.approx(1600 / 1.36e6)


def test_that_transfers_as_quick_whatever_their_size_are_all_latency() -> None:
    fit = fit_transfer({1000: 0.02, 2000: 0.01})
    # Relative errors (L / 0.02 - 1)^2 + (L / 0.01 - 1)^2 are least at (50 + 100) / (2500 + 10000).
    assert fit.latency_s == pytest.approx(0.012)
    assert fit.bytes_per_s == pytest.approx(2000 / 0.01)


def test_that_both_ways_are_measured_and_nothing_is_left(tmp_path: Path) -> None:
    figures = measure_storage(tmp_path, sizes=(4096, 65536), limit_s=0)
    for fit in (figures.page_in, figures.page_out):
        assert fit.latency_s >= 0
        assert fit.bytes_per_s > 0
    assert figures.write_words.startswith("measured: files of 4.00 KiB to 64.0 KiB, medians of 3")
    assert "page cache" in figures.read_words
    assert list(tmp_path.iterdir()) == []


def test_that_a_clock_which_stands_still_between_readings_counts(tmp_path: Path) -> None:
    ticks = count()
    figures = measure_storage(tmp_path, sizes=(8, 16), clock=lambda: float(next(ticks)))
    assert figures.page_out.latency_s == pytest.approx(1)  # one tick per write, whatever its size
    assert figures.page_in.latency_s == pytest.approx(1)


@pytest.mark.skipif(os.name == "nt", reason="there every file has a name")
def test_that_a_kill_could_leave_nothing(tmp_path: Path) -> None:
    seen: list[Path] = []

    def clock() -> float:
        seen.extend(tmp_path.iterdir())
        return time.perf_counter()

    measure_storage(tmp_path, sizes=(8, 16), limit_s=0, clock=clock)
    assert seen == []


def test_that_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="storage cannot be measured"):
        measure_storage(tmp_path / "none")
