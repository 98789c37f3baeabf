"""Claim: a foreign package that hides one of ours is named in one sentence, not in a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from poet_gui.startup import foreign_packages

START = "from poet_gui.startup import poet; poet()"


def _start(folder: Path) -> "subprocess.CompletedProcess[str]":
    # -c puts the working folder first on the path, as `python -m` does
    return subprocess.run(
        [sys.executable, "-c", START, "models"], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_that_our_own_packages_are_not_foreign() -> None:
    assert foreign_packages() == ()


def test_that_the_command_starts_from_any_folder(tmp_path: Path) -> None:
    done = _start(tmp_path)

    assert done.returncode == 0
    assert "resnet18" in done.stdout


def test_that_an_interrupt_of_the_first_imports_is_said_in_a_sentence() -> None:
    code = (
        "import os, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from poet_gui import startup; "
        "startup.import_module = lambda name: os.kill(os.getpid(), signal.SIGINT); "
        "startup.poet()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"poet: interrupted\n")


@pytest.mark.parametrize("name", ["solver", "resources"])
def test_that_a_foreign_package_is_named_with_its_place(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")

    done = _start(tmp_path)

    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert f"another package named {name} in {tmp_path / name}" in done.stderr


def test_that_poet_gui_without_a_display_says_so(tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    }
    ended = subprocess.run(
        [sys.executable, "-c", "from poet_gui.startup import poet_gui; poet_gui()"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("poet: there is no display to open the window on")
