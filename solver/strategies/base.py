"""What a way to schedule looks like from outside."""

import threading
from typing import Protocol

from solver.brackets import NOTHING_KNOWN, Known
from solver.events import Report
from solver.outcome import Outcome
from solver.problem import Problem, SolveOptions


class Cancel:
    """A wish to stop, set from any thread; every step of a solve looks at it often."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def request(self) -> None:
        """Ask the solve to stop and keep the best schedule."""
        self._event.set()

    @property
    def requested(self) -> bool:
        """True once somebody asked."""
        return self._event.is_set()


class Strategy(Protocol):
    """One way to schedule. `name` is what the command line takes, `summary` one sentence for lists.

    `paging` and `recompute` are the switches that the strategy forces off (False) or leaves as
    they are (None).
    """

    name: str
    summary: str
    paging: bool | None
    recompute: bool | None

    def solve(
        self,
        problem: Problem,
        options: SolveOptions,
        report: Report,
        cancel: Cancel,
        known: Known = NOTHING_KNOWN,
    ) -> Outcome:
        """Schedule `problem`; every trace in an Incumbent or outcome has passed the verifier.

        `known` is where the search may start from; its schedules are verified before use.
        `problem.switches` are already those of this strategy (strategies.registry.adapt). The
        caller emits Finished.
        """
        ...
