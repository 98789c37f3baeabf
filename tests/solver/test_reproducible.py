"""Claim: a run that ends by proof or work says the same in any process, but for times."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command import DEVICES, GRAPHS

# Stopped by work amid the stage model; the clock is no limit, however busy the machine.
_WORK = ("--work-limit=3", "--time-limit=600", "--slim")
RUNS = [
    (str(GRAPHS / "02_residual.json"), str(DEVICES / "dear.toml"), "1048576", "--no-paging"),
    (str(GRAPHS / "09_long_skip.json"), str(DEVICES / "dearer.toml"), "13312", "--slim"),
    ("linear", "nrf52840", "3388", "--accounting=poet"),
    ("resnet18_cifar", "nrf52840", "609428", "--accounting=poet", "--io=ignored", *_WORK),
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
@pytest.mark.timeout(900)
@pytest.mark.parametrize("run", RUNS, ids=lambda run: Path(run[0]).stem)
def test_that_two_processes_say_the_same(run: tuple[str, ...], tmp_path: Path) -> None:
    assert _without_times(tmp_path, "1", run) == _without_times(tmp_path, "2", run)
