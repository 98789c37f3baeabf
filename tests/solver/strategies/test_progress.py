"""Claim: only legal schedules and true bounds get through, each reported when it is better."""

import pytest

from solver.events import Bound, Event, Incumbent
from solver.problem import Problem, SolveOptions
from solver.schedule import Schedule
from solver.staged import stage
from solver.strategies.base import Cancel
from solver.strategies.limits import Limits
from solver.strategies.plain import keep_all, page_all
from solver.strategies.progress import SolveProgress
from tests.helpers.builders import chain, device_of, problem_of


class Watched:
    """A progress and what it reported. chain(4): baseline 12.000001 J, each transfer 0.01 J."""

    def __init__(self, problem: Problem, gap: float = 0.01, total_gap: float = 0.0) -> None:
        self.events: list[Event] = []
        options = SolveOptions(gap=gap, total_gap=total_gap)
        self.progress = SolveProgress(
            problem, options, self.events.append, Limits(options, Cancel())
        )
        self.problem = problem

    def paged(self) -> Schedule:
        return page_all(stage(self.problem))

    def kept(self) -> Schedule:
        return keep_all(stage(self.problem))


def roomy() -> Problem:
    return problem_of(chain(4), 10**6)


def test_that_a_better_schedule_is_taken_and_reported_and_a_worse_one_is_not() -> None:
    watched = Watched(roomy())

    assert watched.progress.offer(watched.paged())
    assert watched.progress.offer(watched.kept())
    assert not watched.progress.offer(watched.paged())
    assert not watched.progress.offer(watched.kept())

    energies = [event.energy_j for event in watched.events if isinstance(event, Incumbent)]
    # f1, f2, f3 out and in, 6 x 0.01 J more (f4 is read by its neighbours loss and b4)
    assert energies == pytest.approx([12.060001, 12.000001])


def test_that_an_illegal_schedule_is_a_bug_and_not_a_result() -> None:
    watched = Watched(roomy())
    cut = Schedule(watched.kept().actions[1:])

    with pytest.raises(AssertionError, match="illegal schedule"):
        watched.progress.offer(cut)

    assert watched.progress.trace is None
    assert watched.events == []


def test_that_a_schedule_over_the_budget_is_a_bug() -> None:
    # everything kept needs 5004 B
    watched = Watched(problem_of(chain(4), 5003))

    with pytest.raises(AssertionError, match="1 B over the RAM budget"):
        watched.progress.offer(watched.kept())


def test_that_bounds_only_rise() -> None:
    watched = Watched(roomy())

    for bound_j in (12.0, 12.02, 12.01, 12.03):  # the baseline is above the first
        watched.progress.prove(bound_j)

    bounds = [event.bound_j for event in watched.events if isinstance(event, Bound)]
    assert bounds == [12.02, 12.03]
    assert watched.progress.bound_j == 12.03


def test_that_a_bound_above_a_schedule_is_a_bug() -> None:
    watched = Watched(roomy())
    watched.progress.offer(watched.paged())

    with pytest.raises(AssertionError, match="above a schedule"):
        watched.progress.prove(12.060001 + 1e-3 * 0.06)  # by 0.1 % of the overhead


def test_that_a_schedule_below_a_bound_is_a_bug() -> None:
    watched = Watched(roomy())
    watched.progress.prove(12.01)

    with pytest.raises(AssertionError, match="above a schedule"):
        watched.progress.offer(watched.kept())


def test_that_a_bound_above_by_rounding_is_cut_off() -> None:
    watched = Watched(roomy())
    watched.progress.offer(watched.paged())
    energy_j = watched.progress.energy_j

    watched.progress.prove(energy_j * (1 + 1e-12))

    assert watched.progress.bound_j == energy_j
    assert watched.progress.proven


@pytest.mark.parametrize(
    ("gap", "left", "closed"),
    [
        # overhead 0.06 J: a gap of 1 % allows 0.6 mJ, proof 1e-4 x overhead + 1e-9 x energy = 6 uJ
        (0.01, 5.9e-4, True),
        (0.01, 6.1e-4, False),
        (0.0, 5.9e-6, True),
        (0.0, 6.1e-6, False),
        (1e-6, 5.9e-6, True),  # a proof closes any gap
    ],
)
def test_that_the_gap_is_on_the_overhead(gap: float, left: float, closed: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    watched = Watched(roomy(), gap)
    watched.progress.offer(watched.paged())
    energy_j = watched.progress.energy_j

    watched.progress.prove(energy_j - left)

    assert watched.progress.closed == closed
    assert (left <= watched.progress.allowed_gap_j) == closed
    assert watched.progress.proven == (left < 6.012e-6)


def test_that_gap_0_asks_for_a_millionth_of_the_energy_too() -> None:
    # 200 J of paging on 12 J: 1e-4 of the overhead would be 20 mJ, 1e-6 of the energy is 0.2 mJ
    device = device_of(joule_per_byte_in=3.3e-2, joule_per_byte_out=3.3e-2)
    watched = Watched(problem_of(chain(4), 10**6, device=device), gap=0.0)
    watched.progress.offer(watched.paged())
    energy_j = watched.progress.energy_j
    assert energy_j == pytest.approx(12.000001 + 6 * 33)

    watched.progress.prove(energy_j - 5e-4)
    assert watched.progress.proven
    assert not watched.progress.closed
    watched.progress.prove(energy_j - 1e-4)
    assert watched.progress.closed


def test_that_nothing_is_closed_without_a_schedule() -> None:
    watched = Watched(roomy())

    assert not watched.progress.closed
    assert not watched.progress.proven
    assert watched.progress.energy_j == float("inf")


@pytest.mark.parametrize("gap", [0.0, 0.01])
def test_that_a_gap_on_the_total_ends_the_proof_but_closes_nothing(gap: float) -> None:
    # Paging f1, f2, f3 out and in: 12.060001 J; 0.3 % of it is 0.03618 J, so 12.03 J is enough.
    watched = Watched(roomy(), gap, total_gap=0.003)
    watched.progress.offer(watched.paged())

    watched.progress.prove(12.02)
    assert not watched.progress.certified
    watched.progress.prove(12.03)
    assert watched.progress.certified
    assert not watched.progress.closed
    assert watched.progress.allowed_gap_j == pytest.approx(0.003 * 12.060001)
