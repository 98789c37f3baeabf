"""Claim: what only some commands need is imported by those; nobody waits for the rest."""

import subprocess
import sys
from typing import Final

import pytest

SLOW: Final = (
    "PySide6", "cvxpy", "highspy", "hypothesis", "jsonschema", "networkx", "onnx", "pyqtgraph",
    "scipy", "superqt",
)  # fmt: skip


def _imported(code: str, *names: str) -> str:
    """Those of `names` that a fresh interpreter has imported after running `code`."""
    report = f"import sys; sys.stderr.write(' '.join(n for n in {names!r} if n in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return done.stderr


def test_that_the_engine_and_the_help_need_neither_arrays_nor_a_solver_nor_qt() -> None:
    code = "import solver, solver.cli; solver.cli.run(['--help'])"

    assert _imported(code, "numpy", "msgspec", *SLOW) == ""


@pytest.mark.parametrize("module", ["solver.api", "solver.worker", "solver.commands.solve"])
def test_that_no_pipeline_imports_a_slow_library_before_it_is_used(module: str) -> None:
    assert _imported(f"import {module}", *SLOW) == ""


def test_that_listing_strategies_and_devices_needs_no_solver() -> None:
    code = "from solver.cli import run; run(['strategies']); run(['models'])"

    assert _imported(code, *SLOW) == ""


@pytest.mark.slow
def test_that_a_slow_library_would_be_noticed() -> None:
    assert _imported("import solver.milp.backend", "cvxpy", "onnx") == "cvxpy"
