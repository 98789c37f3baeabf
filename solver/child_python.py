"""Processes of this program that another one of them starts: with which command, where."""

import os
import site
import sys
from collections.abc import Mapping
from pathlib import Path


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
