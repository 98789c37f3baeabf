"""The frontier view in a real window: what clicks, keys and sliders do with it."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from poet_gui.main_window import MainWindow
from poet_gui.solving.status import Phase
from poet_gui.viewmodels.frontier import FrontierScene
from poet_gui.widgets.frontier_budget import budget_x
from solver.events import Finished
from solver.explain import finished
from solver.outcome import StopReason
from solver.problem import Budgets, Problem, Switches
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import keep_all, page_all
from tests.helpers.results import RECORD
from tests.poet_gui.fixtures import WAIT_MS, MakeWindow, show_chain


def frontier_window(qtbot: QtBot, make_window: MakeWindow) -> MainWindow:
    """A window on a chain of six of which two schedules are known, the frontier in sight.

    Paging everything at the floor (3000 B, nothing proven) and keeping everything at the plain peak
    (proven); by paging alone the same two are known.
    """
    # A solve is never answered: what is shown comes from what is known.
    window = make_window("mute", start=False)
    show_chain(window)
    window.resize(1500, 900)
    learn(window)
    window.frontier_desk.show_frontier()
    qtbot.waitUntil(lambda: plot_scene(window, quiet=True) is not None, timeout=WAIT_MS)
    return window


def learn(window: MainWindow) -> None:
    model = window.state.core.model
    assert model is not None
    costed = model.costed
    for strategy, switches in (("joint", Switches()), ("paging-only", Switches(recompute=False))):
        for ram_bytes, plan in (
            (costed.floor_bytes, page_all),
            (costed.plain_peak_bytes, keep_all),
        ):
            problem = Problem(costed, Budgets(ram_bytes), switches)
            trace = simulate(plan(stage(problem)), problem)
            assert trace.peak_bytes <= ram_bytes
            outcome = finished(trace, costed.baseline_energy_j, StopReason.TIME, RECORD)
            window.state.core.frontier.learn(strategy, problem, Finished(0.0, outcome))


def plot_scene(window: MainWindow, *, quiet: bool = False) -> FrontierScene | None:
    scene = window.views.frontier.plot.scene
    if not quiet:
        assert scene is not None
    return scene


def scene_of(window: MainWindow) -> FrontierScene:
    scene = plot_scene(window)
    assert scene is not None
    return scene


def click(qtbot: QtBot, window: MainWindow, point: int, *, control: bool = False) -> None:
    plot = window.views.frontier.plot
    held = Qt.KeyboardModifier.ControlModifier if control else Qt.KeyboardModifier.NoModifier
    at = plot.where(point).toPoint()
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, held, at)


def test_that_known_schedules_are_points(qtbot: QtBot, make_window: MakeWindow) -> None:
    scene = scene_of(frontier_window(qtbot, make_window))
    assert [one.style.label for one in scene.series] == ["joint", "paging only"]
    assert scene.points.series.tolist() == [0, 0, 1, 1]
    assert scene.points.proven.tolist() == [False, True, False, True]


def test_that_a_click_shows_the_stored_schedule_at_once_and_moves_the_budget(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = frontier_window(qtbot, make_window)
    core = window.state.core
    click(qtbot, window, 0)
    assert core.budgets.ram_bytes == scene_of(window).points.x[0]
    assert core.shown is not None
    assert core.shown.trace.total_energy_j == pytest.approx(scene_of(window).points.energy_j[0])
    assert core.shown.trace.peak_bytes <= core.budgets.ram_bytes


def test_that_a_proven_point_needs_no_solve(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    click(qtbot, window, 0)
    click(qtbot, window, 1)
    assert window.state.core.status.phase is Phase.DONE
    assert "Optimal" in window.views.headline.lead.text()


@pytest.mark.slow
def test_that_a_point_of_another_strategy_sets_its_switches(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = frontier_window(qtbot, make_window)
    window.frontier_desk.load(2)
    assert window.state.core.switches.recompute is False
    assert window.state.core.switches.paging is True


def test_that_ctrl_click_compares_with_what_is_on_screen(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = frontier_window(qtbot, make_window)
    click(qtbot, window, 1)
    before = window.state.core.budgets
    click(qtbot, window, 0, control=True)
    pair = window.state.core.compare.pair
    assert pair is not None
    assert pair.a.budgets.ram_bytes == scene_of(window).points.x[0]
    assert pair.b.budgets == before
    assert window.state.core.budgets == before
    assert window.views.strip.isVisible()


@pytest.mark.slow
def test_that_the_keyboard_reaches_every_point(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    plot = window.views.frontier.plot
    plot.setFocus()
    qtbot.waitUntil(plot.hasFocus, timeout=WAIT_MS)
    plot.focused = None
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    start = plot.focused
    assert start is not None
    qtbot.keyClick(plot, Qt.Key.Key_Down)
    assert scene_of(window).points.series[plot.focused] == 1
    assert plot.hover_card.isVisible()
    qtbot.keyClick(plot, Qt.Key.Key_Up)
    qtbot.keyClick(plot, Qt.Key.Key_Left)
    assert plot.focused == 0
    qtbot.keyClick(plot, Qt.Key.Key_Return)
    assert window.state.core.budgets.ram_bytes == scene_of(window).points.x[0]
    qtbot.keyClick(plot, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.state.core.compare.pair is not None
    # Ctrl+Return is the key of Solve everywhere else; here it must not solve.
    assert window.state.core.status.phase is not Phase.BUILDING


def test_that_the_budget_line_moves_with_the_slider(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    points = scene_of(window).points
    window.wishes.set_ram(3456)
    assert scene_of(window).budget == 3456
    assert scene_of(window).points is points  # nothing but the line was made anew


def test_that_the_line_of_a_budget_below_the_floor_stays_in_the_picture(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = frontier_window(qtbot, make_window)
    plot = window.views.frontier.plot
    window.wishes.set_ram(1)
    place = plot.place()
    assert place is not None
    assert budget_x(place) == place.area.left()


@pytest.mark.slow
def test_that_the_budget_line_can_be_dragged(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    plot = window.views.frontier.plot
    place = plot.place()
    assert place is not None
    window.wishes.set_ram(4500)
    y = round(place.area.center().y())
    line = budget_x(place.__class__(scene_of(window), place.area))
    start = QPoint(round(line) + 8, y)  # taken beside it
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=start)
    assert window.state.core.budgets.ram_bytes == 4500  # a click moves nothing
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(plot, start - QPoint(40, 0))
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=start - QPoint(40, 0))
    assert window.state.core.budgets.ram_bytes == round(place.value(line - 40))


def test_that_keys_move_the_budget_line_of_the_frontier(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = frontier_window(qtbot, make_window)
    plot = window.views.frontier.plot
    window.wishes.set_ram(4500)
    low, high = scene_of(window).x_range
    qtbot.keyClick(plot, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert window.state.core.budgets.ram_bytes == round(4500 - (high - low) / 100)


def test_that_the_pointer_is_told_what_is_proven(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    plot = window.views.frontier.plot
    qtbot.mouseMove(plot, plot.where(0).toPoint())
    qtbot.waitUntil(plot.hover_card.isVisible, timeout=WAIT_MS)
    assert "joint · 2.93 KiB" in plot.hover_card.text()
    assert ", gap " in plot.hover_card.text()


@pytest.mark.slow
def test_that_the_table_has_the_same_points_and_keys(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    panel = window.views.frontier
    panel.as_table.click()
    assert panel.stack.currentWidget() is panel.table
    assert panel.table.rows.rowCount() == len(scene_of(window).points)
    panel.table.selectRow(0)
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert window.state.core.budgets.ram_bytes == scene_of(window).points.x[0]
    qtbot.keyClick(panel.table, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.state.core.compare.pair is not None


def test_that_the_runtime_axis_keeps_the_ram(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    window.wishes.set_ram(3500)
    _axis(window, "runtime").click()
    assert scene_of(window).axis == "runtime"
    ram = window.state.core.budgets.ram_bytes
    window.frontier_desk.load(0)
    assert window.state.core.budgets.ram_bytes == ram
    assert window.state.core.budgets.runtime_s is not None


@pytest.mark.slow
def test_that_a_cell_of_the_map_sets_both_budgets(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    _axis(window, "map").click()
    grid = window.views.frontier.map
    assert window.views.frontier.stack.currentWidget() is grid
    assert grid.scene is not None
    row, column = 2, 3
    at = grid.cell(row, column).center().toPoint()
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=at)
    assert window.state.core.budgets == grid.scene.budgets(row, column)
    grid.setFocus()
    grid.focused = (0, 0)
    qtbot.keyClick(grid, Qt.Key.Key_Up)
    qtbot.keyClick(grid, Qt.Key.Key_Return)
    assert window.state.core.budgets == grid.scene.budgets(1, 0)


def test_that_it_takes_the_place_of_the_schedule_and_gives_it_back(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = frontier_window(qtbot, make_window)
    panel, views = window.views.frontier, window.views
    narrow = panel.width()
    window.actions_by_name["enlarge_frontier"].trigger()
    assert views.centre.currentWidget() is panel
    qtbot.waitUntil(lambda: panel.width() > 1.5 * narrow, timeout=WAIT_MS)
    panel.plot.focused = None
    qtbot.keyClick(panel.plot, Qt.Key.Key_Escape)
    assert views.centre.currentWidget() is views.schedule
    assert views.side_tabs.currentWidget() is panel
    assert not panel.enlarge.isChecked()


def test_that_another_model_gives_the_schedule_its_place_back(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = frontier_window(qtbot, make_window)
    window.frontier_desk.toggle_enlarged()
    show_chain(window, 5)
    assert window.views.centre.currentWidget() is window.views.schedule


@pytest.mark.slow
def test_that_sweep_buttons_follow_the_sweep(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = frontier_window(qtbot, make_window)
    bar = window.views.frontier.sweep
    bar.points.setValue(5)
    bar.strategies["remat-only"].setChecked(True)
    assert bar.choice.text() == "2 strategies"
    bar.go.click()
    status = window.state.core.frontier.sweep
    assert status.is_running
    assert status.plan.points == 5
    assert status.plan.strategies == ("joint", "remat-only")
    assert bar.go.text() == "Cancel"
    assert bar.progress.isVisible()
    window.actions_by_name["sweep"].trigger()  # the same key cancels
    assert not window.state.core.frontier.sweep.is_running
    assert bar.go.text() == "Sweep"
    assert "Sweep stopped: 0 solved" in bar.words.text()


@pytest.mark.slow
def test_that_without_a_strategy_nothing_can_be_swept(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = frontier_window(qtbot, make_window)
    bar = window.views.frontier.sweep
    bar.strategies["joint"].setChecked(False)
    assert not bar.go.isEnabled()
    assert bar.choice.text() == "no strategy"


@pytest.mark.parametrize("axis", ["ram", "map"])
@pytest.mark.slow
def test_that_both_themes_are_painted(qtbot: QtBot, make_window: MakeWindow, axis: str) -> None:
    window = frontier_window(qtbot, make_window)
    _axis(window, axis).click()
    window.frontier_desk.toggle_enlarged()
    seen = []
    for name in ("theme_light", "theme_dark"):
        window.actions_by_name[name].trigger()
        theme = window.appearance.theme
        image = window.views.frontier.stack.currentWidget().grab().toImage()
        colours = {
            image.pixelColor(x, y).name()
            for x in range(0, image.width(), 2)
            for y in range(0, image.height(), 2)
        }
        assert theme.accent in colours or axis == "map"
        assert len(colours) > 5
        seen.append(colours)
    assert seen[0] != seen[1]


def _axis(window: MainWindow, axis: str) -> QWidget:
    found = window.findChild(QWidget, f"frontier_{axis}")
    assert found is not None
    return found
