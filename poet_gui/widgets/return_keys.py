"""The keys called Return: in lists and pictures they choose, with Ctrl they compare."""

from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

_RETURN: Final = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


def is_return(event: QKeyEvent) -> bool:
    """Whether the key is one of the two that are called Return."""
    return event.key() in _RETURN


def with_control(event: QKeyEvent) -> bool:
    """Whether Ctrl is held, too."""
    return bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


def asks_for_return(event: QEvent) -> bool:
    """Whether Qt asks who wants Return: Ctrl+Return solves, unless a widget accepts this."""
    shortcut = event.type() == QEvent.Type.ShortcutOverride
    return shortcut and isinstance(event, QKeyEvent) and is_return(event)
