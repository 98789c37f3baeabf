"""Files of the user: whether they can be read or written, said in words; written whole or not."""

import errno
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path


def is_there(path: Path) -> bool:
    """True when something has that path, be it a broken link; no path makes it raise."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a zero byte
        return False
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG
    return True


def why_not_readable(path: Path) -> str:
    """Why `path` is no file that can be read whole, in words; empty when it is.

    Pipes and devices are no files: reading one may never end.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "does not exist"
    except (OSError, ValueError) as error:  # ValueError: a zero byte
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if stat.S_ISDIR(mode):
        return "is a folder"
    return "" if stat.S_ISREG(mode) else "is not an ordinary file"


def is_same_file(one: Path, other: Path) -> bool:
    """True when both paths lead to one file, through links too; False when either is missing."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


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
    try:
        return _obstacle(path)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    except (ValueError, RuntimeError) as error:  # a zero byte; links that lead in a circle
        return str(error).lower()


def _obstacle(path: Path) -> str:
    if path.is_dir():
        return "it is a folder"
    if is_special(path):
        return "" if os.access(path, os.W_OK) else "permission denied"
    folder = path.resolve().parent
    if not folder.is_dir():
        return f"the folder {folder} does not exist"
    with suppress(FileNotFoundError):
        path.stat()  # a name too long for a file is said now
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".poet-"):
        return ""


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
