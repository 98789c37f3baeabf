"""Claim: the PyTorch example of the README, followed to the letter, ends with a replay that agrees.

Needs PyTorch, which is an optional extra.
"""

import re
import shlex
from pathlib import Path

import pytest

pytest.importorskip("torch")

from solver.cli import run

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:TF32 acceleration")]


def test_that_the_example_can_be_traced_solved_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = re.search(r"```python\n(from torch import nn  # nets\.py\n.*?)```", README, re.DOTALL)
    commands = re.search(r"```\n(poet trace .*?)```", README, re.DOTALL)
    assert code is not None
    assert commands is not None
    lines = [shlex.split(line, comments=True) for line in commands[1].splitlines()]
    assert [line[:2] for line in lines] == [["poet", each] for each in ("trace", "solve", "replay")]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nets.py").write_text(code[1], encoding="utf-8")

    assert [run(line[1:]) for line in lines] == [0, 0, 0]
