"""Light and dark: every text is readable, and switching leaves nothing of the other behind."""

from dataclasses import fields
from itertools import product

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from poet_gui.main_window import MainWindow
from poet_gui.theme import DARK, LIGHT, Theme, ThemeChoice, luminance, stylesheet
from tests.poet_gui.fixtures import MakeWindow, open_model, settle

TEXT_ROLES = ("text", "text_muted", "accent", "good", "warning", "danger")
GROUNDS = ("window", "panel", "panel_sunken")
BARS = ("compute", "recompute", "page_in", "page_out")


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast of two colours, 1 to 21."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_that_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # WCAG's own example


@pytest.mark.parametrize(
    ("theme", "role", "ground"), list(product((LIGHT, DARK), TEXT_ROLES, GROUNDS))
)
def test_that_text_is_readable(theme: Theme, role: str, ground: str) -> None:
    assert contrast(getattr(theme, role), getattr(theme, ground)) >= 4.5


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_that_text_is_readable_on_buttons_and_selected_rows(theme: Theme) -> None:
    assert contrast(theme.accent_text, theme.accent) >= 4.5
    assert contrast(theme.text, theme.selection) >= 4.5
    assert contrast(theme.text_muted, theme.selection) >= 4.5


@pytest.mark.parametrize(("theme", "kind"), list(product((LIGHT, DARK), BARS)))
def test_that_bars_stand_out_from_their_lanes(theme: Theme, kind: str) -> None:
    for lane in (theme.lane_even, theme.lane_odd):
        # Patterns, heights and glyphs tell the kinds apart; 2.8 is the least of hue alone
        # (page_out on the light lanes: 2.81).
        assert contrast(getattr(theme, kind), lane) >= 2.8


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_that_every_role_is_a_colour_and_the_sheet_takes_it(theme: Theme) -> None:
    for field in fields(theme):
        value = getattr(theme, field.name)
        assert field.name == "name" or QColor(value).isValid()
    assert "$" not in stylesheet(theme)


@pytest.mark.slow
def test_that_switching_to_dark_leaves_no_light_ground(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    window.actions_by_name["theme_dark"].trigger()
    settle(qapp)
    assert _share_brighter_than(window, 0.5) < 0.05  # letters, bars and lines
    window.actions_by_name["theme_light"].trigger()
    settle(qapp)
    assert _share_brighter_than(window, 0.5) > 0.8
    assert window.settings.theme is ThemeChoice.LIGHT


@pytest.mark.slow
def test_that_every_label_is_readable_after_the_switch(
    qapp: QApplication, qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window("honest")
    open_model(qtbot, window)
    for action, theme in (("theme_dark", DARK), ("theme_light", LIGHT)):
        window.actions_by_name[action].trigger()
        settle(qapp)
        for label in window.findChildren(QLabel):
            if label.isVisible() and label.text() and label.isEnabled():
                colour = label.palette().color(label.foregroundRole()).name()
                assert contrast(colour, theme.panel) >= 4.5, (action, label.text(), colour)


def _share_brighter_than(window: MainWindow, limit: float) -> float:
    image = window.grab().toImage()
    step = 7
    colours = [
        image.pixelColor(x, y).name()
        for x in range(0, image.width(), step)
        for y in range(0, image.height(), step)
    ]
    return sum(luminance(colour) > limit for colour in colours) / len(colours)
