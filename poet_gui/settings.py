"""What the window remembers between sessions, in the place where the system keeps settings."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from platformdirs import user_config_path
from PySide6.QtCore import QByteArray, QSettings

from poet_gui.theme import ThemeChoice

RECENT_LIMIT: Final = 10
SCALES: Final = (80, 90, 100, 110, 125, 150, 175, 200)
"""Text sizes that can be chosen, percent of the system's."""


class Settings:
    """Typed access to one settings file; values of the wrong kind count as absent."""

    def __init__(self, path: Path | None = None) -> None:
        place = path or user_config_path("poet-explorer", appauthor=False) / "window.ini"
        self._store = QSettings(str(place), QSettings.Format.IniFormat)

    @property
    def theme(self) -> ThemeChoice:
        """Light, dark, or as the system."""
        name = str(self._store.value("theme", ThemeChoice.SYSTEM.value, type=str))
        return ThemeChoice(name) if name in set(ThemeChoice) else ThemeChoice.SYSTEM

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("theme", choice.value)

    @property
    def text_percent(self) -> int:
        """Size of all text, percent of the system's, one of SCALES."""
        percent = self._number("text_percent", 100)
        return percent if percent in SCALES else 100

    @text_percent.setter
    def text_percent(self, percent: int) -> None:
        self._store.setValue("text_percent", percent)

    @property
    def device(self) -> str:
        """Id of the device used last; empty when there is none."""
        return str(self._store.value("device", "", type=str))

    @device.setter
    def device(self, device_id: str) -> None:
        self._store.setValue("device", device_id)

    @property
    def folder(self) -> str:
        """Folder of the last file dialog."""
        return str(self._store.value("folder", "", type=str))

    @folder.setter
    def folder(self, folder: str) -> None:
        self._store.setValue("folder", folder)

    def unit(self, box: str) -> str:
        """Name of the unit chosen last in a box of that name; empty when none was chosen."""
        return str(self._store.value(f"unit/{box}", "", type=str))

    def set_unit(self, box: str, unit: str) -> None:
        """Remember the unit chosen in a box."""
        self._store.setValue(f"unit/{box}", unit)

    @property
    def recent(self) -> tuple[str, ...]:
        """Paths opened last, newest first."""
        found = self._store.value("recent", [])
        names = [found] if isinstance(found, str) else found if isinstance(found, list) else []
        return tuple(str(name) for name in names if name)[:RECENT_LIMIT]

    @recent.setter
    def recent(self, paths: Sequence[str]) -> None:
        self._store.setValue("recent", list(paths)[:RECENT_LIMIT])

    def add_recent(self, path: str) -> None:
        """Put a path on top of the recent ones."""
        self.recent = (path, *(other for other in self.recent if other != path))

    def layout(self, name: str) -> QByteArray | None:
        """State of a window or splitter saved under that name; None when there is none."""
        found = self._store.value(f"layout/{name}")
        return found if isinstance(found, QByteArray) and not found.isEmpty() else None

    def set_layout(self, name: str, state: QByteArray) -> None:
        """Save the state of a window or splitter."""
        self._store.setValue(f"layout/{name}", state)

    def clear_layout(self) -> None:
        """Forget all sizes and places."""
        self._store.remove("layout")

    def save(self) -> None:
        """Write everything now."""
        self._store.sync()

    def _number(self, key: str, default: int) -> int:
        found = self._store.value(key, default)
        try:
            return int(str(found))
        except ValueError:
            return default
