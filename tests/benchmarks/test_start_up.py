"""How long it takes until the command line answers: goal 0.3 s each, limit three times that."""

import subprocess
import sys
import time
from typing import Final

import pytest

GOAL_S: Final = 0.3
_CASES: Final = {
    "poet --help": ["-m", "solver.cli", "--help"],
    "import solver": ["-c", "import solver"],
}


@pytest.mark.benchmark
@pytest.mark.parametrize("name", _CASES)
def test_that_the_command_line_answers_at_once(name: str) -> None:
    seconds = min(_seconds(_CASES[name]) for _ in range(5))

    print(  # noqa: T201 - a benchmark is read
        f"\n{name}: {seconds:.3f} s (goal {GOAL_S} s, the interpreter's own start included)"
    )
    assert seconds < 3 * GOAL_S


def _seconds(arguments: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - began
