"""Running a solve so that Ctrl+C stops it and keeps the best schedule."""

import threading
import time
from collections.abc import Callable
from typing import Final

from solver import api
from solver.brackets import NOTHING_KNOWN, Known
from solver.commands.output import quiet_stdout, say
from solver.commands.progress import ProgressBar
from solver.events import Event, Report
from solver.impossible import explain_impossible
from solver.outcome import Infeasible, Outcome
from solver.problem import Problem, SolveOptions
from solver.strategies.base import Cancel

_TICK_S: Final = 0.1


def run_solve(
    problem: Problem,
    options: SolveOptions,
    wish: threading.Event,
    known: Known = NOTHING_KNOWN,
    report: Report | None = None,
) -> Outcome:
    """The outcome, what was found until `wish` at the most; `report` gets every event, too.

    The solve has a thread of its own: native code in the main thread would keep Python from hearing
    Ctrl+C.
    """
    cancel = Cancel()
    with (
        quiet_stdout(),
        ProgressBar(problem, options.time_limit_s) as bar,
    ):

        def tell(event: Event) -> None:
            if report is not None:
                report(event)
            bar.report(event)

        def answer() -> Outcome:
            outcome = api.solve(problem, options, tell, cancel, known)
            return explain_impossible(problem, outcome, options, bar.report_least, cancel)

        job = _Job(answer)
        began = time.perf_counter()
        job.start()
        while not job.done.wait(_TICK_S):
            bar.tick(time.perf_counter() - began)
            if wish.is_set():
                cancel.request()
    if wish.is_set():
        say(f"interrupted: {_kept(job.result())}")
    return job.result()


def _kept(outcome: Outcome) -> str:
    if isinstance(outcome, Infeasible):
        return "that nothing fits is proven, what would is known only in part"
    return "the best schedule so far is kept"


class _Job(threading.Thread):
    """One solve; `result` hands over its outcome or raises what it raised.

    `done` is waited for instead of join: CPython 3.11 takes a thread for ended when Ctrl+C comes
    during its join.
    """

    def __init__(self, task: Callable[[], Outcome]) -> None:
        super().__init__(name="solve", daemon=True)
        self._task = task
        self.done = threading.Event()
        self._outcome: Outcome | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._outcome = self._task()
        except BaseException as error:  # noqa: BLE001 - raised again where the result is fetched
            self._error = error
        self.done.set()

    def result(self) -> Outcome:
        """The outcome, once `done`."""
        self.join()
        if self._error is not None:
            raise self._error
        assert self._outcome is not None
        return self._outcome
