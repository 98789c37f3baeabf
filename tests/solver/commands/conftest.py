"""What the tests of the commands share: `poet` in this process, and one whole sweep."""

import json
from pathlib import Path

import pytest

from solver.cli import run
from tests.helpers.command import Poet
from tests.helpers.sweeping import EFFORT, SWEEP, read


@pytest.fixture(autouse=True)
def _files_read_here(files_read_here: None) -> None:
    """Reading in a process of its own is tested for itself."""


@pytest.fixture
def poet(capfd: pytest.CaptureFixture[str]) -> Poet:
    """The command line."""
    return Poet(capfd)


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A full sweep of 8 points of the joint strategy."""
    path = tmp_path_factory.mktemp("sweep") / "full.json"
    assert run([*SWEEP, "--points", "8", "--full", *EFFORT, "--json", str(path)]) == 0
    return path


@pytest.fixture(scope="session")
def slim(full: Path) -> Path:
    """The same without schedules and graph."""
    document = read(full)
    for point in document["points"]:
        del point["actions"], point["problem"]
    path = full.with_name("slim.json")
    path.write_text(json.dumps(document))
    return path
