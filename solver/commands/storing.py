"""What a command reads from the stored results before a solve and adds to them after it."""

from solver.bracket_store import BracketStore, user_store_folder
from solver.brackets import NOTHING_KNOWN, Known
from solver.commands.output import say
from solver.events import Event
from solver.problem import Problem
from solver.recording import record
from solver.strategies.registry import PROVING


class StoredResults:
    """The stored results of one problem; without a wish to store, nothing is read or written."""

    def __init__(self, problem: Problem, strategy: str, *, wanted: bool) -> None:
        self._problem = problem
        self._proves = strategy in PROVING
        self._store = BracketStore(user_store_folder() if wanted else None, _warn)
        self._brackets = self._store.load(problem)
        self.known: Known = self._brackets.known(problem.budgets) if wanted else NOTHING_KNOWN

    def report(self, event: Event) -> None:
        """Take in what the running solve proves."""
        record(self._brackets, self._problem.budgets, event, proves=self._proves)

    def save(self) -> None:
        """Add it to what is stored."""
        self._store.save(self._problem, self._brackets)


def _warn(sentence: str) -> None:
    say(f"warning: {sentence}")
