"""Zip archives that may be damaged or hostile: whatever is wrong with one is one error."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_FAULTS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    RuntimeError,  # encrypted; of a newer version or method (NotImplementedError)
    ValueError,  # names that are no text, places before the file's beginning
    IndexError,  # an entry without a name
    OverflowError,
)
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class ArchiveError(Exception):
    """A file that is no sound archive; the text says why, in the words of Python's reader."""


@contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive, to be looked at and read inside of the block alone.

    Raises ArchiveError for whatever is wrong with it, at once or while it is read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except _FAULTS as error:
        raise ArchiveError(str(error) or type(error).__name__) from error


def bytes_of(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The entry's bytes, stored or deflated; other methods are not among those of model files."""
    if entry.compress_type not in _METHODS:
        raise zipfile.BadZipFile(f"{entry.filename} is packed by method {entry.compress_type}")
    return archive.read(entry)
