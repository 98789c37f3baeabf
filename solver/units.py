"""Quantities at the border: typed text becomes bytes and seconds, shown numbers get a prefix.

The only place that knows prefixes. Inside the engine there are bytes (int), seconds, joules, FLOP.
"""

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from quantiphy import Quantity

from solver.errors import Issue, UsageError

MAX_BYTES: Final = 2**62
"""The largest size that is taken: sums of two still fit a 64-bit integer."""

MAX_SECONDS: Final = 1e15
"""The longest time that is taken, about 32 million years."""

_REMEMBERED: Final = 8192
"""Tables ask for the same few thousand texts again and again; one takes 10 µs to make."""

_BYTE_UNITS: Final[Mapping[str, int]] = MappingProxyType({
    "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50, "EiB": 2**60,
    "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15, "EB": 10**18,
})  # fmt: skip
_SECOND_UNITS: Final[Mapping[str, Decimal]] = MappingProxyType({
    "s": Decimal(1), "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "µs": Decimal("1e-6"),
    "μs": Decimal("1e-6"), "ns": Decimal("1e-9"),
})  # fmt: skip

_BYTES_ACCEPTED: Final = "write a size such as 262144, 256KiB or 1.5 MB; units are " + ", ".join(
    _BYTE_UNITS
)
_SECONDS_ACCEPTED: Final = "write a time such as 3, 3s, 250 ms or 40µs; units are s, ms, µs (or us)"

_UP: Final = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_MEASURES: Final[Mapping[str, Mapping[str, Decimal]]] = MappingProxyType({
    "FLOP/s": {prefix: Decimal(scale) for prefix, scale in _UP.items()},
    "FLOP/J": {prefix: Decimal(scale) for prefix, scale in _UP.items()},
    "B/s": {prefix: Decimal(scale) for prefix, scale in _UP.items()},
    "W": {"": Decimal(1), "µ": Decimal("1e-6"), "m": Decimal("1e-3"), "k": Decimal(1000)},
    "s": {"": Decimal(1), "n": Decimal("1e-9"), "µ": Decimal("1e-6"), "m": Decimal("1e-3")},
})  # fmt: skip
"""Measures of a board and the prefixes that make sense of each: no milli-FLOP, no mega-seconds."""

_BINARY_RATES: Final = MappingProxyType({"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40})
_MEASURE_DIGITS: Final = 6

_QUANTITY: Final = re.compile(
    r"\s*(?P<sign>[+-]?)(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)"
    r"(?:[eE](?P<exponent>[+-]?[0-9]{1,4}))?\s*(?P<unit>[A-Za-zµμ/]*)\s*",
    re.ASCII,
)


class _Shown(Quantity):
    """A quantity as it is shown; a subclass, so that our choices stay ours."""


_Shown.set_prefs(
    output_sf="EPTGMkmunpfa", strip_zeros=False, strip_radix=True, map_sf={"u": "µ"}, spacer=" "
)


def parse_bytes(text: str, *, where: str = "") -> int:
    """Size in whole bytes of what a person typed: "256KiB", "1.5 MB", "1218856", "1e6".

    A size that is not whole is rounded down: a limit of 1331.2 B admits 1331 B. `where` names the
    field in the error.

    Raises
    ------
    UsageError
        Not a size, negative, a fraction of a byte, or above 2**62 B; the sentence says what would
        be accepted.
    """
    number, unit = _split(text, "size", _BYTES_ACCEPTED, where)
    scale = _byte_scale(unit, text, where)
    size = number * scale
    if not unit and number != int(number):
        raise UsageError(
            Issue(f"{text.strip()!r} is not a whole number of bytes", where, _BYTES_ACCEPTED)
        )
    if size > MAX_BYTES:
        raise UsageError(
            Issue(
                f"{text.strip()!r} is more than any machine holds",
                where,
                "at most 4 EiB (2**62 B)",
            )
        )
    return int(size)


def parse_seconds(text: str, *, where: str = "") -> float:
    """Time in seconds of what a person typed: "3s", "250 ms", "40us", "1e-3", "3".

    Raises
    ------
    UsageError
        Not a time, negative, or above 1e15 s; the sentence says what would be accepted.
    """
    number, unit = _split(text, "time", _SECONDS_ACCEPTED, where)
    if unit and unit not in _SECOND_UNITS:
        raise UsageError(
            Issue(f"{text.strip()!r} has an unknown unit {unit!r}", where, _SECONDS_ACCEPTED)
        )
    seconds = float(number * _SECOND_UNITS[unit or "s"])
    if seconds > MAX_SECONDS:
        raise UsageError(Issue(f"{text.strip()!r} is longer than 1e15 s", where, _SECONDS_ACCEPTED))
    return seconds


def parse_ratio(text: str, *, where: str = "") -> float:
    """Part of a whole that a person typed: "0.7" or "70%".

    What is below zero, "nan" and "inf" are read: who asks says which ratios make sense.

    Raises
    ------
    UsageError
        Not a number; the sentence says what would be accepted.
    """
    shown = text.strip()
    number = plain_number(shown.removesuffix("%"))
    if number is None:
        accepted = "write a number such as 0.7 or 70%"
        raise UsageError(Issue(f"{shown!r} is not a ratio", where, accepted))
    return number / 100 if shown.endswith("%") else number


def parse_number(text: str, *, where: str = "") -> float:
    """Number without a unit that a person typed: "20", "2.5e3".

    Raises
    ------
    UsageError
        Not a number; the sentence says what would be accepted.
    """
    number = plain_number(text)
    if number is None:
        accepted = "write a number such as 20 or 2.5e3"
        raise UsageError(Issue(f"{text.strip()!r} is not a number", where, accepted))
    return number


def plain_number(text: str) -> float | None:
    """The number that a text writes out, "nan" and "inf" included; None when it is none.

    Python itself reads "1_0" as 10 as well, and the digits of every script: to people those are
    slips of the keys, not numbers.
    """
    if not is_plain(text):
        return None
    try:
        return float(text)
    except ValueError:
        return None


def is_plain(text: str) -> bool:
    """Whether a text has no sign that only Python takes for a part of a number."""
    return text.isascii() and "_" not in text


def parse_measure(text: str, unit: str, *, where: str = "") -> float:
    """Measure in `unit` ("FLOP/s", "FLOP/J", "B/s", "W", "s") of what a person typed.

    "6.37 MFLOP/s", "6.37M" and "6.37e6" are one; FLOPS is FLOP/s; rates also take KiB/s and the
    like. Prefixes keep their case: m is milli, M is mega.

    Raises
    ------
    UsageError
        Not a number, negative, beyond every float, or of another unit; the sentence says what
        would be accepted.
    """
    accepted = measure_accepted(unit)
    number, typed = _split(text, "number with a unit", accepted, where)
    scale = _measure_scale(typed, unit)
    if scale is None:
        raise UsageError(Issue(f"{text.strip()!r} has an unknown unit {typed!r}", where, accepted))
    value = float(number * scale)
    if not math.isfinite(value):
        raise UsageError(Issue(f"{text.strip()!r} is beyond every number", where, accepted))
    return value


def measure_accepted(unit: str) -> str:
    """What `parse_measure` takes for `unit`, in words."""
    prefixes = [f"{prefix}{unit}" for prefix in _MEASURES[unit]]
    example = {"W": "330 mW", "s": "109 µs"}.get(unit, f"4.5 M{unit}")
    return f"write a number such as {example}; units are {', '.join(prefixes)}"


def format_measure(value: float, unit: str) -> str:
    """Measure to be edited: at most six digits, "6.36991 MFLOP/s"; `parse_measure` reads it."""
    scales = sorted(_MEASURES[unit].items(), key=lambda entry: entry[1])
    fitting = [(prefix, scale) for prefix, scale in scales if float(scale) <= value]
    prefix, scale = fitting[-1] if fitting else scales[0]
    if not value:
        prefix, scale = "", Decimal(1)
    return f"{value / float(scale):.{_MEASURE_DIGITS}g} {prefix}{unit}"


@lru_cache(_REMEMBERED)
def format_bytes(size: int) -> str:
    """Size for people, three digits: "512 B", "256 KiB", "1.16 MiB"; from 10**15 B on "1.00 PB"."""
    magnitude = abs(size)
    if magnitude < 2**10:
        return f"{size} B"
    if magnitude >= 10**15:
        return str(_Shown(size, "B").render(form="si", prec=2))
    whole = magnitude >> (magnitude.bit_length() - 1) // 10 * 10
    # 1000 to 1023 of a prefix need a fourth digit: three would turn 1023 KiB into 1020 KiB.
    return str(_Shown(size, "B").binary(prec=3 if whole >= 1000 else 2))  # noqa: PLR2004 - said above


def format_bytes_exactly(size: int) -> str:
    """Size to the byte: "1,218,856 B"."""
    return f"{size:,} B"


@lru_cache(_REMEMBERED)
def format_seconds(seconds: float) -> str:
    """Time for people, three digits: "62.6 s", "250 ms"; from 1000 s on whole seconds."""
    if abs(seconds) >= 999.5:  # noqa: PLR2004  # rounds to 1000, where a prefix would say "ks"
        return f"{seconds:.0f} s" if abs(seconds) < MAX_SECONDS else f"{seconds:.2e} s"
    return str(_Shown(seconds, "s").render(form="si", prec=2)) if seconds else "0 s"


@lru_cache(_REMEMBERED)
def format_joules(joules: float) -> str:
    """Energy for people, four digits: "545.7 mJ", "9.410 J"."""
    return str(_Shown(joules, "J").render(form="si", prec=3)) if joules else "0 J"


def format_flop(flop: float) -> str:
    """Work for people, three digits: "15.7 kFLOP", "4.09 GFLOP"; below 1000 the number itself."""
    if abs(flop) < 1000:  # noqa: PLR2004 - from here on a prefix
        return f"{flop:g} FLOP"
    return str(_Shown(flop, "FLOP").render(form="si", prec=2))


def format_count(count: int) -> str:
    """Whole number with thousands apart: "12,345"."""
    return f"{count:,}"


def format_percent(ratio: float, *, signed: bool = False) -> str:
    """Ratio as a percentage with one decimal, below 0.1 % with two digits: "6.5 %", "0.042 %".

    What would round to 0.000 without being 0 is "~0 %". `signed` puts a plus before a rise.
    """
    percent = 100 * ratio
    if not math.isfinite(percent):
        return "–"
    plus = "+" if signed and percent > 0 else ""
    if percent and abs(percent) < 0.0005:  # noqa: PLR2004  # would be shown as 0.000
        return "~0 %"
    if percent and abs(percent) < 0.095:  # noqa: PLR2004  # would be shown as 0.1 or 0.0
        return f"{plus}{percent:.2g} %"
    return f"{plus}{percent:.1f} %" if percent else "0 %"


def _split(text: str, what: str, accepted: str, where: str) -> tuple[Decimal, str]:
    shown = text.strip()
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise UsageError(Issue(f"{shown!r} is not a {what}", where, accepted))
    number = Decimal(found["number"].replace(",", "") + "e" + (found["exponent"] or "0"))
    if found["sign"] == "-" and number:
        raise UsageError(Issue(f"{shown!r} is below zero", where, accepted))
    return number, found["unit"]


def _measure_scale(typed: str, unit: str) -> Decimal | None:
    """How much of `unit` the typed unit is; None when it is none of it."""
    plain = typed.replace("u", "µ", 1).replace("μ", "µ") if unit in {"W", "s"} else typed
    if unit == "FLOP/s" and plain.upper().endswith("FLOPS"):
        plain = f"{plain[:-1]}/s"
    base = plain.lower().endswith(unit.lower())
    prefix = plain[: -len(unit)] if base else plain
    scales = _MEASURES[unit]
    if unit == "B/s" and base and prefix in _BINARY_RATES:
        return Decimal(_BINARY_RATES[prefix])
    return scales.get(prefix)


def _byte_scale(unit: str, text: str, where: str) -> int:
    if unit in _BYTE_UNITS or not unit:
        return _BYTE_UNITS[unit or "B"]
    near = [name for name in _BYTE_UNITS if name.lower() == unit.lower()]
    # "KB" means 1000 to some and 1024 to others, so it is asked about; "kib", "mb" mean one thing.
    if near and unit not in {"KB", "Kb"}:
        return _BYTE_UNITS[near[0]]
    hint = "write kB for 1000 B or KiB for 1024 B" if near else _BYTES_ACCEPTED
    raise UsageError(Issue(f"{text.strip()!r} has an unknown unit {unit!r}", where, hint))
