"""`poet gui`: the same window as the command `poet-gui`."""

from importlib import import_module

import click


@click.command()
@click.argument("subject", metavar="[MODEL|RESULT|SESSION]", required=False)
@click.option("--demo", is_flag=True, help="Open a solved example.")
@click.option("--screenshot", metavar="FILE.png", help="Draw, save once the result is shown, quit.")
def gui(subject: str | None, *, demo: bool, screenshot: str | None) -> int:
    """Open the window, on a model, a saved result or a session."""
    arguments = [subject] if subject else []
    arguments += ["--demo"] if demo else []
    arguments += ["--screenshot", screenshot] if screenshot else []
    # By name: the engine must not depend on the window (pyproject.toml, import contracts).
    code = import_module("poet_gui.app").run(arguments)
    return int(code)
