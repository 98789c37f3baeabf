"""Claim: an interrupted or killed `poet sweep` keeps its points and leaves no process."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from solver.schemas import schema_issues
from tests.helpers.sweeping import read


def start(path: Path, *arguments: str) -> subprocess.Popen[str]:
    """A sweep that takes minutes, in a session of its own, with Ctrl+C not ignored.

    Half a minute of proof certifies half of this axis; no proof is near that would end it early.
    """
    line = ["sweep", "resnet18_cifar", "--device", "nrf52840", "--gap", "0", "--jobs", "2"]
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from solver.cli import main; main()"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, *line, "--points", "60", *arguments, "--json", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until_written(path: Path, process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Wait until some points stand in the file; the solve processes that run then."""
    deadline = time.monotonic() + 240
    while not path.exists():
        assert process.poll() is None, "the sweep ended by itself"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return psutil.Process(process.pid).children(recursive=True)


@pytest.mark.slow
def test_that_ctrl_c_keeps_the_points_and_leaves_no_process(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    process = start(path)
    children = until_written(path, process)

    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=240)

    assert process.returncode == 130
    assert f"interrupted: the points so far are kept in {path}" in err
    assert "along RAM" in out
    document = read(path)
    assert len(document["points"]) >= 1
    assert schema_issues(document, "poet.sweep") == ()
    assert children
    _, alive = psutil.wait_procs(children, timeout=240)
    assert alive == []


@pytest.mark.slow
def test_that_a_killed_sweep_leaves_its_file_and_no_process(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    process = start(path)
    children = until_written(path, process)

    process.kill()
    process.communicate(timeout=240)

    assert len(read(path)["points"]) >= 1
    _, alive = psutil.wait_procs(children, timeout=240)
    assert alive == []


@pytest.mark.slow
def test_that_a_killed_solve_process_does_not_end_the_sweep(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    process = start(path, "--time-limit", "2", "--points", "8")
    children = until_written(path, process)
    for child in children:
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
    process.communicate(timeout=240)

    assert process.returncode == 0
    assert len(read(path)["points"]) == 8
