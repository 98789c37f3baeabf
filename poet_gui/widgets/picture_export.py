"""Writing a picture to a file: drawn into a draft beside it, which then takes its place."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator


@dataclass(frozen=True, slots=True)
class Picture:
    """Something to draw: its size in screen pixels, its ground, what draws it, and its name."""

    size: QSize
    ground: QColor
    draw: Callable[[QPainter], None]
    title: str = ""


def write_png(picture: Picture, path: Path, scale: float) -> None:
    """Write a PNG with `scale` image pixels per screen pixel.

    Raises OSError when the file cannot be written; a file of that name stays as it was.
    """
    size = QSize(round(picture.size.width() * scale), round(picture.size.height() * scale))
    image = QImage(size, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(scale)
    image.fill(picture.ground)
    painter = QPainter(image)
    picture.draw(painter)
    painter.end()
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        draft = Path(folder) / "picture.png"
        if not image.save(str(draft)):
            raise OSError(f"the picture could not be written to {path}")
        draft.replace(path)


def write_svg(picture: Picture, path: Path) -> None:
    """Write an SVG. Raises OSError when the file cannot be written."""
    area = QRect(0, 0, picture.size.width(), picture.size.height())
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        draft = Path(folder) / "picture.svg"
        generator = QSvgGenerator()
        generator.setFileName(str(draft))
        generator.setSize(picture.size)
        generator.setViewBox(area)
        generator.setTitle(picture.title)
        generator.setDescription("")  # Qt would name itself
        # At another resolution than the screen's, Qt scales texts and pictures inside the picture.
        generator.setResolution(round(QGuiApplication.primaryScreen().logicalDotsPerInch()))
        painter = QPainter()
        if not painter.begin(generator):
            raise OSError(f"the picture could not be written to {path}")
        painter.fillRect(area, picture.ground)
        picture.draw(painter)
        painter.end()
        draft.replace(path)
