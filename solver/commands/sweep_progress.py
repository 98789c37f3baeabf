"""A running sweep on a terminal: points done, what is being solved, how much is still open."""

from solver.commands.progress import TerminalBar
from solver.events import Event, Started, StepChanged
from solver.solve_pool import SolveTask
from solver.sweep_run import StrategySweep
from solver.units import format_bytes, format_percent


class SweepBar(TerminalBar):
    """The bar of a sweep over the points of every strategy."""

    def __init__(self, total: int, done: int = 0) -> None:
        super().__init__(
            total=total,
            done=done,
            bar_format="{desc}: |{bar}| {n_fmt}/{total_fmt} points, {elapsed}{postfix}",
        )

    def report(self, task: SolveTask, event: Event) -> None:
        """Say what is being solved, and the step that it is at."""
        if isinstance(event, Started | StepChanged):
            budget = format_bytes(task.problem.budgets.ram_bytes)
            self._bar.set_description_str(f"{task.options.strategy} {budget} {event.step}")

    def advance(self, sweep: StrategySweep) -> None:
        """One point more."""
        if self._bar.disable:
            return
        self._bar.set_postfix_str(f"{format_percent(sweep.planner.open_share)} open", refresh=False)
        self._bar.update(1)

    def tick(self) -> None:
        """Move the clock."""
        if not self._bar.disable:
            self._bar.refresh()
