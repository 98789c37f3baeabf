"""Claim: no damaged .pt2 ends in anything but a program that PyTorch may read, or a sentence.

PyTorch is not wanted: what is tested is all that happens before it sees a file. `--cases 100000` is
the long form; a case follows from its number.
"""

import random
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from solver.errors import ModelError
from solver.loaders.pt2_archive import read_export
from solver.loaders.sniff import sniff
from tests.fuzz.pt2_damage import Exports

_QUICK: Final = 40
_BATCH: Final = 4


def ending(path: Path) -> str:
    """How reading it ended; read: told apart, taken apart, and packed anew for a batch of four."""
    try:
        sniff(path)
        export = read_export(path)
        dims = [dim for entry in export.step.inputs for dim in entry.dims]
        export.packed({dim: _BATCH for dim in dims if isinstance(dim, str)})
    except ModelError as error:
        told = error.issues and all(issue.message for issue in error.issues)
        return "refused" if told else "refused without a word"
    return "read"


def check(first: int, count: int, folder: Path) -> None:
    exports, path, endings, faults = Exports(), folder / "case.pt2", Counter[str](), []
    for number in range(first, first + count):
        path.write_bytes(exports.damaged(random.Random(number)))
        try:
            endings[ending(path)] += 1
        except Exception:  # noqa: BLE001 - whatever is no sentence is what this looks for
            faults.append(f"case {number}: {traceback.format_exc()}")
    sys.stdout.write(f"{count} cases: {dict(endings)}, {len(faults)} faults\n")
    assert not endings["refused without a word"]
    assert not faults, "\n".join([f"{len(faults)} of {count}", *faults[:5]])
    # Damage that lets nothing through, or stops nothing, tests only half of the reader.
    assert endings["read"] > count // 20
    assert endings["refused"] > count // 3


def test_that_some_damaged_exports_are_read_or_refused_in_words(tmp_path: Path) -> None:
    check(0, _QUICK, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(6 * 3600)
def test_that_any_damaged_export_is_read_or_refused_in_words(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    check(_QUICK, request.config.getoption("--cases"), tmp_path)
