"""Files that a command is given and that this program wrote earlier."""

from pathlib import Path

from solver.errors import EngineError, Issue
from solver.files import why_not_readable


def read_file(path: str, wanted: str) -> bytes:
    """The whole file; `wanted` says what to give instead.

    Raises EngineError when it is missing, no ordinary file, or cannot be read.
    """
    fault = why_not_readable(Path(path))
    if fault:
        raise EngineError(Issue(fault, path, wanted))
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise EngineError(Issue(f"cannot be read: {error.strerror}", path, wanted)) from error
