"""Claim: a run that ends by proof says the same to the byte in any process, but for times."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command import DEVICES, GRAPHS

RUNS = [
    (str(GRAPHS / "02_residual.json"), str(DEVICES / "dear.toml"), "1048576", "--no-paging"),
    (str(GRAPHS / "09_long_skip.json"), str(DEVICES / "dearer.toml"), "13312", "--slim"),
    ("linear", "nrf52840", "3388", "--accounting=poet"),
]


def _without_times(folder: Path, hash_seed: str, run: tuple[str, ...]) -> str:
    model, device, ram, *more = run
    path = folder / f"{hash_seed}.json"
    command = ["solve", model, "--device", device, "--ram", ram, "--gap", "0", *more]
    subprocess.run(
        [sys.executable, "-m", "solver.cli", *command, "--json", str(path)],
        env={"PYTHONHASHSEED": hash_seed, "PATH": ""},
        check=True,
        capture_output=True,
    )
    document: dict[str, Any] = json.loads(path.read_bytes())
    for name in ("wall_s", "first_answer_s", "incumbents"):
        del document["solver"][name]
    return json.dumps(document)


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS, ids=lambda run: Path(run[0]).stem)
def test_that_two_processes_say_the_same(run: tuple[str, ...], tmp_path: Path) -> None:
    assert _without_times(tmp_path, "1", run) == _without_times(tmp_path, "2", run)
