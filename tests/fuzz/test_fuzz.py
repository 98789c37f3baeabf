"""Claim: no damaged graph file or model ends in a traceback, a crash, 5 s of work or 1 GB.

`--cases 100000` is the acceptance form; a case is reproduced by its number:
`python -m tests.fuzz.hammer NUMBER 1 FOLDER`.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="limits of a process are needed")

_QUICK: Final = 150
_PER_PROCESS: Final = 2500
_SHOWN: Final = 10
_SHOWN_CHARACTERS: Final = 1500


class _Found(NamedTuple):
    endings: Counter[str]
    faults: list[str]


def hammer(first: int, count: int, folder: Path) -> _Found:
    """How the cases ended. One that ends the process is a fault, and those behind it still run."""
    found, end = _Found(Counter(), []), first + count
    while first < end:
        batch = min(_PER_PROCESS, end - first)
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz.hammer", str(first), str(batch), str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert lines, f"no case was tried: {done.stderr[-_SHOWN_CHARACTERS:]}"
        found.faults.extend(
            f"case {line[0]}: {line[1]}: {line[2]}" for line in lines if len(line) == 3
        )
        first = lines[-1][0] + 1
        found.endings.update(lines[-1][1])
        if done.returncode:
            how = f"ended the process with {done.returncode}: {done.stderr[-_SHOWN_CHARACTERS:]}"
            found.faults.append(f"case {lines[-1][0]}: {how}")
    return found


def check(first: int, count: int, folder: Path) -> None:
    found = hammer(first, count, folder)
    sys.stdout.write(f"{count} cases: {dict(found.endings)}, {len(found.faults)} faults\n")
    assert not found.faults, "\n".join([f"{len(found.faults)} of {count}", *found.faults[:_SHOWN]])
    # Damage that lets nothing through, or stops nothing, tests only half of the program.
    assert found.endings["read"] > count // 50
    assert found.endings["refused"] > count // 5


def test_that_some_damaged_files_are_read_or_refused_in_words(tmp_path: Path) -> None:
    check(0, _QUICK, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(6 * 3600)
def test_that_any_damaged_file_is_read_or_refused_in_words(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    check(_QUICK, request.config.getoption("--cases"), tmp_path)
