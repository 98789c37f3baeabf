"""Colours by role for light and dark, and the one style sheet made from them. Knows no Qt."""

from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Final


class ThemeChoice(StrEnum):
    """What the user asked for; `system` follows the desktop while the program runs."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Theme:
    """One colour ("#rrggbb") per role; text roles keep a contrast of 4.5 against window and panel.

    compute, recompute, page_in, page_out : the four kinds of bars (Okabe-Ito hues, 3:1 on both themes).
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
    text_muted="#5f6872",
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


def luminance(colour: str) -> float:
    """Relative luminance of "#rrggbb" as WCAG 2 defines it, 0 (black) to 1 (white)."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast of two colours, 1 to 21."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _icon(name: str) -> str:
    return Path(str(files("resources") / "icons" / name)).as_posix()


def stylesheet(theme: Theme) -> str:
    """The application's style sheet. Sizes follow the font, so a larger font enlarges everything."""
    shade = "dark" if theme.is_dark else "light"
    return _SHEET.format(
        t=theme,
        chevron=_icon(f"chevron-{shade}.svg"),
        check=_icon(f"check-{shade}.svg"),
    )


_SHEET: Final = """
QWidget {{ color: {t.text}; }}
QMainWindow, QDialog, QWidget#centralWidget {{ background: {t.window}; }}
QToolTip {{ background: {t.panel}; color: {t.text}; border: 1px solid {t.border}; padding: 4px 6px; }}
QLabel {{ background: transparent; }}
QLabel[tone="muted"], QRadioButton[tone="muted"] {{ color: {t.text_muted}; }}
QLabel[tone="good"] {{ color: {t.good}; }}
QLabel[tone="warning"] {{ color: {t.warning}; }}
QLabel[tone="danger"] {{ color: {t.danger}; }}
QLabel[tone="accent"] {{ color: {t.accent}; }}
QLabel[weight="bold"] {{ font-weight: 600; }}
QLabel[size="title"] {{ font-weight: 600; font-size: 1.15em; }}

QFrame[card="true"] {{ background: {t.panel}; border: 1px solid {t.border}; border-radius: 6px; }}
QFrame[card="sunken"] {{ background: {t.panel_sunken}; border: 1px solid {t.border}; border-radius: 5px; }}
QFrame[rule="true"] {{ background: {t.border}; border: none; max-height: 1px; min-height: 1px; }}

QMenuBar {{ background: {t.window}; border-bottom: 1px solid {t.border}; padding: 2px 6px; }}
QMenuBar::item {{ background: transparent; padding: 5px 10px; border-radius: 4px; }}
QMenuBar::item:selected {{ background: {t.selection}; }}
QMenu {{ background: {t.panel}; border: 1px solid {t.border}; padding: 4px; }}
QMenu::item {{ padding: 5px 26px 5px 22px; border-radius: 4px; }}
QMenu::item:selected {{ background: {t.selection}; }}
QMenu::item:disabled {{ color: {t.text_muted}; }}
QMenu::separator {{ height: 1px; background: {t.border}; margin: 4px 6px; }}

QWidget#headerBar {{ background: {t.window}; border-bottom: 1px solid {t.border}; }}
QStatusBar {{ background: {t.window}; }}
QStatusBar::item {{ border: none; }}

QPushButton, QToolButton[flat="false"] {{
  background: {t.panel}; border: 1px solid {t.border}; border-radius: 5px; padding: 5px 12px;
}}
QPushButton:hover, QToolButton[flat="false"]:hover {{ background: {t.panel_sunken}; border-color: {t.storage}; }}
QPushButton:pressed {{ background: {t.selection}; }}
QPushButton:focus, QComboBox:focus, QAbstractSpinBox:focus, QLineEdit:focus {{ border: 1px solid {t.accent}; }}
QPushButton:disabled {{ color: {t.text_muted}; background: {t.window}; }}
QPushButton[kind="primary"] {{
  background: {t.accent}; color: {t.accent_text}; border-color: {t.accent}; font-weight: 600; padding: 5px 16px;
}}
QPushButton[kind="primary"]:hover {{ background: {t.accent_hover}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {t.text}; padding: 4px 15px; }}
QPushButton[kind="primary"]:disabled {{ background: {t.groove}; color: {t.text_muted}; border-color: {t.groove}; }}
QPushButton[kind="link"] {{ background: transparent; border: 1px solid transparent; color: {t.accent}; padding: 2px 4px; }}
QPushButton[kind="link"]:focus {{ border: 1px solid {t.accent}; }}
QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: 5px; padding: 4px 7px; }}
QToolButton:hover {{ background: {t.panel_sunken}; border-color: {t.border}; }}
QToolButton:checked {{ background: {t.selection}; border-color: {t.accent}; }}
QToolButton:focus {{ border-color: {t.accent}; }}
QToolButton::menu-indicator {{ image: none; }}

QComboBox, QAbstractSpinBox, QLineEdit {{
  background: {t.panel}; border: 1px solid {t.border}; border-radius: 5px; padding: 4px 8px;
  selection-background-color: {t.accent}; selection-color: {t.accent_text};
}}
QComboBox:hover, QAbstractSpinBox:hover, QLineEdit:hover {{ border-color: {t.storage}; }}
QComboBox:disabled, QAbstractSpinBox:disabled, QLineEdit:disabled {{ color: {t.text_muted}; background: {t.window}; }}
QComboBox::drop-down {{ border: none; width: 1.5em; }}
QComboBox::down-arrow {{ image: url({chevron}); width: 0.7em; height: 0.7em; }}
QComboBox[quiet="true"] {{ background: transparent; border: 1px solid transparent; color: {t.text_muted}; padding: 4px 2px; }}
QComboBox[quiet="true"]:hover, QComboBox[quiet="true"]:focus {{ border-color: {t.border}; }}
QComboBox[quiet="true"]:focus {{ border-color: {t.accent}; }}
QComboBox QAbstractItemView {{
  background: {t.panel}; border: 1px solid {t.border}; outline: none; padding: 3px;
  selection-background-color: {t.selection}; selection-color: {t.text};
}}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ width: 0; border: none; }}
QAbstractSpinBox[invalid="true"] {{ border: 1px solid {t.danger}; }}

QCheckBox {{ spacing: 7px; background: transparent; padding: 2px; border: 1px solid transparent; border-radius: 4px; }}
QCheckBox:focus {{ border-color: {t.accent}; }}
QCheckBox:disabled {{ color: {t.text_muted}; }}
QCheckBox::indicator {{ width: 1.1em; height: 1.1em; border-radius: 3px; border: 1px solid {t.storage}; background: {t.panel}; }}
QCheckBox::indicator:checked {{ background: {t.accent}; border-color: {t.accent}; image: url({check}); }}
QCheckBox::indicator:disabled {{ background: {t.groove}; border-color: {t.groove}; }}

QTabWidget::pane {{ border: none; }}
QTabWidget, QTabWidget > QStackedWidget, QTabWidget > QStackedWidget > QWidget {{ background: transparent; }}
QTabBar {{ background: transparent; }}
QTabBar::tab {{
  background: transparent; color: {t.text_muted}; padding: 4px 2px; margin-right: 18px;
  border: none; border-bottom: 2px solid transparent;
}}
QTabBar::tab:selected {{ color: {t.text}; font-weight: 600; border-bottom: 2px solid {t.accent}; }}
QTabBar::tab:hover {{ color: {t.text}; }}
QTabBar::tab:focus {{ color: {t.accent}; }}

QTableView, QTreeView, QListView {{
  background: {t.panel}; alternate-background-color: {t.lane_odd}; border: none; gridline-color: {t.grid}; outline: none;
  selection-background-color: {t.selection}; selection-color: {t.text};
}}
QTableView:focus, QListView:focus {{ border: 1px solid {t.accent}; border-radius: 3px; }}
QHeaderView {{ background: {t.panel}; }}
QHeaderView::section {{
  background: {t.panel}; color: {t.text_muted}; border: none; border-bottom: 1px solid {t.border}; padding: 4px 6px;
}}
QTableCornerButton::section {{ background: {t.panel}; border: none; }}
QScrollArea, QScrollArea > QWidget > QWidget {{ background: transparent; border: none; }}
QTextBrowser, QPlainTextEdit {{ background: {t.panel}; border: 1px solid {t.border}; border-radius: 5px; padding: 4px; }}

QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{ background: {t.groove}; border-radius: 4px; min-height: 24px; min-width: 24px; margin: 1px; }}
QScrollBar::handle:hover {{ background: {t.storage}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: none; border: none; width: 0; height: 0; }}

QSplitter::handle {{ background: transparent; }}
QSplitter::handle:hover {{ background: {t.selection}; }}

QFrame#noticeBar {{ border-radius: 6px; border: 1px solid {t.border}; background: {t.panel}; }}
QFrame#noticeBar[level="error"] {{ border-left: 4px solid {t.danger}; }}
QFrame#noticeBar[level="warning"] {{ border-left: 4px solid {t.over_budget}; }}
QFrame#noticeBar[level="info"] {{ border-left: 4px solid {t.accent}; }}
QFrame#dropTarget {{ border: 2px dashed {t.accent}; border-radius: 8px; background: {t.accent_soft}; }}
"""
