"""Checking a document against a JSON schema: every mistake at once, each with its place, in words.

Numbers are taken more strictly than JSON schema does: no booleans, no NaN, no infinity; a whole
number may be written 1e15 but not 100.5.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from solver.errors import Issue
from solver.schema_shortcut import inlined, plainly_fits
from solver.suggest import near

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MOST_ISSUES: Final = 1_000
"""A damaged file of 400 kB can break its schema 100,000 times; nobody reads that."""
_EXACT_FLOAT: Final = 2**53
_SHOWN_TEXT: Final = 40
_HINT: Final = "\x1f"
_SHOWN_DIGITS: Final = 30
_KINDS: Final = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object with keys",
    "null": "null",
}

PathPart = str | int


def schema_issues(document: object, schema: str, *, file: str = "") -> tuple[Issue, ...]:
    """Every way in which `document` breaks the schema `schema` ("device"), in the document's order.

    `file` stands before each place: "board.toml: page_in.latency_s".
    """
    found = _validator(schema).iter_errors(cast("Any", document))
    errors = sorted(
        islice(found, _MOST_ISSUES),
        key=lambda error: (_position(document, list(error.absolute_path)), error.message),
    )
    issues = []
    for error in errors:
        message, _, hint = error.message.partition(_HINT)
        issues.append(Issue(message, place(document, error.absolute_path, file=file), hint))
    if len(issues) == _MOST_ISSUES:
        issues.append(
            Issue(f"more than {_MOST_ISSUES - 1} mistakes; the others are not named", file)
        )
    return tuple(issues)


def place(document: object, path: Iterable[PathPart], *, file: str = "") -> str:
    """Words for a place in a document: "graph.json: node conv: bytes"."""
    parts = [file] if file else []
    keys: list[str] = []
    value: Any = document  # parsed JSON or TOML: its types are what is being found out
    for part in path:
        value = _child(value, part)
        if isinstance(part, str):
            keys.append(part)
            continue
        listed = keys.pop() if keys else "item"
        name = value.get("name") if isinstance(value, dict) else None
        label = f"{listed.removesuffix('s')} {name}" if isinstance(name, str) and name else ""
        parts += [".".join(keys)] * bool(keys) + [label or f"{listed}[{part}]"]
        keys = []
    words = ": ".join([*parts, ".".join(keys)] if keys else parts)
    # A name may hold half of a surrogate pair, which no terminal takes.
    return words.encode("utf-8", "replace").decode()


def describe(value: object) -> str:
    """Words for a value of a document as its author wrote it."""
    match value:
        case None | True | False:
            return json.dumps(value)
        case str():
            shown = value if len(value) <= _SHOWN_TEXT else value[:_SHOWN_TEXT] + "…"
            return f"the text {json.dumps(shown, ensure_ascii=False)}"
        case dict():
            return "an object"
        case list():
            return "a list"
        case int() if abs(value) >= 10**_SHOWN_DIGITS:
            return f"a number of more than {_SHOWN_DIGITS} digits"
        case _:
            return str(value)


@lru_cache
def _validator(schema: str) -> "Validator":
    from jsonschema import Draft202012Validator  # noqa: PLC0415  # slow to import
    from jsonschema.validators import extend  # noqa: PLC0415  # slow to import

    checker = Draft202012Validator.TYPE_CHECKER.redefine_many({
        "integer": lambda _, value: _is_whole(value),
        "number": lambda _, value: _is_number(value),
    })  # fmt: skip
    keywords = {
        "type": _type,
        "required": _required,
        "additionalProperties": _additional,
        "items": _items,
        "anyOf": _any_of,
        "enum": _enum,
        "const": _const,
        "minimum": _bound("minimum"),
        "exclusiveMinimum": _bound("exclusiveMinimum"),
        "maximum": _bound("maximum"),
        "minLength": _not_empty,
        "minItems": _not_empty,
        "pattern": _pattern,
    }
    text = files("resources.schemas").joinpath(f"{schema}.schema.json").read_text("utf-8")
    strict = extend(  # type: ignore[no-untyped-call]  # its stub has no types
        Draft202012Validator, validators=keywords, type_checker=checker
    )
    document = json.loads(text)
    return cast("Validator", strict(inlined(document, document)))


def _is_number(value: object) -> bool:
    # isfinite refuses whole numbers beyond 1e308; they are finite.
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole or (isinstance(value, float) and math.isfinite(value))


def _is_whole(value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer() and abs(value) <= _EXACT_FLOAT
    return isinstance(value, int) and not isinstance(value, bool)


def _fault(message: str, hint: str = "") -> "Iterator[Exception]":
    from jsonschema import ValidationError  # noqa: PLC0415  # slow to import

    # The hint travels inside the message: an error object has no room of its own for it.
    yield ValidationError(f"{message}{_HINT}{hint}" if hint else message)


def _type(
    validator: Any, wanted: str | list[str], value: object, _schema: object
) -> Iterator[Exception]:
    kinds = [wanted] if isinstance(wanted, str) else wanted
    if not any(validator.is_type(value, kind) for kind in kinds):
        words = " or ".join(_KINDS[kind] for kind in kinds)
        yield from _fault(f"is {describe(value)}, must be {words}")


def _required(
    _validator: object, keys: Sequence[str], value: object, _schema: object
) -> Iterator[Exception]:
    if isinstance(value, dict):
        for key in keys:
            if key not in value:
                yield from _fault(f"{key} is missing")


def _additional(validator: Any, allowed: object, value: object, schema: Any) -> Iterator[Exception]:
    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    for key in value:
        if key in known:
            continue
        if allowed is False:
            yield from _fault(f"{key} is not a known key", near(str(key), known))
        elif allowed is not True:
            yield from validator.descend(value[key], allowed, path=key)


def _items(validator: Any, items: Any, value: object, _schema: object) -> Iterator[Exception]:
    for index, item in enumerate(value if isinstance(value, list) else []):
        if not plainly_fits(item, items):
            yield from validator.descend(item, items, path=index)


def _any_of(
    validator: Any, branches: Sequence[Any], value: object, _schema: object
) -> Iterator[Exception]:
    """Say what is wrong with the form that comes nearest; null is never what was meant."""
    found = [list(validator.descend(value, branch)) for branch in branches]
    if all(found):
        meant = [
            errors
            for branch, errors in zip(branches, found, strict=True)
            if branch != {"type": "null"}
        ]
        yield from min(meant or found, key=len)


def _enum(
    _validator: object, allowed: Sequence[object], value: object, _schema: object
) -> Iterator[Exception]:
    if value not in allowed:
        words = ", ".join("null" if item is None else str(item) for item in allowed)
        hint = near(value, [str(item) for item in allowed]) if isinstance(value, str) else ""
        yield from _fault(f"is {describe(value)}, must be one of: {words}", hint)


def _const(
    _validator: object, wanted: object, value: object, _schema: object
) -> Iterator[Exception]:
    if value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
        yield from _fault(f"is {describe(value)}, must be {wanted}")


def _bound(keyword: str) -> Any:
    words = {"minimum": "below", "exclusiveMinimum": "not above", "maximum": "above"}[keyword]

    def check(_validator: object, limit: float, value: object, schema: Any) -> Iterator[Exception]:
        if not _is_number(value):
            return
        assert isinstance(value, int | float)
        broken = {
            "minimum": value < limit,
            "exclusiveMinimum": value <= limit,
            "maximum": value > limit,
        }
        if keyword == "minimum" and limit > schema.get("exclusiveMinimum", limit) >= value:
            return  # not above the stricter limit: said there
        if broken[keyword]:
            yield from _fault(f"is {describe(value)}, {words} {limit}")

    return check


def _not_empty(
    _validator: object, length: int, value: object, _schema: object
) -> Iterator[Exception]:
    if isinstance(value, str | list) and len(value) < length:
        yield from _fault("is empty")


def _pattern(_validator: object, pattern: str, value: object, schema: Any) -> Iterator[Exception]:
    if isinstance(value, str) and not re.search(pattern, value):
        wanted = schema.get("description", f"a text like {pattern}")
        yield from _fault(f"is {describe(value)}, must be {wanted}")


def _child(value: object, part: PathPart) -> object:
    if isinstance(value, dict):
        return value.get(part)
    if isinstance(value, list) and isinstance(part, int):
        return value[part]
    return None


def _position(document: object, path: Sequence[PathPart]) -> tuple[int, ...]:
    """Where `path` stands in the document, to sort by; a missing key stands last."""
    value: Any = document
    places = []
    for part in path:
        if isinstance(value, dict):
            places.append(list(value).index(part) if part in value else len(value))
        else:
            places.append(int(part))
        value = _child(value, part)
    return tuple(places)
