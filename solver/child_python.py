"""Processes of this program that another one of them starts: with which command, where."""

import os
import site
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO


def module_command(module: str) -> tuple[str, ...]:
    """The command that runs a module of ours.

    -P: the folder in which the program is started may be the one that a file was downloaded to, and
    must not be searched for modules.
    """
    return (sys.executable, "-P", "-m", module)


def environment(**more: str) -> Mapping[str, str]:
    """Our environment and `more`; a package that is not installed is found where this one was."""
    home = str(Path(__file__).parent.parent)
    if home not in site.getsitepackages():
        before = os.environ.get("PYTHONPATH")
        more["PYTHONPATH"] = f"{before}{os.pathsep}{home}" if before else home
    return {**os.environ, **more}


def take_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for messages alone; to be called first, in the child.

    Whatever else reads or prints there (a library's banner, a module of the user's, a process of
    theirs) gets an empty input and standard error.
    """
    requests, events = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, events
