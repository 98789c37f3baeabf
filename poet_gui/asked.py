"""What can be asked of the explorer's state: it follows from the what-if and from what is known."""

import math
from typing import TYPE_CHECKING

from poet_gui.explored import Origin, Shown
from poet_gui.knowledge import Knowledge
from poet_gui.solving.status import Phase, SolveStatus
from solver.brackets import NOTHING_KNOWN, Bracket, Brackets, Known
from solver.device import Device
from solver.outcome import Feasible, Optimal, Outcome
from solver.problem import Budgets, Problem, SolveOptions, Switches
from solver.simulate import Trace

if TYPE_CHECKING:
    from poet_gui.solving.deliveries import OpenModel


class Asked:
    """Model, device, budgets, switches and what is known; changes nothing."""

    def __init__(self, device: Device) -> None:
        self.knowledge = Knowledge()
        self.device = device
        self.model: OpenModel | None = None
        self.budgets = Budgets(device.ram_bytes)
        self.switches = Switches(io=device.io)
        self.options = SolveOptions()
        self.status = SolveStatus()

    @property
    def problem(self) -> Problem | None:
        """What would be solved now; None without a model."""
        if self.model is None:
            return None
        return Problem(self.model.costed, self.budgets, self.switches)

    @property
    def bracket(self) -> Bracket | None:
        """What is proven about the present budgets; None without a model."""
        problem = self.problem
        return None if problem is None else self.knowledge.bracket(problem)

    @property
    def brackets(self) -> Brackets | None:
        """What is known under all budgets of this model, device and switches."""
        problem = self.problem
        return None if problem is None else self.knowledge.brackets(problem)

    @property
    def known(self) -> Known:
        """What a solve of the present problem starts from."""
        problem = self.problem
        return NOTHING_KNOWN if problem is None else self.knowledge.known(problem, self.options)

    @property
    def best_trace(self) -> Trace | None:
        """The stored schedule of least energy that fits the present budgets."""
        problem = self.problem
        return None if problem is None else self.knowledge.best_trace(problem)

    @property
    def solved(self) -> tuple[Budgets, ...]:
        """Every budget solved for this model, device and switches, in order of RAM."""
        problem = self.problem
        return () if problem is None else self.knowledge.solved(problem)

    @property
    def least(self) -> tuple[float, float]:
        """Less RAM, bytes, and less runtime, seconds, are proven impossible; inf: so is any.

        Each beside the other one as it is chosen now.
        """
        brackets = self.brackets
        if brackets is None:
            return 0.0, 0.0
        ram = brackets.least_ram_bytes(self.budgets.runtime_s)
        runtime_s = brackets.least_runtime_s(self.budgets.ram_bytes)
        return math.inf if ram is None else ram, math.inf if runtime_s is None else runtime_s

    @property
    def needs_solve(self) -> bool:
        """False when what is stored already answers the present problem as well as asked for."""
        return self.model is not None and self.stored_answer() is None

    def stored_answer(self) -> Outcome | None:
        """An outcome for the present budgets that needs no solve."""
        problem = self.problem
        return None if problem is None else self.knowledge.answer(problem, self.options)

    @property
    def to_show(self) -> Shown | None:
        """What belongs on screen: the result, else the best known, else the plain schedule."""
        if self.model is None:
            return None
        outcome, bracket = self.status.outcome, self.bracket
        if isinstance(outcome, Optimal | Feasible):
            return Shown(outcome.trace, Origin.RESULT, outcome.bound_j)
        best = self.best_trace
        if best is None or bracket is None:
            return Shown(self.model.plain, Origin.PLAIN)
        solving = self.status.phase.is_busy and self.status.phase is not Phase.QUEUED
        return Shown(best, Origin.PROVISIONAL if solving else Origin.NEAREST, bracket.low_j)
