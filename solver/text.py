"""Bytes of a file as text, whichever Unicode encoding an editor has chosen for it."""

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
