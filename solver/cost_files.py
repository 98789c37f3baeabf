"""Cost tables as files, CSV or JSON: op or kind -> seconds and joules, every mistake named."""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from solver.cost_table import CostRow, CostTable
from solver.errors import DeviceError, Issue
from solver.files import why_not_readable
from solver.loaders.json_file import parse_json
from solver.suggest import near
from solver.text import decode, printable
from solver.units import plain_number

FORMAT: Final = "poet.costs"
COSTS: Final = ("seconds", "joules")
NAMES: Final = ("op", "kind")
TOLD: Final = ("runs", "lower_quartile_s", "upper_quartile_s", "share")
"""Further columns that `poet profile` writes for people; they price nothing."""
MOST: Final[Mapping[str, float]] = {"seconds": 3600.0, "joules": 1e6}
"""One run of one op: an hour, and what a kilowatt takes in a quarter of one."""

_WANTED: Final = "columns op or kind, and seconds or joules"
_MAX_FILE_BYTES: Final = 2**24

Entry = tuple[str, Mapping[str, object]]
"""A place, in words, and what stands there by column."""


def read_cost_table(path: Path) -> CostTable:
    """Read a cost table; a file that begins with { or [ is JSON, all else CSV with a head line.

    Raises
    ------
    DeviceError
        Not readable, or with mistakes; every one is named with its line or entry.
    """
    data, name = _bytes(path), printable(path.name)
    try:
        text = decode(data)
    except UnicodeDecodeError as error:
        raise DeviceError(Issue("is not text", name, "save it as UTF-8")) from error
    is_json = text.lstrip().startswith(("{", "["))
    return table_of(name, _json_entries(data, name) if is_json else _csv_entries(text, name))


def table_of(name: str, entries: Sequence[Entry]) -> CostTable:
    """The table of these entries: `op` and `kind` texts or null, `seconds`, `joules` or null.

    Raises DeviceError with every mistake: no name or no cost, numbers that no run costs, doubles.
    """
    issues: list[Issue] = []
    rows: list[CostRow] = []
    seen: dict[tuple[str, str], str] = {}
    for where, fields in entries:
        issues += _faults(where, fields)
        op, kind = (str(fields.get(key) or "") for key in NAMES)
        named = ("op", op) if op else ("kind", kind)
        first = seen.setdefault(named, where)
        if named[1] and first != where:
            issues.append(Issue(f"{' '.join(named)} stands twice, first at {first}", where))
        seconds, joules = (_number(fields.get(key)) for key in COSTS)
        rows.append(CostRow(seconds, joules, op, kind))
    if not rows:
        issues.append(Issue("holds no costs", name, _WANTED))
    if issues:
        raise DeviceError(issues)
    return CostTable(name, tuple(rows))


def _bytes(path: Path) -> bytes:
    fault = why_not_readable(path)
    try:
        data = b"" if fault else path.read_bytes()
    except OSError as error:
        fault = f"cannot be read: {error.strerror}"
    if fault:
        raise DeviceError(Issue(fault, str(path), "a cost table is wanted, CSV or JSON"))
    if not data:
        raise DeviceError(Issue("is empty", str(path), _WANTED))
    if len(data) > _MAX_FILE_BYTES:
        raise DeviceError(Issue("is too large for a cost table", str(path), "at most 16 MiB"))
    return data


def _json_entries(data: bytes, name: str) -> list[Entry]:
    document = parse_json(data, name)
    listed = document.get("costs") if isinstance(document, dict) else None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        words = 'a cost table in JSON begins {"format": "poet.costs", "version": 1, "costs": [...]}'
        raise DeviceError(Issue("is no cost table", name, words))
    if document.get("version") != 1:
        raise DeviceError(Issue("is of another version", f"{name}: version", "1 is known"))
    if not isinstance(listed, list):
        raise DeviceError(Issue("is missing or no list", f"{name}: costs", _WANTED))
    strange = [
        Issue("is no object with keys", f"{name}: costs[{place}]")
        for place, entry in enumerate(listed)
        if not isinstance(entry, dict)
    ]
    if strange:
        raise DeviceError(strange)
    issues = [issue for place, entry in enumerate(listed)
              for issue in _unknown(entry, f"{name}: costs[{place}]")]  # fmt: skip
    if issues:
        raise DeviceError(issues)
    return [(f"{name}: costs[{place}]", entry) for place, entry in enumerate(listed)]


def _csv_entries(text: str, name: str) -> list[Entry]:
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        lines = [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader]
    except csv.Error as error:
        raise DeviceError(
            Issue(f"is not CSV: {error}", f"{name}: line {reader.line_num}")
        ) from error
    lines = [(number, cells) for number, cells in lines if any(cells)]
    columns = [cell.lower() for cell in lines[0][1]] if lines else []
    issues = [*_column_faults(columns, name)]
    issues += [
        Issue(f"has {len(cells)} cells, the head has {len(columns)}", f"{name}: line {number}")
        for number, cells in lines[1:]
        if len(cells) != len(columns)
    ]
    if issues:
        raise DeviceError(issues)
    return [
        (f"{name}: line {number}", {
            column: _cell(column, cell) for column, cell in zip(columns, cells, strict=True)
        })
        for number, cells in lines[1:]
    ]  # fmt: skip


def _column_faults(columns: Sequence[str], name: str) -> Iterator[Issue]:
    where = f"{name}: line 1"
    if not set(columns) & set(NAMES):
        yield Issue("there is no column op or kind", where, _WANTED)
    if not set(columns) & set(COSTS):
        yield Issue("there is no column seconds or joules", where, _WANTED)
    yield from _unknown(dict.fromkeys(columns), where)
    for column in sorted({column for column in columns if columns.count(column) > 1}):
        yield Issue(f"the column {column!r} stands twice", where)


def _unknown(columns: Mapping[str, object], where: str) -> Iterator[Issue]:
    known = (*NAMES, *COSTS, *TOLD)
    for column in columns:
        if column not in known:
            yield Issue(f"{column!r} is no known column", where, near(column, known) or _WANTED)


def _cell(column: str, cell: str) -> object:
    """What a cell says: null where it is empty, a number where the column is one of numbers."""
    if column in NAMES or not cell:
        return cell or None
    number = plain_number(cell)
    return cell if number is None else number


def _faults(where: str, fields: Mapping[str, object]) -> Iterator[Issue]:
    for key in NAMES:
        if not isinstance(fields.get(key), str | None):
            yield Issue(f"is {fields[key]!r}, must be a text", f"{where}: {key}")
    if not any(fields.get(key) for key in NAMES):
        yield Issue("names neither an op nor a kind of op", where)
    if all(fields.get(key) is None for key in COSTS):
        yield Issue("gives neither seconds nor joules", where)
    for key in COSTS:
        fault, hint = _number_fault(fields.get(key), key)
        if fault:
            yield Issue(fault, f"{where}: {key}", hint)


def _number_fault(value: object, key: str) -> tuple[str, str]:
    """What is wrong with a cost, and what to do; both empty when nothing is."""
    if value is None:
        return "", ""
    hint = f"a number from 0 on, in {key}"
    number = _number(value)
    if number is None:
        return f"{value!r} is no number", hint
    if not math.isfinite(number):
        return f"is {number}", hint
    if number < 0:
        return f"is {number:g}, below 0", hint
    if number > MOST[key]:
        unit = "milliseconds" if key == "seconds" else "millijoules"
        words = f"is {number:g}, more than one run of an op takes ({MOST[key]:g})"
        return words, f"are these {unit}?"
    return "", ""


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) + 0.0  # no document carries a negative zero
    except OverflowError:
        return math.inf
