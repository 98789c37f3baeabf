"""Sweeps of the command line: what their tests ask for, and how they read what was written."""

import json
from pathlib import Path
from typing import Final

from tests.helpers.command import CHAIN, DEAR, Document

SWEEP: Final = ("sweep", CHAIN, "--device", DEAR)
QUICK: Final = (*SWEEP, "--strategy", "page-all,sqrt-n", "--jobs", "1")
EFFORT: Final = ("--jobs", "1", "--work-limit", "1")
"""One process and a limit of work: the same points again, however busy the machine is."""


def read(path: Path) -> Document:
    """The document that was written."""
    document: Document = json.loads(path.read_bytes())
    return document
