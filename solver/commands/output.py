"""Where the output of a command goes: checked before the work, written whole or not at all."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from solver.errors import EngineError, Issue, UsageError
from solver.exporters.base import Exporter, write_companions
from solver.files import is_same_file, is_special, why_not_writable, write_whole
from solver.simulate import Trace
from solver.text import one_line

STDOUT: Final = "-"


def check_outputs(paths: Sequence[tuple[str, str | None]], inputs: Sequence[str] = ()) -> None:
    """Make sure that every (option, path) can be written; None and "-" can.

    `inputs` are the files that the command reads, and names that are no files.

    Raises
    ------
    UsageError
        Two options name one file or stdout, or one names a file that is read.
    EngineError
        A folder that is missing or read-only, a path that is a folder; all at once.
    """
    given = [(option, path) for option, path in paths if path is not None]
    files = [(option, Path(path)) for option, path in given if path != STDOUT]
    issues = [
        Issue(f"cannot write {path or repr(path)}: {fault}", option)
        for option, path in given
        if path != STDOUT and (fault := why_not_writable(Path(path)))
    ]
    if issues:
        raise EngineError(issues)
    clashes = [*_twice(given), *_read_too(files, inputs)]
    if clashes:
        raise UsageError(clashes)


def _twice(given: Sequence[tuple[str, str]]) -> Iterator[Issue]:
    seen: dict[str | Path, str] = {}
    for option, path in given:
        other = seen.setdefault(STDOUT if path == STDOUT else Path(path).resolve(), option)
        if other != option and not (path != STDOUT and is_special(Path(path))):
            target = "stdout" if path == STDOUT else f"the same file {path}"
            yield Issue(f"{other} and {option} write to {target}", option, "give two files")


def _read_too(files: Sequence[tuple[str, Path]], inputs: Sequence[str]) -> Iterator[Issue]:
    for option, path in files:
        for read in inputs:
            if is_same_file(path, Path(read)) and not is_special(path):
                yield Issue(f"{path} would overwrite {read}, which is read", option, "another file")


def write_output(path: str, data: bytes) -> None:
    """Write to stdout ("-") or a file, which appears whole or not at all.

    Raises EngineError when it cannot be written after all (a full disk).
    """
    try:
        if path == STDOUT and sys.stdout is None:  # the caller has closed it
            raise EngineError(Issue("cannot write -: stdout is closed"))
        if path == STDOUT:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            write_whole(Path(path), data)
    except OSError as error:
        raise EngineError(Issue(f"cannot write {path}: {error.strerror}")) from error


def write_export(path: str, exporter: Exporter, trace: Trace) -> None:
    """Write a schedule in a format, and what belongs beside the file. Raises as `write_output`."""
    write_output(path, exporter.export(trace))
    if path == STDOUT or is_special(Path(path)):
        return
    try:
        for sentence in write_companions(exporter, Path(path)):
            say(sentence)
    except OSError as error:
        raise EngineError(Issue(f"cannot write beside {path}: {error.strerror}")) from error


def tell(lines: Iterable[str]) -> None:
    """Write lines to stdout, control characters out of a file's names spelled out."""
    click.echo("\n".join(one_line(line) for line in lines))


def say(text: str) -> None:
    """Lines for the user on stderr, control characters out of names spelled out."""
    click.echo("\n".join(one_line(line) for line in text.splitlines()), err=True)


@contextmanager
def quiet_stdout() -> Iterator[None]:
    """Send what native code prints to file descriptor 1 nowhere: JSON stands there alone.

    HiGHS greets on stdout from C++, past sys.stdout.
    """
    try:
        kept = os.dup(1)
    except OSError:  # the caller has closed stdout: there is nothing to protect
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    sys.stdout.flush()
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
