"""Settings: kept between sessions, and no nonsense in the file gets through."""

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray

from poet_gui.settings import RECENT_LIMIT, Settings
from poet_gui.theme import ThemeChoice


def test_that_values_come_back_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "window.ini"
    settings = Settings(path)
    settings.theme = ThemeChoice.DARK
    settings.text_percent = 150
    settings.device = "rpi4"
    settings.folder = "/models"
    settings.recent = ("/a.onnx",)
    settings.set_layout("window", QByteArray(b"state"))
    settings.save()
    again = Settings(path)
    assert again.theme is ThemeChoice.DARK
    assert again.text_percent == 150
    assert again.device == "rpi4"
    assert again.folder == "/models"
    assert again.recent == ("/a.onnx",)
    assert again.layout("window") == QByteArray(b"state")


def test_that_a_missing_file_means_the_defaults(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "none.ini")
    assert settings.theme is ThemeChoice.SYSTEM
    assert settings.text_percent == 100
    assert settings.recent == ()
    assert settings.layout("window") is None


@pytest.mark.parametrize("text", ["theme=purple\ntext_percent=huge", "theme=\ntext_percent=7"])
def test_that_nonsense_in_the_file_means_the_defaults(tmp_path: Path, text: str) -> None:
    path = tmp_path / "window.ini"
    path.write_text(f"[General]\n{text}\n")
    settings = Settings(path)
    assert settings.theme is ThemeChoice.SYSTEM
    assert settings.text_percent == 100


def test_that_recent_files_are_newest_first_and_few(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    for number in range(RECENT_LIMIT + 3):
        settings.add_recent(f"/{number}.onnx")
    settings.add_recent("/5.onnx")
    assert len(settings.recent) == RECENT_LIMIT
    assert settings.recent[:2] == ("/5.onnx", f"/{RECENT_LIMIT + 2}.onnx")


def test_that_a_forgotten_layout_is_gone(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "window.ini")
    settings.set_layout("rows", QByteArray(b"state"))
    settings.clear_layout()
    assert settings.layout("rows") is None
