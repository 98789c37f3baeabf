"""Claim: whatever budgets are asked for in whatever order, no answer ever contradicts another.

Every solve starts from what the ones before it stored, and stores what it proves. `--budgets 200`
asks for as many per network (an hour), the default is 20.
"""

import math
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from solver import api
from solver.bracket_store import BracketStore
from solver.brackets import Brackets, covers
from solver.events import Event, Incumbent
from solver.graph import Accounting
from solver.graph_request import GraphRequest
from solver.outcome import Feasible, Infeasible, NoAnswer, Optimal, Outcome
from solver.problem import Budgets, Problem, SolveOptions
from solver.recording import record
from tests.helpers.onnx_models import LIGHT_FOLDER
from tests.helpers.solving import assert_legal

pytestmark = pytest.mark.slow

OPTIONS = SolveOptions(time_limit_s=600.0, work_limit=1.0)
ROUNDING = 1e-9
NETWORKS = {
    "resnet18_cifar": (GraphRequest("resnet18_cifar", Accounting.POET), "nrf52840"),
    "vgg16_cifar": (GraphRequest("vgg16_cifar", Accounting.POET), "nrf52840"),
    "linear": (GraphRequest("linear", Accounting.POET), "nrf52840"),
    "light_squeezenet": (GraphRequest(str(LIGHT_FOLDER / "light_squeezenet.onnx")), "rpi4"),
}


class Answer(NamedTuple):
    """What was shown for some budgets."""

    budgets: Budgets
    energy_j: float | None
    bound_j: float


class Asker:
    """Asks for budgets one after the other and holds every answer against all others."""

    def __init__(self, problem: Problem, folder: Path) -> None:
        self.problem = problem
        self.store = BracketStore(folder, pytest.fail)
        self.brackets = Brackets(problem)
        self.answers: list[Answer] = []

    def ask(self, budgets: Budgets) -> None:
        problem = Problem(self.problem.costed, budgets, self.problem.switches)
        before = self.brackets.bracket(budgets)
        events: list[Event] = []
        known = self.brackets.known(budgets)
        outcome = api.solve(problem, OPTIONS, events.append, known=known)
        for event in events:
            record(self.brackets, budgets, event)
            if isinstance(event, Incumbent):
                assert_legal(event)
        assert self.brackets.refuted == []
        answer = _answer(budgets, outcome, before.low_j)
        self.answers.append(answer)

        assert answer.bound_j >= before.low_j * (1 - ROUNDING)
        if before.high_j is not None:
            assert answer.energy_j is not None
            assert answer.energy_j <= before.high_j * (1 + ROUNDING)
        if answer.energy_j is not None:
            assert before.low_j <= answer.energy_j * (1 + ROUNDING)
        after = self.brackets.bracket(budgets)
        best = math.inf if after.high_j is None else after.high_j
        shown = math.inf if answer.energy_j is None else answer.energy_j
        assert after.low_j <= best <= shown * (1 + ROUNDING)
        self.store.save(problem, self.brackets)

    def assert_consistent(self) -> None:
        """No bound above a schedule that it speaks of; both fall with looser budgets."""
        for one in self.answers:
            for other in self.answers:
                if not covers(one.budgets, other.budgets):
                    continue
                if other.energy_j is not None:
                    assert one.bound_j <= other.energy_j * (1 + ROUNDING)
                loose = self.brackets.bracket(one.budgets)
                tight = self.brackets.bracket(other.budgets)
                assert loose.low_j <= tight.low_j
                if tight.high_j is not None:
                    assert loose.high_j is not None
                    assert loose.high_j <= tight.high_j

    def assert_stored(self) -> None:
        """Another process knows the same, every schedule verified once more."""
        loaded = self.store.load(self.problem)
        assert loaded.refuted == []
        assert loaded.schedules == self.brackets.schedules
        for answer in self.answers:
            assert loaded.bracket(answer.budgets) == self.brackets.bracket(answer.budgets)


def _answer(budgets: Budgets, outcome: Outcome, low_j: float) -> Answer:
    match outcome:
        case Optimal(trace=trace, bound_j=bound_j) | Feasible(trace=trace, bound_j=bound_j):
            return Answer(budgets, trace.total_energy_j, bound_j)
        case Infeasible():
            return Answer(budgets, None, math.inf)
        case NoAnswer(bound_j=bound):
            return Answer(budgets, None, low_j if bound is None else bound)
        case _:
            pytest.fail(f"{budgets}: {outcome.message} {outcome.details}")


def _random_budgets(problem: Problem, random: Random) -> Budgets:
    """From just below the floor to just above the plain peak; half of them with a limit."""
    costed = problem.costed
    low, high = 0.95 * costed.floor_bytes, 1.05 * costed.plain_peak_bytes
    ram = round(random.uniform(low, high))
    if random.random() < 0.5:
        return Budgets(ram)
    return Budgets(ram, costed.baseline_runtime_s * random.uniform(0.98, 2.5))


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", NETWORKS)
def test_that_no_answer_contradicts_another(
    name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    model, device = NETWORKS[name]
    graph = api.load_training_graph(model).graph
    problem = api.make_problem(graph, api.load_device(device))
    asker, random = Asker(problem, tmp_path), Random(name)
    for _ in range(request.config.getoption("--budgets")):
        asker.ask(_random_budgets(problem, random))
    asker.assert_consistent()
    asker.assert_stored()
