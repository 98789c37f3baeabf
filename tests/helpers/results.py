"""Outcomes of every kind, and the poet.result documents that they make."""

from typing import Final

from solver.codec import Origin, result_document
from solver.codec.documents import ResultDocument
from solver.outcome import (
    Failed,
    Feasible,
    Infeasible,
    Limit,
    NoAnswer,
    Optimal,
    Outcome,
    Progress,
    Reason,
    SolverRecord,
    StopReason,
)
from solver.problem import Problem, SolveOptions
from solver.simulate import simulate
from solver.staged import stage
from solver.strategies.plain import page_all
from tests.helpers.builders import chain, problem_of

RECORD: Final = SolverRecord(
    "joint", "HiGHS", "1", 0.5, 0.25, (Progress(0.25, "greedy", 3.0, 2.0),)
)
KINDS: Final = ("optimal", "feasible", "infeasible", "no_answer", "failed")


def small_problem() -> Problem:
    """chain(4) at 3004 B: three tensors of 1000 B and the loss of 4 B fit."""
    return problem_of(chain(4), 3004)


def outcome_of_kind(kind: str, problem: Problem) -> Outcome:
    """An outcome of that status; schedules page everything, their bounds are made to fit."""
    trace = simulate(page_all(stage(problem)), problem)
    made: dict[str, Outcome] = {
        "optimal": Optimal(trace, trace.total_energy_j, "optimal", RECORD),
        "feasible": Feasible(
            trace, problem.costed.baseline_energy_j, StopReason.GAP, "feasible", RECORD
        ),
        "infeasible": Infeasible(
            Reason(Limit.RAM, 5, (3, 4), 3004.0, 4.0, exact=True), "too little", RECORD
        ),
        "no_answer": NoAnswer(StopReason.TIME, "none in time", RECORD, 1.0),
        "failed": Failed("broke", RECORD),
    }
    return made[kind]


def result_of_kind(kind: str, *, slim: bool = False) -> ResultDocument:
    """The poet.result of outcome_of_kind on small_problem."""
    problem = small_problem()
    options, origin = SolveOptions(gap=0.0), Origin("net.json", "ab" * 32)
    return result_document(problem, outcome_of_kind(kind, problem), options, origin, slim=slim)
