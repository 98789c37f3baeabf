"""What is saved says the same as the screen, to the byte."""

import csv
import json
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from poet_gui.main_window import MainWindow
from poet_gui.notices import Level
from solver.outcome import Optimal
from solver.text import counted
from solver.units import format_bytes
from tests.poet_gui.fixtures import MakeWindow, open_model, solve

GRAPH = "tests/data/graphs/02_residual.json"


@pytest.fixture
def solved(qtbot: QtBot, make_window: MakeWindow) -> MainWindow:
    window = make_window(None)
    open_model(qtbot, window, GRAPH)
    core = window.state.core
    assert core.model is not None
    costed = core.model.costed
    core.set_ram((costed.floor_bytes + costed.plain_peak_bytes) // 2)
    solve(qtbot, window)
    assert isinstance(core.status.outcome, Optimal)
    return window


def test_that_peak_and_energy_are_one_number_everywhere(solved: MainWindow, tmp_path: Path) -> None:
    core = solved.state.core
    assert core.shown is not None
    trace = core.shown.trace
    json_path, csv_path = tmp_path / "result.json", tmp_path / "table.csv"
    solved.exporter.write_json(str(json_path))
    solved.exporter.write_csv(str(csv_path))
    document = json.loads(json_path.read_text())
    rows = list(csv.DictReader(csv_path.read_text().splitlines()))
    peak = max(int(row["resident_bytes"]) for row in rows)
    assert peak == document["peak_bytes"] == trace.peak_bytes <= core.budgets.ram_bytes
    shown = solved.views.headline.figures.text().replace("\u00a0", " ").replace("\u2011", "-")
    assert f"peak {format_bytes(peak)} of " in shown
    for kind, what in (("recompute", "recompute"), ("page_out", "page-out")):
        assert counted(sum(row["kind"] == kind for row in rows), what) in shown
    curve = solved.views.schedule.canvas.curve
    assert curve is not None
    assert curve.peak_bytes == peak
    solved.views.resident.peak_requested.emit()  # Jump to peak
    residents = solved.views.resident.residents
    assert residents is not None
    assert residents.total_bytes == residents.curve_bytes == peak
    energy_j = document["energy_j"]
    shares = [energy_j[kind] for kind in ("compute", "recompute", "page_in", "page_out")]
    assert sum(shares) == pytest.approx(energy_j["total"], rel=1e-12)
    assert sum(float(row["energy_j"]) for row in rows) == pytest.approx(
        energy_j["total"], rel=1e-12
    )


@pytest.mark.slow  # a real solve for each test here
def test_that_a_clicked_tensor_is_the_same_everywhere(solved: MainWindow) -> None:
    core = solved.state.core
    assert core.model is not None
    tensor = len(core.model.costed.graph.tensors) // 2
    name = core.model.costed.graph.tensors[tensor].name
    solved.views.schedule.tensor_selected.emit(tensor)
    assert core.looking.tensor == tensor
    assert solved.views.details.name.text() == name
    solved.views.bottom_tabs.setCurrentIndex(2)
    row = solved.views.tensors.selected_row()
    assert row is not None
    index = solved.views.tensors.model().index(row, 0)
    assert name in str(solved.views.tensors.model().data(index))


@pytest.mark.slow
def test_that_the_picture_is_drawn_as_lines_and_texts_too(
    solved: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "picture.svg"
    solved.exporter.write_svg(str(path))
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<?xml")
    assert "<text" in text
    assert solved.views.notices.notices[0].title == "Saved picture.svg"


@pytest.mark.slow
def test_that_the_picture_is_drawn_at_twice_its_size(solved: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    solved.exporter.write_png(str(path))
    image = QImage(str(path))
    assert image.width() >= 2 * solved.views.schedule.canvas.width()
    assert solved.views.notices.notices[0].title == "Saved picture.png"


@pytest.mark.slow
def test_that_the_chrome_trace_has_lanes_and_a_memory_counter(
    solved: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "trace.json"
    solved.exporter.write_trace(str(path))
    events = json.loads(path.read_text())["traceEvents"]
    assert {"M", "X", "C"} <= {event["ph"] for event in events}


@pytest.mark.slow
def test_that_a_place_that_cannot_be_written_is_explained(
    solved: MainWindow, tmp_path: Path
) -> None:
    for write in (
        solved.exporter.write_json,
        solved.exporter.write_csv,
        solved.exporter.write_png,
        solved.exporter.write_trace,
    ):
        write(str(tmp_path / "nowhere" / "file.out"))
        notice = solved.views.notices.notices[0]
        assert notice.level is Level.ERROR
        assert notice.title == "file.out was not saved"
        assert notice.text
        solved.views.notices.clear()


def test_that_nothing_is_saved_before_there_is_a_result(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    path = tmp_path / "result.json"
    window.exporter.write_json(str(path))
    assert not path.exists()
    assert window.views.notices.notices[0].level is Level.WARNING
