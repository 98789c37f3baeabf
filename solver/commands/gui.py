"""`poet gui`: the same window as the command `poet-gui`."""

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Final

import click

from solver.errors import EngineError, Issue

_DISPLAYS: Final = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


@click.command()
@click.argument("subject", metavar="[MODEL|RESULT]", required=False)
@click.option("--demo", is_flag=True, help="Open a solved example.")
@click.option("--profile", metavar="FILE", help="Measured costs, as of poet solve.")
@click.option("--screenshot", metavar="FILE.png", help="Draw, save once the result is shown, quit.")
@click.option("--no-store", is_flag=True, hidden=True)
def gui(
    subject: str | None, *, demo: bool, profile: str | None, screenshot: str | None, no_store: bool
) -> int:
    """Open the window, on a model or a saved result of `poet solve --json`."""
    _require_display(os.environ, sys.platform)
    arguments = [subject] if subject else []
    arguments += ["--demo"] if demo else []
    arguments += ["--profile", profile] if profile else []
    arguments += ["--screenshot", screenshot] if screenshot else []
    arguments += ["--no-store"] if no_store else []
    # By name: the engine must not depend on the window (pyproject.toml, import contracts).
    code = import_module("poet_gui.app").run(arguments)
    return int(code)


def _require_display(environment: Mapping[str, str], platform: str) -> None:
    """Raise EngineError where Qt would find no display: it aborts the process and blames a library.

    Qt takes a platform named in QT_QPA_PLATFORM, "offscreen" among them.
    """
    if platform != "linux" or any(environment.get(name) for name in _DISPLAYS):
        return
    raise EngineError(
        Issue(
            "there is no display to open the window on",
            suggestion="use a desktop session or ssh -X; poet solve needs none",
        )
    )
