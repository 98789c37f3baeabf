"""How solving ended: a closed union, each case with exactly its own fields."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from solver.problem import Budgets, Problem
from solver.simulate import Trace

OPTIMAL_OVERHEAD_TOLERANCE: Final = 1e-4
OPTIMAL_TOTAL_TOLERANCE: Final = 1e-9
BOUND_SLACK: Final = 1e-6
"""Relative; what an LP bound may exceed the energy by through rounding."""


class StopReason(StrEnum):
    """Why a solve stopped."""

    PROOF = "proof"
    GAP = "gap"
    TIME = "time"
    WORK = "work"
    CANCELLED = "cancelled"


class Limit(StrEnum):
    """Which budget makes a problem impossible."""

    RAM = "ram"
    RUNTIME = "runtime"


@dataclass(frozen=True, slots=True)
class Progress:
    """One point of the history: seconds, the step that found it, best energy and bound (J)."""

    t_s: float
    step: str
    energy_j: float
    bound_j: float


@dataclass(frozen=True, slots=True)
class SolverRecord:
    """Which solver did the work and when it found what."""

    strategy: str
    name: str
    version: str
    wall_s: float
    first_answer_s: float | None = None
    incumbents: tuple[Progress, ...] = ()


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a problem is impossible: the limit, the op and tensors to blame, and how much is missing.

    needed, missing: bytes (RAM, int) or seconds (runtime). `op` and `tensors` are positions in the
    graph; op is None when no single op is to blame. `exact` says whether `needed` is the least that
    works; else it is the least known to work or, while none is known, less is proven not to.
    """

    limit: Limit
    op: int | None
    tensors: tuple[int, ...]
    needed: float
    missing: float
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class LeastBudget:
    """What is known of the least budget of one kind that works, the other one as it is.

    lower, upper : bytes (int) or seconds, as `limit` says. Less than `lower` is proven not to work;
    `trace` is a verified schedule that needs `upper`; both None before there is one. exact : they
    meet. hopeless : nothing works however large, because of the other budget; `upper` stays None.
    """

    limit: Limit
    lower: float
    upper: float | None = None
    exact: bool = False
    trace: Trace | None = None
    hopeless: bool = False

    def ruled_out(self, budgets: Budgets) -> Budgets | None:
        """The loosest budgets proven impossible, the other one as in `budgets`; None: not known.

        Seconds are taken a little below the proof, whose rounding is larger than the verifier's.
        """
        if self.limit is Limit.RAM:
            return None if self.hopeless else Budgets(int(self.lower) - 1, budgets.runtime_s)
        runtime_s = None if self.hopeless else self.lower * (1 - BOUND_SLACK)
        return Budgets(budgets.ram_bytes, runtime_s)


@dataclass(frozen=True, slots=True)
class Optimal:
    """A verified schedule whose energy a valid bound meets (is_proven)."""

    trace: Trace
    bound_j: float
    message: str
    record: SolverRecord


@dataclass(frozen=True, slots=True)
class Feasible:
    """A verified schedule and the best bound when the solve stopped."""

    trace: Trace
    bound_j: float
    stop_reason: StopReason
    message: str
    record: SolverRecord


@dataclass(frozen=True, slots=True)
class Infeasible:
    """No schedule can exist; `reason` says why, `message` in words."""

    reason: Reason
    message: str
    record: SolverRecord
    bound_j: float | None = None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Neither a schedule nor a proof of impossibility within the limits."""

    stop_reason: StopReason
    message: str
    record: SolverRecord
    bound_j: float | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The solve broke; `details` are for a bug report."""

    message: str
    record: SolverRecord
    details: str = ""


Outcome = Optimal | Feasible | Infeasible | NoAnswer | Failed

_STATUS: Final = {
    Optimal: "optimal",
    Feasible: "feasible",
    Infeasible: "infeasible",
    NoAnswer: "no_answer",
    Failed: "failed",
}


def status_of(outcome: Outcome) -> str:
    """How solving ended in one word, as in every document: optimal, no_answer, ..."""
    return _STATUS[type(outcome)]


def bound_of(outcome: Outcome) -> float | None:
    """What is proven of every schedule's energy, joules; None where nothing is."""
    return None if isinstance(outcome, Failed) else outcome.bound_j


def overhead_gap(problem: Problem, energy_j: float, bound_j: float) -> float | None:
    """(energy - bound) / overhead: 0 when they meet, None when the overhead is 0 and unproven."""
    return gap_above(problem.costed.baseline_energy_j, energy_j, bound_j)


def gap_above(baseline_j: float, energy_j: float, bound_j: float) -> float | None:
    """As `overhead_gap`, by the baseline's energy."""
    left = max(0.0, energy_j - bound_j)
    if left <= OPTIMAL_TOTAL_TOLERANCE * energy_j:
        return 0.0
    overhead = energy_j - baseline_j
    return left / overhead if overhead > 1e-12 * energy_j else None


def total_gap(energy_j: float, bound_j: float) -> float:
    """(energy - bound) / energy, never below 0."""
    return max(0.0, energy_j - bound_j) / energy_j if energy_j > 0 else 0.0


def is_proven(problem: Problem, energy_j: float, bound_j: float) -> bool:
    """The contract's rule for `optimal`: energy - bound <= 1e-4 * overhead + 1e-9 * energy."""
    return energy_j - bound_j <= proof_slack_j(problem, energy_j)


def proof_slack_j(problem: Problem, energy_j: float) -> float:
    """How far a bound may lie below the energy of an optimal schedule, joules."""
    overhead_j = max(0.0, energy_j - problem.costed.baseline_energy_j)
    return OPTIMAL_OVERHEAD_TOLERANCE * overhead_j + OPTIMAL_TOTAL_TOLERANCE * energy_j


def bound_clash(energy_j: float, bound_j: float) -> tuple[str, ...]:
    """A sentence when a bound lies above the energy of a schedule, by more than rounding."""
    # Asked this way round, a bound that is not a number is a fault too.
    if bound_j <= energy_j * (1 + BOUND_SLACK):
        return ()
    return (f"the bound of {bound_j} J lies above the energy of {energy_j} J",)


def bound_faults(outcome: Optimal | Feasible) -> tuple[str, ...]:
    """What is false in what an outcome claims of its bound, in sentences; empty when it holds."""
    problem, energy_j = outcome.trace.problem, outcome.trace.total_energy_j
    bound_j = outcome.bound_j
    faults = [*bound_clash(energy_j, bound_j)]
    if isinstance(outcome, Optimal) and not is_proven(problem, energy_j, bound_j):
        faults.append(f"called optimal, but the bound of {bound_j} J does not meet {energy_j} J")
    return tuple(faults)
