"""Why an id of a device is refused, in words, and one that would do."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from solver.text import verb

_ID_WORDS: Final = "letters (A to Z, a to z), digits, '.', '_' and '-' are"
_NOT_IN_ID: Final = re.compile(r"[^A-Za-z0-9._-]")
_NOT_IN_ID_RUN: Final = re.compile(r"[^A-Za-z0-9._-]+")
_BLANKS: Final[Mapping[str, str]] = MappingProxyType({" ": "a blank", "\t": "a tab"})


def id_fault(text: str) -> str:
    """What is wrong with an id that the profile's schema refuses, and one that would do."""
    if not text:
        return f"an id is needed: {_ID_WORDS} allowed"
    wrong = [_letter_words(letter) for letter in dict.fromkeys(_NOT_IN_ID.findall(text))]
    if wrong:
        names = " and ".join(filter(None, (", ".join(wrong[:-1]), wrong[-1])))
        fault = f"{names} {verb(len(wrong), 'is', 'are')} not allowed: {_ID_WORDS}"
    else:
        fault = f"it may not begin with {_letter_words(text[0])}, only with a letter or digit"
    better = _NOT_IN_ID_RUN.sub("-", text).strip("._-")
    return f"{fault}; {better} would do" if better else fault


def _letter_words(letter: str) -> str:
    return _BLANKS.get(letter, f"'{letter}'" if letter.isprintable() else "a control character")
