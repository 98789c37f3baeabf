"""`poet gui` and `poet-gui`: start the application, open what was asked for, end cleanly."""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

# Another binding may be installed: pyqtgraph takes this one only if it is told before its import.
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from poet_gui.main_window import MainWindow
    from poet_gui.settings import Settings
    from solver.device import Device

_LOG = logging.getLogger(__name__)
_FIRST_DEVICE: Final = "nrf52840"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the window and return the exit code: 0, or 1 when a screenshot was not possible."""
    options = _options(sys.argv[1:] if argv is None else argv)
    app = make_application()
    from poet_gui.collecting import RestCollector  # noqa: PLC0415 - after the QApplication
    from poet_gui.crash import CrashGuard  # noqa: PLC0415 - Qt is loaded late
    from poet_gui.interrupts import InterruptWatch  # noqa: PLC0415 - Qt is loaded late

    interrupts = InterruptWatch(app)
    interrupts.install()
    interrupts.heard.connect(app.exit)
    guard = CrashGuard()
    guard.install()
    from solver.bracket_store import user_store_folder  # noqa: PLC0415 - for a start alone

    window = make_window(app, store_folder=None if options.no_store else user_store_folder())
    guard.crashed.connect(window.news.on_crash)
    collector = RestCollector(window.state, window)
    app.aboutToQuit.connect(window.sweeper.close)
    app.aboutToQuit.connect(window.impossible_desk.close)
    app.aboutToQuit.connect(window.controller.close)
    app.aboutToQuit.connect(window.keeper.close)
    try:
        code = _run(app, window, options)
        window.close()  # after a signal it is still open; its place is kept for the next time
        return code if interrupts.code is None else interrupts.code
    finally:
        interrupts.remove()
        collector.close()
        window.sweeper.close()
        window.impossible_desk.close()
        window.controller.close()
        window.keeper.close()
        guard.remove()


run = main


def make_application() -> "QApplication":
    """The QApplication with our style, or the one that runs already."""
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415 - slow, and needs a display

    present = QApplication.instance()
    app = present if isinstance(present, QApplication) else QApplication(["poet-explorer"])
    app.setApplicationName("poet-explorer")
    app.setApplicationDisplayName("POET Explorer")
    app.setStyle("Fusion")
    return app


def make_window(
    app: "QApplication",
    settings: "Settings | None" = None,
    *,
    store_folder: Path | None = None,
) -> "MainWindow":
    """A window with the remembered theme, text size and device; not shown yet.

    `store_folder` is where earlier sessions stored what they proved; None: nothing is stored.
    """
    from poet_gui.appearance import Appearance  # noqa: PLC0415 - Qt is loaded late
    from poet_gui.main_window import MainWindow  # noqa: PLC0415 - Qt is loaded late
    from poet_gui.settings import Settings  # noqa: PLC0415 - Qt is loaded late

    remembered = settings if settings is not None else Settings()
    appearance = Appearance(app, app)
    appearance.apply(remembered.theme, remembered.text_percent)
    device = _device(remembered)
    return MainWindow(appearance, remembered, device, store_folder=store_folder)


def _device(settings: "Settings") -> "Device":
    """The device used last if it can still be read, else the smallest board that fits a network."""
    from solver.device_files import load_device  # noqa: PLC0415 - Qt is loaded late
    from solver.errors import EngineError  # noqa: PLC0415 - Qt is loaded late

    if settings.device:
        try:
            return load_device(settings.device)
        except EngineError as error:
            _LOG.warning("the device used last is gone: %s", error)
    return load_device(_FIRST_DEVICE)


def _options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="poet gui", description="The window of POET Explorer.")
    parser.add_argument("subject", nargs="?", metavar="MODEL|RESULT")
    parser.add_argument("--demo", action="store_true", help="open a solved example")
    parser.add_argument("--no-store", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--profile", metavar="FILE", help="a table of measured costs")
    parser.add_argument("--screenshot", metavar="FILE.png", help="draw, save, quit")
    return parser.parse_args(list(argv))


def _run(app: "QApplication", window: "MainWindow", options: argparse.Namespace) -> int:
    from poet_gui.screenshot import Screenshot  # noqa: PLC0415 - Qt is loaded late

    window.show()
    shot = None
    if options.screenshot:
        shot = Screenshot(window, Path(options.screenshot), solves=bool(options.subject))
        shot.ended.connect(app.exit)
    window.controller.start()
    if options.profile:
        window.opener.open_costs(options.profile)
    if options.demo:
        window.opener.open_demo()
    elif options.subject:
        window.opener.open_subject(options.subject)
    if shot is not None:
        shot.arm(nothing_to_open=not (options.demo or options.subject))
    code = app.exec()
    if shot is not None and not shot.saved:
        sys.stderr.write(f"no screenshot was saved: {shot.why}\n")
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
