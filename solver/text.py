"""Text from outside, bytes in whichever encoding and names in none; text of ours that counts."""

import json


def decode(data: bytes) -> str:
    """Text of `data` in UTF-8, UTF-16 or UTF-32, with or without a byte order mark.

    Raises
    ------
    UnicodeDecodeError
        None of the three.
    """
    return data.decode(detect_encoding(data)).removeprefix("\ufeff")


def detect_encoding(data: bytes) -> str:
    """Name the Unicode encoding of `data` by its byte order mark or its zero bytes, else UTF-8."""
    # RFC 4627's rule for JSON (zero bytes tell the width) fits every text that starts in ASCII.
    return json.detect_encoding(data)


def one_line(text: str) -> str:
    """The text on one line: what is not printable, as in damaged names, is spelled out."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )


def printable(name: str) -> str:
    """The name of a file, fit for every document: bytes that are no UTF-8 are spelled out.

    The system hands them over as half characters, which no encoder takes.
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def counted(count: int, what: str) -> str:
    """A number and its noun: "1 node", "12 nodes"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def verb(count: int, one: str, many: str) -> str:
    """The form of a verb that goes with a number of things."""
    return one if count == 1 else many
