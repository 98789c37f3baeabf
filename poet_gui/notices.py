"""Notices inside the window: what happened, why, what to do, and details to copy. Never modal."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from solver.errors import Issue

_SHOWN_ISSUES: Final = 4


class Level(StrEnum):
    """How serious a notice is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class NoticeAction:
    """Something to do about a notice: `name` is that of an action of the window."""

    name: str
    text: str
    tip: str


@dataclass(frozen=True, slots=True)
class Notice:
    """`title` says what happened, `text` why and what to do; `details` go to the clipboard.

    `stays`: it does not speak of the open model, another one does not close it. `passes`: it is
    good to know and nothing to act upon; it lies over the views for a while and moves none.
    `action` is offered as a button.
    """

    level: Level
    title: str
    text: str = ""
    details: str = ""
    stays: bool = False
    passes: bool = False
    action: NoticeAction | None = None

    @property
    def whole(self) -> str:
        """Everything, as it is copied; a text that the details say more fully is left to them."""
        first = self.text.partition("\n")[0]
        text = "" if first and self.details.startswith(first) else self.text
        return "\n".join(part for part in (self.title, text, self.details) if part)


def notice_of_issues(title: str, issues: Sequence[Issue], details: str = "") -> Notice:
    """A notice of everything that is wrong with a file, the first few in sight."""
    lines = [str(issue) for issue in issues]
    shown = lines[:_SHOWN_ISSUES]
    if len(lines) > _SHOWN_ISSUES:
        shown.append(f"… and {len(lines) - _SHOWN_ISSUES} more; copy the details to see all")
    everything = "\n".join(lines)
    whole = f"{everything}\n{details}".strip()
    return Notice(Level.ERROR, title, "\n".join(shown), whole)
