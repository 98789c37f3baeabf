"""What the window remembers between sessions, in the place where the system keeps settings."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from platformdirs import user_config_path
from PySide6.QtCore import QByteArray, QSettings

from poet_gui.theme import ThemeChoice
from poet_gui.viewmodels.size_questions import Sizes

RECENT_LIMIT: Final = 10
SIZES_LIMIT: Final = 50
"""Files, and names of sizes, whose sizes are remembered."""
_BATCH: Final = "batch"
_DIMS: Final = "dims"
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

    def sizes(self, path: str) -> Sizes | None:
        """Sizes chosen for the file at an absolute path; None when it was never asked for."""
        found = self._numbers("sizes").get(path)
        if not isinstance(found, dict):
            return None
        dims = found.get(_DIMS)
        return Sizes(_size(found.get(_BATCH), 1), _sizes(dims if isinstance(dims, dict) else {}))

    @property
    def sizes_by_name(self) -> Mapping[str, int]:
        """The size chosen last for each name, in whatever file."""
        return _sizes(self._numbers("sizes_by_name"))

    def remember_sizes(self, path: str, sizes: Sizes) -> None:
        """Remember the sizes chosen for a file, and for sizes of these names elsewhere."""
        kept = {_BATCH: sizes.batch, _DIMS: dict(sizes.dims)}
        self._keep_newest("sizes", {path: kept})
        self._keep_newest("sizes_by_name", dict(sizes.dims))

    def _keep_newest(self, key: str, news: Mapping[str, object]) -> None:
        old = {name: value for name, value in self._numbers(key).items() if name not in news}
        newest = dict([*old.items(), *news.items()][-SIZES_LIMIT:])
        self._store.setValue(key, json.dumps(newest))

    def _numbers(self, key: str) -> Mapping[str, object]:
        try:
            found = json.loads(str(self._store.value(key, "{}", type=str)))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

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


def _size(value: object, least: int = 0) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if value >= least else None


def _sizes(found: Mapping[str, object]) -> Mapping[str, int]:
    sizes = {str(name): _size(value) for name, value in found.items()}
    return MappingProxyType({name: size for name, size in sizes.items() if size is not None})
