"""Claim: typed text means one exact quantity, shown text reads back, nonsense is refused."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.errors import UsageError
from solver.units import (
    format_bytes,
    format_bytes_exactly,
    format_count,
    format_flop,
    format_joules,
    format_measure,
    format_percent,
    format_seconds,
    parse_bytes,
    parse_measure,
    parse_number,
    parse_ratio,
    parse_seconds,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("262144", 262_144),
        ("256KiB", 262_144),
        (" 256 KiB ", 262_144),
        ("256kib", 262_144),
        ("1.5 MiB", 1_572_864),
        ("4 GiB", 4_294_967_296),
        ("1TiB", 1_099_511_627_776),
        ("1 kB", 1_000),
        ("1.5MB", 1_500_000),
        ("2 gb", 2_000_000_000),
        ("3TB", 3_000_000_000_000),
        ("2PB", 2_000_000_000_000_000),
        ("10PiB", 11_258_999_068_426_240),
        ("4EiB", 2**62),
        ("4.5 EB", 4_500_000_000_000_000_000),
        ("2e15", 2_000_000_000_000_000),
        ("1e6", 1_000_000),
        ("1218856 B", 1_218_856),
        ("1,218,856 B", 1_218_856),
        ("0", 0),
        ("1.3 KiB", 1_331),  # 1331.2 B: a limit admits whole bytes only
        ("9007199254740993", 9_007_199_254_740_993),  # 2**53 + 1 does not exist as a float
        ("4611686018427387904", 2**62),
    ],
)
def test_that_a_typed_size_is_an_exact_number_of_bytes(text: str, size: int) -> None:
    assert parse_bytes(text) == size
    assert isinstance(parse_bytes(text), int)


@pytest.mark.parametrize(
    "text",
    ["", " ", "lots", "KiB", "-1", "-256KiB", "nan", "inf", "-inf", "Infinity", "1e30", "1e9999",
     "5EiB", "4611686018427387905", "100.5", "1,5 GiB", "12 XB", "1 KB", "256K", "1..5", "0x10",
     "٣"],
)  # fmt: skip
def test_that_a_size_that_makes_no_sense_is_refused_with_what_would_be_accepted(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_bytes(text, where="--ram")
    (issue,) = caught.value.issues
    assert issue.where == "--ram"
    assert issue.message
    assert issue.suggestion


def test_that_the_ambiguous_kb_is_asked_about() -> None:
    with pytest.raises(UsageError, match="kB for 1000 B or KiB for 1024 B"):
        parse_bytes("256 KB")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3", 3.0), ("3s", 3.0), ("250 ms", 0.25), ("40us", 4e-5), ("40µs", 4e-5), ("1e-3", 1e-3),
     ("1.5e2 s", 150.0), (".5", 0.5), ("0", 0.0)],
)  # fmt: skip
def test_that_a_typed_time_is_in_seconds(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-3s", "nan", "inf", "1e16", "3 parsecs", "1 B"])
def test_that_a_time_that_makes_no_sense_is_refused_with_what_would_be_accepted(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_seconds(text, where="--runtime")
    assert caught.value.issues[0].where == "--runtime"
    assert "s" in caught.value.issues[0].suggestion


@pytest.mark.parametrize(
    ("text", "ratio"), [("0.7", 0.7), ("70%", 0.7), (" 70 % ", 0.7), ("1e-2", 0.01), ("-.5", -0.5)]
)
def test_that_a_typed_ratio_is_a_part_of_one(text: str, ratio: float) -> None:
    assert parse_ratio(text) == ratio


@pytest.mark.parametrize("parse", [parse_bytes, parse_seconds, parse_ratio, parse_number])
@pytest.mark.parametrize("text", ["1_0", "٣", "１０", "0x1", "1e1_0", "one", ""])
def test_that_what_only_python_takes_for_a_number_is_refused(
    parse: Callable[[str], float], text: str
) -> None:
    with pytest.raises(UsageError):
        parse(text)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (512, "512 B"), (1023, "1023 B"), (1024, "1.00 KiB"), (262_144, "256 KiB"),
     (1_048_474, "1024 KiB"), (1_218_856, "1.16 MiB"), (4 * 2**30, "4.00 GiB"),
     (10**15, "1.00 PB"), (2**62, "4.61 EB"), (-2048, "-2.00 KiB")],
)  # fmt: skip
def test_that_sizes_are_shown_with_three_digits_and_a_prefix(size: int, text: str) -> None:
    assert format_bytes(size) == text


def test_that_a_size_can_be_shown_to_the_byte() -> None:
    assert format_bytes_exactly(1_218_856) == "1,218,856 B"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 s"), (62.61, "62.6 s"), (0.25, "250 ms"), (4e-5, "40.0 µs"), (999.4, "999 s"),
     (999.6, "1000 s"), (15860.4, "15860 s"), (1e-9, "1.00 ns")],
)  # fmt: skip
def test_that_times_are_shown_with_three_digits(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("joules", "text"),
    [
        (0.0, "0 J"),
        (0.54567, "545.7 mJ"),
        (9.41, "9.410 J"),
        (95_263.1, "95.26 kJ"),
        (3.3e-5, "33.00 µJ"),
        (2e-17, "20.00 aJ"),
    ],
)
def test_that_energies_are_shown_with_four_digits(joules: float, text: str) -> None:
    assert format_joules(joules) == text


@pytest.mark.parametrize(
    ("flop", "text"),
    [(0.0, "0 FLOP"), (40.0, "40 FLOP"), (15_710.0, "15.7 kFLOP"), (4.089e9, "4.09 GFLOP")],
)
def test_that_work_is_shown_with_three_digits(flop: float, text: str) -> None:
    assert format_flop(flop) == text


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("6.37 MFLOP/s", "FLOP/s", 6.37e6),
        ("6.37M", "FLOP/s", 6.37e6),
        ("6.37e6", "FLOP/s", 6.37e6),
        ("2 GFLOPS", "FLOP/s", 2e9),
        ("2 Gflop/s", "FLOP/s", 2e9),
        ("580 MFLOP/J", "FLOP/J", 5.8e8),
        ("45.5 MB/s", "B/s", 45.5e6),
        ("1 KiB/s", "B/s", 1024.0),
        ("330 mW", "W", 0.33),
        ("5 uW", "W", 5e-6),
        ("0", "W", 0.0),
        ("109 us", "s", 109e-6),
    ],
)
def test_that_a_measure_is_read_with_its_unit(text: str, unit: str, value: float) -> None:
    assert parse_measure(text, unit) == value


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("", "W"),
        ("fast", "FLOP/s"),
        ("-3 MFLOP/s", "FLOP/s"),
        ("nan", "W"),
        ("1e9999", "B/s"),
        ("6 mFLOP/s", "FLOP/s"),  # nobody means a thousandth of one
        ("1 KB/s", "B/s"),
        ("3 W", "FLOP/s"),
        ("3 MFLOP/s", "FLOP/J"),
        ("3 MW/s", "W"),
    ],
)
def test_that_a_measure_of_another_unit_is_refused_with_what_would_be_accepted(
    text: str, unit: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_measure(text, unit, where="speed")
    (issue,) = caught.value.issues
    assert issue.where == "speed"
    assert unit in issue.suggestion


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (6369910.145264308, "FLOP/s", "6.36991 MFLOP/s"),
        (4616510.0, "B/s", "4.61651 MB/s"),
        (0.33, "W", "330 mW"),
        (0.0, "W", "0 W"),
        (5.09561e-06, "s", "5.09561 µs"),
        (1e24, "FLOP/s", "1e+06 EFLOP/s"),
        (0.5, "B/s", "0.5 B/s"),
    ],
)
def test_that_a_measure_to_be_edited_has_six_digits(value: float, unit: str, text: str) -> None:
    assert format_measure(value, unit) == text
    assert parse_measure(text, unit) == pytest.approx(value, rel=1e-5)


def test_that_counts_have_their_thousands_apart() -> None:
    assert format_count(102_440_608) == "102,440,608"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0.0, "0 %"),
        (0.065, "6.5 %"),
        (1.0, "100.0 %"),
        (0.00042, "0.042 %"),
        (0.00096, "0.1 %"),
        (1e-9, "~0 %"),
    ],
)
def test_that_ratios_are_shown_as_percentages(ratio: float, text: str) -> None:
    assert format_percent(ratio) == text


def test_that_a_signed_percentage_shows_its_direction() -> None:
    assert format_percent(0.065, signed=True) == "+6.5 %"
    assert format_percent(-0.065, signed=True) == "-6.5 %"


@given(st.integers(min_value=0, max_value=2**62))
def test_that_every_exact_size_reads_back_as_itself(size: int) -> None:
    assert parse_bytes(format_bytes_exactly(size)) == size


@given(st.integers(min_value=0, max_value=2**50))
def test_that_a_shown_size_reads_back_within_its_three_digits(size: int) -> None:
    assert abs(parse_bytes(format_bytes(size)) - size) <= max(1, 0.006 * size)
