"""Faults of our own and Qt's messages: they reach the window as a notice, and the log."""

import logging
import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    Qt,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)

_LOG = logging.getLogger(__name__)
_HARMLESS = "This plugin does not support propagateSizeHints"  # the offscreen platform, always
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class CrashGuard(QObject):
    """While installed, an exception that nobody caught is a signal, in any thread.

    Signals
    -------
    crashed(str, str)
        One line of what happened, and the traceback.
    """

    crashed = Signal(str, str)
    _raised = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._raised.connect(self.crashed, Qt.ConnectionType.QueuedConnection)
        self._before = (sys.excepthook, threading.excepthook)

    def install(self) -> None:
        """Take over the hooks."""
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        qInstallMessageHandler(_on_qt_message)

    def remove(self) -> None:
        """Give the hooks back."""
        sys.excepthook, threading.excepthook = self._before
        qInstallMessageHandler(None)

    def _on_exception(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before[0](kind, error, trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        _LOG.error("a fault of our own: %s", text)
        self._raised.emit(f"{kind.__name__}: {error}", text)

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)


def _on_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    if message.startswith(_HARMLESS):
        kind = QtMsgType.QtDebugMsg
    _LOG.log(_LEVELS.get(kind, logging.WARNING), "Qt: %s (%s)", message, context.category)
