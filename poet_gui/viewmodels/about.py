"""Texts of the sheets: all keys, about the program."""

from collections.abc import Sequence
from typing import Final, Protocol

from solver import ENGINE_VERSION


class KeyedAction(Protocol):
    """What the sheet of keys needs to know of an action."""

    @property
    def menu(self) -> str:
        """Title of its menu."""

    @property
    def text(self) -> str:
        """Its text, with the mark of its access key."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Its shortcuts."""


ANYWHERE_KEYS: Final = (
    ("close the newest notice, else stop", "Escape"),
    ("next, previous control", "Tab  Shift+Tab"),
)
SLIDER_KEYS: Final = (
    ("a little less, more", "Left  Right"),
    ("much less, more", "Page Down  Page Up"),
    ("least, most", "Home  End"),
)


def key_groups(
    actions: Sequence[KeyedAction], timeline: Sequence[tuple[str, str]]
) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Every shortcut in groups, each a title and rows of (what it does, keys).

    `timeline` holds the keys of the schedule as (keys, what they do).
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    for action in actions:
        if action.keys:
            rows = groups.setdefault(action.menu.replace("&", ""), [])
            rows.append((action.text.replace("&", "").rstrip("…"), "  ".join(action.keys)))
    named = tuple((title, tuple(rows)) for title, rows in groups.items())
    drawn = tuple((text, keys) for keys, text in timeline)
    return (*named, ("Timeline", drawn), ("Sliders", SLIDER_KEYS), ("Anywhere", ANYWHERE_KEYS))


def about_lines() -> tuple[str, ...]:
    """Name, version, licence, and what is not modelled."""
    return (
        f"POET Explorer {ENGINE_VERSION}",
        "Least-energy training schedules under a memory and a runtime budget.",
        "Licence: Apache-2.0.",
        "",
        "After POET (Patil, Jain, Dutta, Stoica, Gonzalez: ICML 2022).",
        "Fragmentation of memory and in-place operation are not modelled.",
        "Every schedule on screen has been simulated and verified in exact integers.",
    )
