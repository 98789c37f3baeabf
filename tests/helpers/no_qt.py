"""Pytest plugin that makes Qt unimportable: `python -m pytest -p tests.helpers.no_qt tests/solver`.

Shows that the engine needs no Qt, on a machine that has it.
"""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

import pytest

FORBIDDEN: Final = frozenset({"PySide6", "shiboken6", "pyqtgraph", "superqt", "qtawesome", "qtpy"})

_PYTEST_QT_SETTINGS: Final = (
    "qt_api",
    "qt_default_raising",
    "qt_log_format",
    "qt_log_ignore",
    "qt_log_level_fail",
    "qt_no_exception_capture",
    "qt_qapp_name",
)


class _Refuser(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in FORBIDDEN:
            raise ModuleNotFoundError(f"{fullname} is made unimportable here", name=fullname)
        return None


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    loaded = FORBIDDEN & {name.partition(".")[0] for name in sys.modules}
    assert not loaded, f"imported before the tests began: {sorted(loaded)}"
    sys.meta_path.insert(0, _Refuser())
    pluginmanager.set_blocked("pytest-qt")  # it imports Qt as soon as pytest starts
    for name in _PYTEST_QT_SETTINGS:  # those in pyproject.toml must stay known
        parser.addini(name, "of pytest-qt, which is not loaded", type="linelist")
