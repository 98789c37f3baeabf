"""Colours by role for light and dark, and the one style sheet made from them. Knows no Qt."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final


class ThemeChoice(StrEnum):
    """What the user asked for; `system` follows the desktop while the program runs."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Theme:
    """One colour ("#rrggbb") per role; text roles keep a contrast of 4.5 against window and panel.

    compute, recompute, page_in, page_out : the four kinds of bars (Okabe-Ito hues, 3:1 on both).
    resident, storage : the thin bars of a tensor in RAM and in storage.
    over_budget, budget_line : amber; always drawn together with words.
    curve, curve_fill : the memory curve and the area below it.
    """

    name: str
    window: str
    panel: str
    panel_sunken: str
    border: str
    text: str
    text_muted: str
    accent: str
    accent_hover: str
    accent_text: str
    accent_soft: str
    good: str
    warning: str
    danger: str
    selection: str
    lane_even: str
    lane_odd: str
    grid: str
    groove: str
    resident: str
    storage: str
    over_budget: str
    budget_line: str
    playhead: str
    curve: str
    curve_fill: str
    compute: str = "#0072B2"
    recompute: str = "#D55E00"
    page_in: str = "#009E73"
    page_out: str = "#CC79A7"

    @property
    def is_dark(self) -> bool:
        """True when the panel is darker than its text."""
        return luminance(self.panel) < luminance(self.text)


LIGHT: Final = Theme(
    name="light",
    window="#f6f7f9",
    panel="#ffffff",
    panel_sunken="#f3f5f8",
    border="#d9dde3",
    text="#1c2126",
    text_muted="#5b646e",
    accent="#0b5ed7",
    accent_hover="#0a53be",
    accent_text="#ffffff",
    accent_soft="#e3edfb",
    good="#15803d",
    warning="#8a5300",
    danger="#b42318",
    selection="#dae5f7",
    lane_even="#fbfcfd",
    lane_odd="#f3f5f8",
    grid="#e7eaee",
    groove="#d9dde3",
    resident="#aeb6c0",
    storage="#8a939d",
    over_budget="#e69f00",
    budget_line="#c27a00",
    playhead="#0b5ed7",
    curve="#1c2126",
    curve_fill="#dce0e4",
)

DARK: Final = Theme(
    name="dark",
    window="#1b1d21",
    panel="#24272c",
    panel_sunken="#2a2e34",
    border="#3a3f47",
    text="#e8eaed",
    text_muted="#a3abb5",
    accent="#4f97ff",
    accent_hover="#78b0ff",
    accent_text="#0b1220",
    accent_soft="#243247",
    good="#4cc38a",
    warning="#f0b04a",
    danger="#ff8a80",
    selection="#243f63",
    lane_even="#202329",
    lane_odd="#24272d",
    grid="#30343b",
    groove="#3f454e",
    resident="#6f7782",
    storage="#848d97",
    over_budget="#e69f00",
    budget_line="#e39a1c",
    playhead="#4f97ff",
    curve="#e8eaed",
    curve_fill="#444951",
)


_TITLE: Final = 1.15  # of the text: a heading is a little larger
_LINEAR_PART: Final = 0.04045  # sRGB: below it the curve is a straight line


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb" as WCAG 2 defines it, 0 (black) to 1 (white)."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= _LINEAR_PART else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _icon(name: str) -> str:
    return Path(str(files("resources") / "icons" / name)).as_posix()


def stylesheet(theme: Theme, text_pt: float = 10.0) -> str:
    """Return the style sheet of the application, whose font has `text_pt` points."""
    sheet = (files("resources") / "themes" / "app.qss").read_text(encoding="utf-8")
    shade = "dark" if theme.is_dark else "light"
    return Template(sheet).substitute(
        asdict(theme),
        title_pt=f"{_TITLE * text_pt:.1f}",
        chevron=_icon(f"chevron-{shade}.svg"),
        check=_icon(f"check-{shade}.svg"),
    )
