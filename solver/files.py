"""Writing files so that a reader sees the old one or the whole new one, never half of it."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write `data` to `path` through a temporary file beside it; pipes and devices are written to.

    A link stays a link: what it points to is replaced. Raises OSError as writing does; the old file
    is then still there.
    """
    if is_special(path):
        path.write_bytes(data)
        return
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".poet-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def why_not_writable(path: Path) -> str:
    """Why `path` cannot be written, in words; empty when it can."""
    if path.is_dir():
        return "it is a folder"
    if is_special(path):
        return "" if os.access(path, os.W_OK) else "permission denied"
    folder = path.resolve().parent
    if not folder.is_dir():
        return f"the folder {folder} does not exist"
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".poet-"):
            return ""
    except OSError as error:
        return (error.strerror or str(error)).lower()


def is_special(path: Path) -> bool:
    """True for pipes and devices such as /dev/null, which must not be replaced by a file."""
    with suppress(OSError):
        return not stat.S_ISREG(path.stat().st_mode)
    return False


def _mode(target: Path) -> int:
    """Permissions of the old file, else those of any new file (mkstemp's are private)."""
    with suppress(OSError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
