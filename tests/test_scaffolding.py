"""Claim: a test that leaves something behind fails, and the engine's tests see no Qt."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.no_qt import FORBIDDEN

ROOT = Path(__file__).parent.parent

LEAKS = """
import logging, subprocess, sys, threading, time

def test_clean():
    assert True

def test_thread():
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()

def test_process():
    global child
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"])

def test_log():
    logging.getLogger("solver.anything").warning("something is off")

def test_log_that_is_looked_at(caplog):
    logging.getLogger("solver.anything").warning("something is off")
"""

IMPORTS = """
import importlib, pytest

@pytest.mark.parametrize("name", {names})
def test_that_it_cannot_be_imported(name):
    with pytest.raises(ModuleNotFoundError, match="unimportable"):
        importlib.import_module(name)
"""


def _pytest(folder: Path, text: str, plugin: str) -> str:
    file = folder / "test_subject.py"
    file.write_text(text)
    options = ["-q", "-rA", "-p", plugin, "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), *options, str(file)],
        cwd=ROOT,
        env=os.environ | {"POET_TEST_GRACE_S": "2"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.slow
def test_that_a_leftover_fails_the_test_that_left_it(tmp_path: Path) -> None:
    said = _pytest(tmp_path, LEAKS, "tests.conftest")

    assert "left running: thread" in said
    assert "left running: process" in said
    assert "logged: something is off" in said
    assert "5 passed, 3 errors" in said  # the bodies pass; three are caught on their way out


@pytest.mark.slow
def test_that_qt_cannot_be_imported_where_the_plugin_is(tmp_path: Path) -> None:
    names = repr(sorted(FORBIDDEN))

    said = _pytest(tmp_path, IMPORTS.format(names=names), "tests.helpers.no_qt")

    assert f"{len(FORBIDDEN)} passed" in said
