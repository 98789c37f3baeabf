"""What the user did wrong, said once and completely: every error holds all the mistakes found."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from solver.import_report import OpenSize


class Offer(StrEnum):
    """Another way to open a file that was refused, which the user may choose."""

    STRAIGHT_THROUGH = "straight-through"


@dataclass(frozen=True, slots=True)
class Issue:
    """One mistake: a sentence, its place, and the nearest thing that would be accepted.

    `where` names file, line, node or field ("model.json: node conv: bytes"); empty when the
    sentence says it all. `suggestion` says what to do ("did you mean rpi4?"); empty when there is
    nothing useful to say. `asks` names the sizes of a file that the user has to choose first.
    `offer` is what opens the file in spite of it, where there is such a way.
    """

    message: str
    where: str = ""
    suggestion: str = ""
    asks: tuple[OpenSize, ...] = ()
    offer: Offer | None = None

    def __str__(self) -> str:
        text = f"{self.where}: {self.message}" if self.where else self.message
        return f"{text} ({self.suggestion})" if self.suggestion else text


class EngineError(Exception):
    """A mistake in the user's input; `issues` holds every one found, in order of their place.

    `exit_code` is what the command line ends with: 1 for a bad file, 2 for wrong usage. `details`
    say where the program itself is at fault, for a report; empty where it is not.
    """

    exit_code = 1
    details = ""

    def __init__(self, issues: Sequence[Issue] | Issue | str) -> None:
        if isinstance(issues, str):
            issues = Issue(issues)
        self.issues: tuple[Issue, ...] = (issues,) if isinstance(issues, Issue) else tuple(issues)
        super().__init__("\n".join(str(issue) for issue in self.issues))


class UsageError(EngineError):
    """An unknown name, a value outside its range, options that contradict each other."""

    exit_code = 2


class ModelError(EngineError):
    """A model or result file that cannot be read, or a network that cannot be trained."""


class DeviceError(EngineError):
    """A device profile that cannot be used."""
