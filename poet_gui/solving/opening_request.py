"""The one model that is being opened: its request, and how it takes its place in the state."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from poet_gui.explored import Origin
from poet_gui.explorer import Explorer
from poet_gui.solving.deliveries import Opened, OpenModel
from poet_gui.solving.service import SolveService
from solver.device import Device
from solver.graph_request import GraphRequest


class Taken(NamedTuple):
    """How a model took its place: read again, and whether its problem was solved, or being solved.

    A model that is new on screen is neither.
    """

    again: bool
    was_solved: bool


class OpeningRequest:
    """At most one is wanted; a newer one gives up the one before.

    `id` : of the request, None while nothing is being opened.
    """

    def __init__(
        self, core: Explorer, service: SolveService, give_up: Callable[[int], None]
    ) -> None:
        self._core, self._service, self._give_up = core, service, give_up
        self.id: int | None = None
        self._keeps_place = False

    def load(self, request: GraphRequest, name: str, *, keep_place: bool) -> None:
        """Open a file, a built-in network or a saved result.

        `keep_place`: it is the open model again, whose budgets and selection stay.
        """
        self._service.load(self._begin(name, keep_place=keep_place), request, self._core.device)

    def load_own_results(self, paths: Sequence[Path], name: str) -> None:
        """Open results that came with the program."""
        self._service.load_own_results(self._begin(name, keep_place=False), paths)

    def reprice(self, model: OpenModel, device: Device) -> None:
        """Price the open model on another device; what is on screen is executed there."""
        self.id = self._service.new_id()
        shown = self._core.shown
        trace = None if shown is None or shown.origin is Origin.PLAIN else shown.trace
        self._service.reprice(self.id, model, device, trace)

    def cancel(self) -> bool:
        """Give it up; False when there is none."""
        if self.id is None:
            return False
        self._give_up(self.id)
        self.forget()
        return True

    def forget(self) -> bool:
        """It has ended, one way or the other; whether there was one."""
        was, self.id = self.id is not None, None
        self._core.set_opening(None)
        return was

    def show(self, model: OpenModel, delivery: Opened) -> Taken:
        """Put what was opened on screen."""
        core = self._core
        same_graph = core.model is not None and core.model.costed.graph is model.costed.graph
        self.forget()
        was_solved = core.status.outcome is not None or core.status.phase.is_busy
        if same_graph and delivery.result is None:
            core.set_repriced(model, delivery.carried)
            return Taken(again=False, was_solved=was_solved)
        if self._keeps_place and delivery.result is None:
            core.reload_model(model)
            return Taken(again=True, was_solved=was_solved)
        core.open_model(model, delivery.result)
        return Taken(again=False, was_solved=False)

    def _begin(self, name: str, *, keep_place: bool) -> int:
        """Give up what was being opened; the new id."""
        if self.id is not None:
            self._give_up(self.id)
        self._keeps_place = keep_place
        self.id = self._service.new_id()
        self._core.set_opening(name)
        return self.id
