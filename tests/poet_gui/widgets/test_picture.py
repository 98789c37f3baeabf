"""What is really on the screen, counted in pixels, and what is written into files."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage
from pytestqt.qtbot import QtBot

from poet_gui.theme import DARK, LIGHT, Theme
from poet_gui.widgets.schedule_view import ScheduleView
from tests.helpers.traces import big_trace, story
from tests.poet_gui.fixtures import WAIT_MS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def view(qtbot: QtBot) -> ScheduleView:
    made = ScheduleView()
    qtbot.addWidget(made)
    made.resize(900, 640)
    with qtbot.waitExposed(made, timeout=WAIT_MS):
        made.show()
    return made


def count(image: QImage, colour: str) -> int:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(plain.constBits(), dtype=np.uint32)
    return int(np.count_nonzero(pixels == QColor(colour).rgb()))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_that_every_kind_and_mark_is_on_the_screen(view: ScheduleView, theme: Theme) -> None:
    view.set_theme(theme)
    view.set_trace(story())
    view.set_budget(4000)
    view.set_selected(3)
    image = view.canvas.grab().toImage()
    for role in ("compute", "recompute", "page_in", "page_out", "resident", "storage",
                 "budget_line", "playhead", "curve", "curve_fill", "selection"):  # fmt: skip
        assert count(image, getattr(theme, role)) > 10, role


def test_that_amber_is_drawn_exactly_when_the_peak_is_over_the_budget(view: ScheduleView) -> None:
    view.set_trace(story())
    view.set_budget(4000)
    fits = view.canvas.grab().toImage()
    assert count(fits, LIGHT.over_budget) == count(fits, LIGHT.warning) == 0
    view.set_budget(3000)
    over = view.canvas.grab().toImage()
    assert count(over, LIGHT.over_budget) > 100
    assert count(over, LIGHT.warning) > 10  # the words, in a colour that can be read


def test_that_thousands_of_slivers_leave_every_lane_its_colour(view: ScheduleView) -> None:
    view.set_trace(big_trace(depth=120, stride=60))  # bars far thinner than a pixel
    image = view.canvas.grab().toImage()
    assert count(image, LIGHT.compute) > 20
    lanes = int(view.canvas.scroller.visible)
    assert view.canvas.scene_data.index.steps > 3 * view.canvas.lanes_box.width()
    assert count(image, LIGHT.recompute) > lanes  # at least a pixel in each lane in sight


def test_that_png_has_the_asked_scale_and_the_picture(view: ScheduleView, tmp_path: Path) -> None:
    view.set_trace(story())
    path = tmp_path / "schedule.png"
    view.picture.render_png(path, 2.0)
    image = QImage(str(path))
    assert image.width() == 2 * view.canvas.width()
    assert count(image, LIGHT.compute) > 1000
    assert [file.name for file in tmp_path.iterdir()] == ["schedule.png"]


def test_that_svg_is_readable_xml_with_drawing_in_it(view: ScheduleView, tmp_path: Path) -> None:
    view.set_trace(story())
    path = tmp_path / "schedule.svg"
    view.picture.render_svg(path)
    root = ElementTree.parse(path).getroot()
    assert root.tag.endswith("svg")
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags.count("text") > 5
    assert tags.count("rect") + tags.count("path") + tags.count("polygon") > 20


def test_that_the_title_stands_above_the_picture(view: ScheduleView, tmp_path: Path) -> None:
    view.set_trace(story())
    plain, titled = tmp_path / "plain.png", tmp_path / "titled.png"
    view.picture.render_png(plain, 1.0)
    view.picture.render_png(titled, 1.0, title=("net on board · RAM ≤ 4 KiB", "12 J"))
    before, after = QImage(str(plain)), QImage(str(titled))
    more = after.height() - before.height()
    assert more >= 2 * QFontMetricsF(view.canvas.font()).height()
    head = after.copy(0, 0, after.width(), more)
    assert count(head, LIGHT.text) > 100
    assert count(head, LIGHT.compute) == 0
    assert count(after, LIGHT.compute) == count(before, LIGHT.compute)


def test_that_a_long_title_is_broken_between_its_parts(view: ScheduleView, tmp_path: Path) -> None:
    view.set_trace(story())
    path = tmp_path / "schedule.svg"
    part = "a long part of a title that stays whole"
    view.picture.render_svg(path, title=(" · ".join([part] * 6),))
    texts = [text.text or "" for text in ElementTree.parse(path).getroot().iter(f"{SVG}text")]
    lines = [text for text in texts if "title" in text]
    assert len(lines) > 1
    assert sum(line.replace("\u00a0", " ").count(part) for line in lines) == 6


def test_that_an_svg_is_drawn_at_the_resolution_of_the_screen(
    view: ScheduleView, tmp_path: Path
) -> None:
    view.set_trace(story())
    path = tmp_path / "schedule.svg"
    view.picture.render_svg(path, title=("net on board",))
    root = ElementTree.parse(path).getroot()
    pixels = float(root.attrib["viewBox"].split()[2])
    inches = float(root.attrib["width"].removesuffix("mm")) / 25.4
    # At another one Qt shrinks the axes, which are recorded, but not the curves beside them.
    assert pixels / inches == pytest.approx(view.logicalDpiX(), rel=0.01)
    assert root.findtext(f"{SVG}title") == "net on board"


@pytest.mark.parametrize("method", ["render_png", "render_svg"])
def test_that_a_file_that_cannot_be_written_is_an_os_error(
    view: ScheduleView, tmp_path: Path, method: str
) -> None:
    view.set_trace(story())
    with pytest.raises(OSError, match="nowhere"):
        getattr(view.picture, method)(tmp_path / "nowhere" / "file.out")


def test_that_a_failed_export_leaves_the_old_file(view: ScheduleView, tmp_path: Path) -> None:
    view.set_trace(story())
    path = tmp_path / "folder.png"
    path.mkdir()  # a folder stands where the file should go
    with pytest.raises(OSError):  # noqa: PT011  # the words are the system's
        view.picture.render_png(path)
    assert path.is_dir()
    assert list(tmp_path.iterdir()) == [path]


def test_that_no_label_of_the_axis_looks_out_behind_the_flag(view: ScheduleView) -> None:
    view.set_theme(LIGHT)
    view.set_trace(big_trace(depth=60, stride=20))
    view.set_budget(4000)
    axis, canvas = view.canvas.time_axis, view.canvas
    before = canvas.grab().toImage()
    label = axis._labels[1]
    place = canvas.mapFromScene(axis.mapToScene(label.topLeft()))
    first_letters = QRect(place.x(), place.y(), int(label.width() / 4), int(label.height()))
    low, high = axis.range
    pixel = (high - low) / axis.size().width()
    # The flag's left edge at the middle of the label: its first letters would look out.
    width = flag_width(view, label.center().x() * pixel)
    view.model.set_playhead_x(low + (label.center().x() + width / 2) * pixel)
    after = canvas.grab().toImage()
    assert count(before.copy(first_letters), LIGHT.text_muted) > 0
    assert count(after.copy(first_letters), LIGHT.text_muted) == 0
    assert count(after.copy(first_letters), LIGHT.playhead) == 0


def flag_width(view: ScheduleView, x: float) -> float:
    """Pixels of the flag of a playhead near `x`, as wide as its text in bold and its margins."""
    view.model.set_playhead_x(x)
    axis = view.canvas.time_axis
    assert axis._flag is not None
    font = QFont(axis._font)
    font.setBold(True)
    return QFontMetricsF(font).horizontalAdvance(axis._flag[1]) + 16
