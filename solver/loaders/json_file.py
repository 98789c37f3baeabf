"""JSON as people really save it: any Unicode encoding, mistakes named by line and column."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from solver.errors import Issue, ModelError
from solver.schemas import PathPart, place
from solver.text import decode

MAX_FILE_BYTES: Final = 2**30
_MAX_DIGITS: Final = 400
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(path: Path) -> object:
    """Read the document of a JSON file.

    Raises
    ------
    ModelError
        Not readable, not text, not JSON; keys that stand twice, NaN and infinity are all named.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ModelError(Issue("is too large to be read", path.name, "at most 1 GiB"))
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(Issue(f"cannot be read: {error.strerror}", path.name)) from error
    return parse_json(data, path.name)


def parse_json(data: bytes, file: str) -> object:
    """Parse JSON; `file` stands before every place. Errors as in `read_json`."""
    try:
        text = decode(data)
    except UnicodeDecodeError as error:
        raise ModelError(Issue("is not text", file, "save it as UTF-8")) from error
    reader = _Reader(file)
    try:
        document = reader.read(text)
    except json.JSONDecodeError as error:
        raise ModelError(_syntax(error, text, file)) from error
    except RecursionError as error:
        raise ModelError(Issue("is nested too deeply to be a graph", file)) from error
    issues = [*reader.issues]
    if reader.strange_numbers or _SURROGATE.search(text):
        issues += _strange_values(document, file)
    if issues:
        raise ModelError(issues)
    return document


class _Reader:
    """The hooks of one parse: what the standard parser lets pass in silence is written down."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.issues: list[Issue] = []
        self.strange_numbers = False

    def read(self, text: str) -> object:
        return json.loads(
            text,
            object_pairs_hook=self._object,
            parse_constant=self._strange,
            parse_float=self._float,
            parse_int=self._int,
        )

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = sorted({key for key in keys if keys.count(key) > 1})
            name = found.get("name")
            where = f"{self.file}: {name}" if isinstance(name, str) else self.file
            self.issues += [Issue(f"the key {key} stands twice", where) for key in twice]
        return found

    def _strange(self, literal: str) -> float:
        self.strange_numbers = True
        return float(literal)

    def _float(self, literal: str) -> float:
        number = float(literal)
        self.strange_numbers |= not math.isfinite(number)
        return number

    def _int(self, literal: str) -> int | float:
        # Longer than any float: the standard parser would refuse the whole file without a place.
        return int(literal) if len(literal) <= _MAX_DIGITS else self._strange("inf")


def _strange_values(document: object, file: str) -> Iterator[Issue]:
    """Numbers that are not finite and texts that are no Unicode, in document order."""
    open_: list[tuple[list[PathPart], object]] = [([], document)]
    while open_:
        path, value = open_.pop()
        if isinstance(value, float) and not math.isfinite(value):
            yield Issue("is no finite number", place(document, path, file=file), "JSON has no NaN")
        elif isinstance(value, str) and not _is_unicode(value):
            yield Issue("holds half a character", place(document, path, file=file))
        elif isinstance(value, dict):
            if not all(map(_is_unicode, value)):
                yield Issue("a key holds half a character", place(document, path, file=file))
            open_ += [([*path, key], child) for key, child in reversed(value.items())]
        elif isinstance(value, list):
            open_ += [([*path, i], child) for i, child in reversed([*enumerate(value)])]


def _is_unicode(text: str) -> bool:
    """Half of a surrogate pair may stand in JSON, but no file or pipe can carry it further."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _syntax(error: json.JSONDecodeError, text: str, file: str) -> Issue:
    where = f"{file}: line {error.lineno}, column {error.colno}"
    if error.msg == "Extra data":
        return Issue("there is more text behind the end of the JSON document", where)
    if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
        return Issue("the file ends in the middle of the JSON document", where, "is it cut off?")
    return Issue(f"is not JSON: {error.msg}", where)
