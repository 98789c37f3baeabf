"""The commands `poet` and `poet-gui`: make sure that the packages found are ours, then start.

Stands here because `solver` and `resources` are common names: when another package of that name
comes first on the path, nothing inside ours can say so.
"""

import os
import signal
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Final

_NAMES: Final = ("solver", "resources")
_INTERRUPTED: Final = 130
"""As solver.commands.interrupts has it, which is not imported yet."""


def poet() -> None:
    """Entry point of `poet`."""
    _end_quietly()
    _refuse_foreign_packages()
    import_module("solver.cli").main()


def poet_gui() -> None:
    """Entry point of `poet-gui`: `poet gui` with the same words for the same mistakes."""
    _end_quietly()
    _refuse_foreign_packages()
    import_module("solver.cli").main(["gui", *sys.argv[1:]])


def foreign_packages() -> tuple[str, ...]:
    """A sentence for each package that comes from elsewhere than this one."""
    home = Path(__file__).resolve().parent.parent
    found = []
    for name in _NAMES:
        spec = find_spec(name)
        place = spec.origin if spec is not None else None
        if place is None:
            found.append(f"the package {name} of POET Explorer is missing from {home}")
        elif Path(place).resolve().parent.parent != home:
            there = Path(place).resolve().parent
            found.append(
                f"another package named {name} in {there} hides that of POET Explorer in {home}: "
                "start from another folder, or use an environment without it"
            )
    return tuple(found)


def _end_quietly() -> None:
    """Let Ctrl+C during the first imports end the process in a sentence; solver.cli takes over."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _end)


def _end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signal's signature
    os.write(2, b"poet: interrupted\n")
    os._exit(_INTERRUPTED)


def _refuse_foreign_packages() -> None:
    sentences = foreign_packages()
    if sentences:
        sys.exit("\n".join(f"poet: {sentence}" for sentence in sentences))
